import {
  effect,
  lastSocket,
  player,
  position,
  sentMessages,
  state,
  status,
  stubBrowser,
} from "../testing/fixtures";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OnlineGame } from "./onlineGame.svelte";
import { MOVE_PAUSE } from "./eventQueue.svelte";
import { preferences } from "../settings/preferences.svelte";
import type { EventView, Kind, State, Status } from "../generated/wire";

/** Returns the message of an event that changes the status. */
function eventMessage(seq: number, kind: Kind, seat: number, data = "", now: Partial<Status> = {}) {
  const event: EventView = { seq, kind, seat, at: 0, data };
  return { t: "event", event, status: status({ seq, ...now }), position: position() };
}

function opened(first: State = state()): OnlineGame {
  const game = new OnlineGame("game");
  lastSocket().receive(first);
  return game;
}

/** Seat 0 advances and then seat 1 advances twice, all at the same time. */
function exchange(): OnlineGame {
  const game = opened();
  const theirs = position({ turn: 1 });
  lastSocket().receive({ ...eventMessage(2, "move", 0, "A"), position: theirs });
  lastSocket().receive({ ...eventMessage(3, "move", 1, "A"), position: theirs });
  lastSocket().receive(eventMessage(4, "move", 1, "A"));
  return game;
}

beforeEach(() => {
  vi.useFakeTimers();
  stubBrowser();
  preferences.motion = "fast";
});
afterEach(() => vi.useRealTimers());

test("the state of a table is taken over, and events are added", () => {
  const game = opened();
  expect([game.turn, game.myTurn, game.over, game.connection]).toEqual([0, true, false, "open"]);
  const next = position({ turn: 1, players: [player({ time: 3 }), player()] });
  lastSocket().receive({ ...eventMessage(2, "move", 0, "1Aa1"), position: next });
  expect(game.moves).toEqual([[0, "1Aa1"]]);
  expect([game.turn, game.myTurn]).toEqual([1, false]);
  expect(game.recentEvents).toHaveLength(1);
  expect(game.recentEvents[0]?.before?.players[0].time).toBe(0);
  expect(game.recentEvents[0]?.after?.players[0].time).toBe(3);
});

test("a takeback removes moves from the list", () => {
  const moves: [number, string][] = [
    [0, "1Aa1"],
    [1, "A"],
    [0, "A"],
  ];
  const game = opened(state({ moves }));
  lastSocket().receive(eventMessage(2, "takeback", 0, "1"));
  expect(game.moves).toEqual([[0, "1Aa1"]]);
});

test("an event without a position keeps the current one", () => {
  const game = opened();
  const before = game.position;
  lastSocket().receive({ ...eventMessage(2, "ask", 1, "", { asking: 1 }), position: null });
  expect(game.position).toBe(before);
  expect(game.status?.asking).toBe(1);
});

test("after the end it is no one's turn", () => {
  const game = opened();
  const ending = { reason: "resigned", winner: 1, scores: null, tie_break: false } as const;
  lastSocket().receive(eventMessage(2, "resign", 0, "", { ending }));
  expect([game.turn, game.myTurn, game.over]).toEqual([null, false, true]);
});

test("the user's seat is near, or that of the player to move where two share the screen", () => {
  expect(opened(state({ you: [1] })).near).toBe(1);
  expect(opened(state({ you: [] })).near).toBe(0);
  expect(opened(state({ you: [0, 1], position: position({ turn: 1 }) })).near).toBe(1);
});

test("moves made while the user was away are counted, on this visit and on the next", () => {
  const game = opened(state({ position: position({ turn: 1 }) }));
  expect(game.missed).toBe(0);
  lastSocket().disconnect();
  game.close();
  const moves: [number, string][] = [
    [1, "A"],
    [1, "A"],
  ];
  const again = opened(state({ moves, status: status({ seq: 3 }) }));
  expect(again.missed).toBe(2);
  again.act({ t: "move", move: "A" });
  expect(again.missed).toBe(0);
  expect(opened(state({ moves })).missed).toBe(0);
});

const CANDIDATES = [
  { move: "A", win: 0.5, margin: 0, why: null },
  { move: "3Aa1", win: 0.4, margin: -2, why: null },
] as const;

test("a hint comes in steps, and is dropped when the position changes", () => {
  const game = opened();
  game.requestHint();
  expect([game.hintRequested, sentMessages("hint").length]).toEqual([true, 1]);
  lastSocket().receive({ t: "hint", id: "h", seq: 1, candidates: CANDIDATES });
  expect([game.hintRequested, game.advice.step, game.hint]).toEqual([false, 1, null]);
  game.requestHint();
  expect([game.advice.step, game.hint]).toEqual([2, null]);
  game.requestHint();
  expect([game.advice.step, game.hint?.move]).toEqual([3, "A"]);
  expect(sentMessages("hint").length).toBe(1);
  lastSocket().receive(eventMessage(2, "move", 0, "A"));
  expect([game.advice.hint, game.hint]).toEqual([null, null]);
  lastSocket().receive({ t: "hint", id: "h", seq: 1, candidates: CANDIDATES });
  expect(game.advice.hint).toBeNull();
});

