// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  DEAD_AFTER,
  PING_INTERVAL,
  RETRY_DELAY,
  SLOW_AFTER,
  TableSocket,
  type Action,
  type Connection,
  type Listener,
} from "./tableSocket";
import { FakeSocket, lastSocket, sentMessages, stubBrowser } from "../testing/fixtures";
import type { FromServer, Refused, State } from "../generated/wire";

const received: string[] = [];
let pending: Action | null;
let refusals: [Refused, Action | null][];
let connection: Connection;

const listener: Listener = {
  state: ({ status }) => received.push(`state ${status.seq}`),
  event: ({ event }) => received.push(`event ${event.seq}`),
  presence: () => received.push("presence"),
  thinking: () => received.push("thinking"),
  hint: () => received.push("hint"),
  pending: (action) => (pending = action),
  refused: (refusal, action) => refusals.push([refusal, action]),
  connection: (now) => (connection = now),
};

function state(seq: number): State {
  return { t: "state", status: { seq } } as unknown as State;
}

function event(seq: number): FromServer {
  return { t: "event", event: { seq } } as unknown as FromServer;
}

function open(): TableSocket {
  return new TableSocket("game", listener);
}

beforeEach(() => {
  vi.useFakeTimers();
  stubBrowser();
  received.length = 0;
  refusals = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("events are received once and in order; after a gap the state is requested", () => {
  const socket = open();
  lastSocket().receive(state(3));
  lastSocket().receive(event(4));
  lastSocket().receive(event(4));
  lastSocket().receive(event(6));
  expect(received).toEqual(["state 3", "event 4"]);
  expect(sentMessages("sync")).toHaveLength(1);
  socket.close();
});

test("a pong with a later number reveals a gap, too", () => {
  const socket = open();
  lastSocket().receive(state(3));
  lastSocket().receive({ t: "pong", seq: 5 });
  expect(sentMessages("sync")).toHaveLength(1);
  socket.close();
});

test("it sends pings, and reconnects if nothing arrives", () => {
  const socket = open();
  lastSocket().receive(state(3));
  vi.advanceTimersByTime(PING_INTERVAL);
  expect(sentMessages("ping")).toHaveLength(1);
  vi.advanceTimersByTime(DEAD_AFTER + PING_INTERVAL);
  expect(connection).toBe("lost");
  vi.advanceTimersByTime(1.2 * RETRY_DELAY);
  expect(FakeSocket.all).toHaveLength(2);
  socket.close();
});

test("it says soon that no answer comes, and takes it back when one does", () => {
  const socket = open();
  lastSocket().receive(state(3));
  vi.advanceTimersByTime(PING_INTERVAL + SLOW_AFTER - 1);
  expect(connection).toBe("open");
  vi.advanceTimersByTime(1);
  expect(connection).toBe("slow");
  lastSocket().receive({ t: "pong", seq: 3 });
  expect(connection).toBe("open");
  socket.act({ t: "move", move: "A" });
  vi.advanceTimersByTime(SLOW_AFTER);
  expect(connection).toBe("slow");
  expect(FakeSocket.all).toHaveLength(1);
  socket.close();
});

test("a browser that goes offline says so at once, unless the server still answers", () => {
  const socket = open();
  lastSocket().receive(state(3));
  window.dispatchEvent(new Event("offline"));
  expect(connection).toBe("lost");
  expect(sentMessages("ping")).toHaveLength(1);
  lastSocket().receive({ t: "pong", seq: 3 });
  expect(connection).toBe("open");
  socket.close();
});

test("an unanswered action is resent unchanged after reconnecting", () => {
  const socket = open();
  lastSocket().receive(state(3));
  expect(socket.act({ t: "move", move: "A" })).toBe(true);
  expect(socket.act({ t: "undo" })).toBe(false);
  const [first] = sentMessages("move");
  lastSocket().disconnect();
  vi.advanceTimersByTime(1.2 * RETRY_DELAY);
  lastSocket().receive(state(4));
  expect(sentMessages("move")).toEqual([first]);
  lastSocket().receive({ t: "ack", id: first?.["id"], seq: 4 });
  expect(pending).toBeNull();
  socket.close();
});

test("an unanswered action is resent unchanged after a reload", () => {
  const before = open();
  lastSocket().receive(state(3));
  before.act({ t: "move", move: "A" });
  const [first] = sentMessages("move");
  before.close();
  const after = open();
  expect(pending).toEqual(first);
  lastSocket().receive(state(3));
  expect(sentMessages("move")).toEqual([first]);
  after.close();
});

test("a stale action is withdrawn, and the state in the refusal is taken over", () => {
  const socket = open();
  lastSocket().receive(state(3));
  socket.act({ t: "move", move: "A" });
  const id = sentMessages("move")[0]?.["id"];
  lastSocket().receive({ t: "refused", id, code: "stale", detail: "", state: state(5) });
  expect(pending).toBeNull();
  expect(received.at(-1)).toBe("state 5");
  expect(refusals[0]?.[1]?.t).toBe("move");
  lastSocket().receive(event(6));
  expect(received.at(-1)).toBe("event 6");
  socket.close();
});

test("an action that was refused temporarily is resent later", () => {
  const socket = open();
  lastSocket().receive(state(3));
  socket.act({ t: "move", move: "A" });
  const id = sentMessages("move")[0]?.["id"];
  lastSocket().receive({ t: "refused", id, code: "unavailable", detail: "" });
  expect(pending).not.toBeNull();
  vi.advanceTimersByTime(PING_INTERVAL);
  expect(sentMessages("move")).toHaveLength(2);
  socket.close();
});

test("it waits longer after each failure, but reconnects at once when online again", () => {
  const socket = open();
  lastSocket().disconnect();
  vi.advanceTimersByTime(1.2 * RETRY_DELAY);
  expect(FakeSocket.all).toHaveLength(2);
  lastSocket().disconnect();
  vi.advanceTimersByTime(1.2 * RETRY_DELAY);
  expect(FakeSocket.all).toHaveLength(2);
  window.dispatchEvent(new Event("online"));
  expect(FakeSocket.all).toHaveLength(3);
  socket.close();
});

test("it returns when the server said, and not after a refusal", () => {
  const socket = open();
  lastSocket().receive(state(3));
  lastSocket().receive({ t: "bye", retry: 1000 });
  lastSocket().disconnect(1012);
  vi.advanceTimersByTime(1200);
  expect(FakeSocket.all).toHaveLength(2);
  lastSocket().receive({ t: "refused", id: null, code: "no-such-table", detail: "" });
  lastSocket().disconnect(1008);
  vi.advanceTimersByTime(60000);
  expect(FakeSocket.all).toHaveLength(2);
  expect(connection).toBe("refused");
  socket.close();
});
