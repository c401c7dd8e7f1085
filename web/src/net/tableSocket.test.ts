// @vitest-environment node
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DEAD, Live, PING, RETRY, type Action, type Connection, type Listener } from "./tableSocket";
import { browser, last, said, Wire } from "../testing/fixtures";
import type { FromServer, Refused, State } from "../generated/wire";

const heard: string[] = [];
let waiting: Action | null;
let refusals: [Refused, Action | null][];
let connection: Connection;

const listener: Listener = {
  state: ({ status }) => heard.push(`state ${status.seq}`),
  event: ({ event }) => heard.push(`event ${event.seq}`),
  presence: () => heard.push("presence"),
  thinking: () => heard.push("thinking"),
  hint: () => heard.push("hint"),
  waiting: (action) => (waiting = action),
  refused: (refusal, action) => refusals.push([refusal, action]),
  connection: (now) => (connection = now),
};

function state(seq: number): State {
  return { t: "state", status: { seq } } as unknown as State;
}

function event(seq: number): FromServer {
  return { t: "event", event: { seq } } as unknown as FromServer;
}

function open(): Live {
  return new Live("game", listener);
}

beforeEach(() => {
  vi.useFakeTimers();
  browser();
  heard.length = 0;
  refusals = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("events are heard once and in order; after a gap the state is asked for", () => {
  const live = open();
  last().hear(state(3));
  last().hear(event(4));
  last().hear(event(4));
  last().hear(event(6));
  expect(heard).toEqual(["state 3", "event 4"]);
  expect(said("sync")).toHaveLength(1);
  live.close();
});

test("a pong that knows more shows a gap as well", () => {
  const live = open();
  last().hear(state(3));
  last().hear({ t: "pong", seq: 5 });
  expect(said("sync")).toHaveLength(1);
  live.close();
});

test("it pings, and gives up a line on which nothing comes", () => {
  const live = open();
  last().hear(state(3));
  vi.advanceTimersByTime(PING);
  expect(said("ping")).toHaveLength(1);
  vi.advanceTimersByTime(DEAD + PING);
  expect(connection).toBe("lost");
  vi.advanceTimersByTime(1.2 * RETRY);
  expect(Wire.all).toHaveLength(2);
  live.close();
});

test("an action that was not answered is sent again as it was", () => {
  const live = open();
  last().hear(state(3));
  expect(live.act({ t: "move", move: "A" })).toBe(true);
  expect(live.act({ t: "undo" })).toBe(false);
  const [first] = said("move");
  last().break();
  vi.advanceTimersByTime(1.2 * RETRY);
  last().hear(state(4));
  expect(said("move")).toEqual([first]);
  last().hear({ t: "ack", id: first?.["id"], seq: 4 });
  expect(waiting).toBeNull();
  live.close();
});

test("so it is after a reload", () => {
  const before = open();
  last().hear(state(3));
  before.act({ t: "move", move: "A" });
  const [first] = said("move");
  before.close();
  const after = open();
  expect(waiting).toEqual(first);
  last().hear(state(3));
  expect(said("move")).toEqual([first]);
  after.close();
});

test("a stale action is withdrawn, and the state it came with is taken", () => {
  const live = open();
  last().hear(state(3));
  live.act({ t: "move", move: "A" });
  const id = said("move")[0]?.["id"];
  last().hear({ t: "refused", id, code: "stale", detail: "", state: state(5) });
  expect(waiting).toBeNull();
  expect(heard.at(-1)).toBe("state 5");
  expect(refusals[0]?.[1]?.t).toBe("move");
  last().hear(event(6));
  expect(heard.at(-1)).toBe("event 6");
  live.close();
});

test("what may succeed later is sent later", () => {
  const live = open();
  last().hear(state(3));
  live.act({ t: "move", move: "A" });
  const id = said("move")[0]?.["id"];
  last().hear({ t: "refused", id, code: "unavailable", detail: "" });
  expect(waiting).not.toBeNull();
  vi.advanceTimersByTime(PING);
  expect(said("move")).toHaveLength(2);
  live.close();
});

test("it waits longer after each failure, and not at all when the browser is online again", () => {
  const live = open();
  last().break();
  vi.advanceTimersByTime(1.2 * RETRY);
  expect(Wire.all).toHaveLength(2);
  last().break();
  vi.advanceTimersByTime(1.2 * RETRY);
  expect(Wire.all).toHaveLength(2);
  window.dispatchEvent(new Event("online"));
  expect(Wire.all).toHaveLength(3);
  live.close();
});

test("it comes back when the server said, and stays away when it was refused", () => {
  const live = open();
  last().hear(state(3));
  last().hear({ t: "bye", retry: 1000 });
  last().break(1012);
  vi.advanceTimersByTime(1200);
  expect(Wire.all).toHaveLength(2);
  last().hear({ t: "refused", id: null, code: "no-such-table", detail: "" });
  last().break(1008);
  vi.advanceTimersByTime(60000);
  expect(Wire.all).toHaveLength(2);
  expect(connection).toBe("refused");
  live.close();
});