test("a hint can be ended, and another candidate chosen", () => {
  const game = opened();
  game.requestHint();
  lastSocket().receive({ t: "hint", id: "h", seq: 1, candidates: CANDIDATES });
  game.requestHint();
  game.advice.choose(CANDIDATES[1]);
  expect([game.advice.step, game.hint?.move]).toEqual([3, "3Aa1"]);
  const again = game.hint;
  game.advice.choose(CANDIDATES[1]);
  expect(game.hint).not.toBe(again);
  game.requestHint();
  expect(game.advice.step).toBe(3);
  game.endHint();
  expect([game.advice.hint, game.hint]).toEqual([null, null]);
});

test("the notice of a withdrawn move stays until the user's next action", () => {
  const game = opened();
  game.act({ t: "move", move: "A" });
  const id = sentMessages("move")[0]?.["id"];
  const now = state({ status: status({ seq: 4 }) });
  lastSocket().receive({ t: "refused", id, code: "stale", detail: "", state: now });
  expect([game.refusal?.refusal.code, game.refusal?.action?.t]).toEqual(["stale", "move"]);
  lastSocket().receive(eventMessage(5, "move", 1, "A"));
  expect(game.refusal).not.toBeNull();
  game.act({ t: "move", move: "A" });
  expect(game.refusal).toBeNull();
});

test("the computer thinks until something happens", () => {
  const game = opened();
  lastSocket().receive({ t: "thinking", waiting: 2 });
  expect(game.thinking?.waiting).toBe(2);
  lastSocket().receive({ t: "thinking", waiting: 0, part: 0.5 });
  expect(game.thinking).toMatchObject({ waiting: 0, part: 0.5 });
  const next = position({ advance: effect() });
  lastSocket().receive({ ...eventMessage(2, "move", 1, "A"), position: next });
  expect(game.thinking).toBeNull();
});

test("moves are shown one after the other, and the user can act only after the last", () => {
  const game = exchange();
  const seen = () => [game.moves.length, game.myTurn, game.act({ t: "undo" })];
  expect(seen()).toEqual([1, false, false]);
  vi.advanceTimersByTime(MOVE_PAUSE);
  expect(seen()).toEqual([2, false, false]);
  vi.advanceTimersByTime(MOVE_PAUSE - 1);
  expect(seen()).toEqual([2, false, false]);
  vi.advanceTimersByTime(1);
  expect(seen()).toEqual([3, true, true]);
});

test("the user's own move is shown at once, after all that was waiting", () => {
  const game = exchange();
  vi.advanceTimersByTime(2 * MOVE_PAUSE);
  lastSocket().receive({ ...eventMessage(5, "move", 0, "A"), position: position({ turn: 1 }) });
  expect(game.moves).toHaveLength(4);
});

test("a key shows all events at once and does nothing else; the next key works", () => {
  const game = exchange();
  const key = () => Object.assign(new Event("keydown", { cancelable: true }), { key: "a" });
  const first = key();
  window.dispatchEvent(first);
  expect([game.moves.length, game.myTurn, first.defaultPrevented]).toEqual([3, true, true]);
  const second = key();
  window.dispatchEvent(second);
  expect(second.defaultPrevented).toBe(false);
});

test("a click that shows all events does nothing else", () => {
  const game = exchange();
  const click = () => new Event("click", { cancelable: true });
  const first = click();
  window.dispatchEvent(new Event("pointerdown"));
  window.dispatchEvent(first);
  expect([game.myTurn, first.defaultPrevented]).toEqual([true, true]);
  const second = click();
  window.dispatchEvent(new Event("pointerdown"));
  window.dispatchEvent(second);
  expect(second.defaultPrevented).toBe(false);
});

test("without motion, or on a hidden page, everything is shown at once", () => {
  preferences.motion = "off";
  expect(exchange().moves).toHaveLength(3);
  preferences.motion = "fast";
  Object.assign(document, { hidden: true });
  expect(exchange().moves).toHaveLength(3);
});

test("a new state replaces events that have not been shown", () => {
  const game = exchange();
  lastSocket().receive(state({ status: status({ seq: 9 }), position: position({ turn: 1 }) }));
  vi.advanceTimersByTime(9 * MOVE_PAUSE);
  expect([game.turn, game.moves.length]).toEqual([1, 0]);
});
