import { browser, effect, last, player, position, said, state, status } from "../testing/fixtures";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Game } from "./onlineGame.svelte";
import { PAUSE } from "./eventQueue.svelte";
import { preferences } from "../settings/preferences.svelte";
import type { EventView, Kind, State, Status } from "../generated/wire";

/** Returns the message of an event, which changes some things at the table. */
function happened(seq: number, kind: Kind, seat: number, data = "", now: Partial<Status> = {}) {
  const event: EventView = { seq, kind, seat, at: 0, data };
  return { t: "event", event, status: status({ seq, ...now }), position: position() };
}

function opened(first: State = state()): Game {
  const game = new Game("game");
  last().hear(first);
  return game;
}

/** Lets seat 0 advance and seat 1 advance twice, all in one moment. */
function exchange(): Game {
  const game = opened();
  const theirs = position({ turn: 1 });
  last().hear({ ...happened(2, "move", 0, "A"), position: theirs });
  last().hear({ ...happened(3, "move", 1, "A"), position: theirs });
  last().hear(happened(4, "move", 1, "A"));
  return game;
}

beforeEach(() => {
  vi.useFakeTimers();
  browser();
  preferences.motion = "fast";
});
afterEach(() => vi.useRealTimers());

test("a table is told, and what happens there is added", () => {
  const game = opened();
  expect([game.turn, game.mine, game.over, game.connection]).toEqual([0, true, false, "open"]);
  const next = position({ turn: 1, players: [player({ time: 3 }), player()] });
  last().hear({ ...happened(2, "move", 0, "1Aa1"), position: next });
  expect(game.moves).toEqual([[0, "1Aa1"]]);
  expect([game.turn, game.mine]).toEqual([1, false]);
  expect(game.happened).toHaveLength(1);
  expect(game.happened[0]?.before?.players[0].time).toBe(0);
  expect(game.happened[0]?.after?.players[0].time).toBe(3);
});

test("what is taken back leaves the list of moves", () => {
  const moves: [number, string][] = [
    [0, "1Aa1"],
    [1, "A"],
    [0, "A"],
  ];
  const game = opened(state({ moves }));
  last().hear(happened(2, "takeback", 0, "1"));
  expect(game.moves).toEqual([[0, "1Aa1"]]);
});

test("an event that changes no position leaves the one there is", () => {
  const game = opened();
  const before = game.position;
  last().hear({ ...happened(2, "ask", 1, "", { asking: 1 }), position: null });
  expect(game.position).toBe(before);
  expect(game.status?.asking).toBe(1);
});

test("at the end it is nobody's turn", () => {
  const game = opened();
  const ending = { reason: "resigned", winner: 1, scores: null, tie_break: false } as const;
  last().hear(happened(2, "resign", 0, "", { ending }));
  expect([game.turn, game.mine, game.over]).toEqual([null, false, true]);
});

test("the near side is the own one, before one screen that of the one who decides", () => {
  expect(opened(state({ you: [1] })).near).toBe(1);
  expect(opened(state({ you: [] })).near).toBe(0);
  expect(opened(state({ you: [0, 1], position: position({ turn: 1 }) })).near).toBe(1);
});

test("moves made while the page was away are counted, by this visit and by the next", () => {
  const game = opened(state({ position: position({ turn: 1 }) }));
  expect(game.missed).toBe(0);
  last().break();
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

test("a hint is for the position it was asked in", () => {
  const thought = { seat: 0, move: "A", win: 0.5, margin: 0, exact: false, lines: [] };
  const game = opened();
  game.ask();
  expect([game.hinting, said("hint").length]).toEqual([true, 1]);
  last().hear({ t: "hint", id: "h", seq: 1, thought });
  expect([game.hinting, game.hint?.move]).toEqual([false, "A"]);
  last().hear(happened(2, "move", 0, "A"));
  expect(game.hint).toBeNull();
  last().hear({ t: "hint", id: "h", seq: 1, thought });
  expect(game.hint).toBeNull();
});

test("a move withdrawn stays said while others move, and is forgotten with the next wish", () => {
  const game = opened();
  game.act({ t: "move", move: "A" });
  const id = said("move")[0]?.["id"];
  const now = state({ status: status({ seq: 4 }) });
  last().hear({ t: "refused", id, code: "stale", detail: "", state: now });
  expect([game.refusal?.refusal.code, game.refusal?.action?.t]).toEqual(["stale", "move"]);
  last().hear(happened(5, "move", 1, "A"));
  expect(game.refusal).not.toBeNull();
  game.act({ t: "move", move: "A" });
  expect(game.refusal).toBeNull();
});

test("the computer thinks until something happens", () => {
  const game = opened();
  last().hear({ t: "thinking", waiting: 2 });
  expect(game.thinking?.waiting).toBe(2);
  last().hear({ t: "thinking", waiting: 0, part: 0.5 });
  expect(game.thinking).toMatchObject({ waiting: 0, part: 0.5 });
  last().hear({ ...happened(2, "move", 1, "A"), position: position({ advance: effect() }) });
  expect(game.thinking).toBeNull();
});

test("moves are shown one after the other, and nothing is decided before the last", () => {
  const game = exchange();
  const seen = () => [game.moves.length, game.mine, game.act({ t: "undo" })];
  expect(seen()).toEqual([1, false, false]);
  vi.advanceTimersByTime(PAUSE);
  expect(seen()).toEqual([2, false, false]);
  vi.advanceTimersByTime(PAUSE - 1);
  expect(seen()).toEqual([2, false, false]);
  vi.advanceTimersByTime(1);
  expect(seen()).toEqual([3, true, true]);
});

test("an own move is shown at once, whatever is still looked at", () => {
  const game = exchange();
  vi.advanceTimersByTime(2 * PAUSE);
  last().hear({ ...happened(5, "move", 0, "A"), position: position({ turn: 1 }) });
  expect(game.moves).toHaveLength(4);
});

test("a key shows all at once and does nothing else; the next one is heard", () => {
  const game = exchange();
  const key = () => Object.assign(new Event("keydown", { cancelable: true }), { key: "a" });
  const first = key();
  window.dispatchEvent(first);
  expect([game.moves.length, game.mine, first.defaultPrevented]).toEqual([3, true, true]);
  const second = key();
  window.dispatchEvent(second);
  expect(second.defaultPrevented).toBe(false);
});

test("a click that shows all at once is no decision", () => {
  const game = exchange();
  const click = () => new Event("click", { cancelable: true });
  const first = click();
  window.dispatchEvent(new Event("pointerdown"));
  window.dispatchEvent(first);
  expect([game.mine, first.defaultPrevented]).toEqual([true, true]);
  const second = click();
  window.dispatchEvent(new Event("pointerdown"));
  window.dispatchEvent(second);
  expect(second.defaultPrevented).toBe(false);
});

test("without motion, or before nobody's eyes, everything is shown at once", () => {
  preferences.motion = "off";
  expect(exchange().moves).toHaveLength(3);
  preferences.motion = "fast";
  Object.assign(document, { hidden: true });
  expect(exchange().moves).toHaveLength(3);
});

test("who comes back sees what there is, not what led to it", () => {
  const game = exchange();
  last().hear(state({ status: status({ seq: 9 }), position: position({ turn: 1 }) }));
  vi.advanceTimersByTime(9 * PAUSE);
  expect([game.turn, game.moves.length]).toEqual([1, 0]);
});
