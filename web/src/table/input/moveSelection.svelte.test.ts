import {
  effect,
  lastSocket,
  offer,
  position,
  sentMessages,
  state,
  status,
  stubBrowser,
} from "../../testing/fixtures";
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OnlineGame } from "../../game/onlineGame.svelte";
import { toMove } from "../../game/placement";
import { preferences } from "../../settings/preferences.svelte";
import type { PositionView } from "../../generated/wire";
import { MoveSelection } from "./moveSelection.svelte";

let leave = () => {};

/** Opens a game in a position, with a move selection. */
function at(now: PositionView = position()): { game: OnlineGame; selection: MoveSelection } {
  const game = new OnlineGame("game");
  lastSocket().receive(state({ position: now }));
  let selection: MoveSelection | undefined;
  leave = $effect.root(() => {
    selection = new MoveSelection(game);
  });
  flushSync();
  return { game, selection: selection as MoveSelection };
}

function first({ game }: { game: OnlineGame }) {
  return game.position?.offers[0] ?? offer(1, ["#"]);
}

beforeEach(() => {
  stubBrowser();
  preferences.confirm = true;
});
afterEach(() => leave());

test("a patch is picked up, put back, put down, and played after a confirmation", () => {
  const table = at();
  const { selection } = table;
  expect(selection.select(first(table))).toBe(true);
  expect([selection.patch, selection.effect?.space]).toEqual([1, 3]);
  selection.cancel();
  expect([selection.patch, selection.effect]).toEqual([null, null]);
  selection.confirm();
  expect(sentMessages("move")).toEqual([]);
  selection.select(first(table));
  selection.moveTo(1, 1);
  selection.putDown();
  expect([selection.placed, sentMessages("move").length]).toEqual([true, 0]);
  selection.confirm();
  expect(sentMessages("move")[0]?.["move"]).toBe("1Aa1");
});

test("without confirmation a patch is played where it is put down", () => {
  preferences.confirm = false;
  const table = at();
  table.selection.select(first(table));
  table.selection.moveTo(1, 1);
  table.selection.putDown();
  expect(sentMessages("move")[0]?.["move"]).toBe("1Aa1");
});

test("a patch is not played in an orientation that does not fit", () => {
  const table = at();
  table.selection.select(first(table));
  table.selection.rotate();
  expect(table.selection.fits).toBe(false);
  table.selection.confirm();
  expect(sentMessages("move")).toEqual([]);
  table.selection.rotate();
  table.selection.rotate();
  table.selection.rotate();
  expect(table.selection.fits).toBe(true);
});

test("a patch that cannot be bought says why, until another one is picked up", () => {
  const { game, selection } = at();
  const [good, , dear] = game.position?.offers ?? [];
  expect(selection.select(dear ?? offer(3, ["#"]))).toBe(false);
  expect([selection.refusal, selection.patch]).toEqual(["cannot-afford", null]);
  selection.select(good ?? offer(1, ["#"]));
  expect(selection.refusal).toBeNull();
});

test("the next patch appears where the last one was", () => {
  const table = at();
  table.selection.select(first(table));
  table.selection.moveTo(8, 8);
  const [, second] = table.game.position?.offers ?? [];
  table.selection.select(second ?? offer(2, ["#"]));
  expect(table.selection.ghost).toMatchObject({ patch: 2, row: 7, column: 6 });
});

test("an advance is confirmed by choosing it again, if at all", () => {
  const { selection } = at();
  selection.advance();
  expect([selection.advancing, selection.fits, selection.effect?.space]).toEqual([true, true, 1]);
  expect(sentMessages("move")).toEqual([]);
  selection.advance();
  expect(sentMessages("move")[0]?.["move"]).toBe("A");
  leave();
  preferences.confirm = false;
  at().selection.advance();
  expect(sentMessages("move")[0]?.["move"]).toBe("A");
});

test("no move is played twice: while one is being sent, the selection is disabled", () => {
  const table = at();
  table.selection.advance();
  table.selection.advance();
  expect(table.selection.enabled).toBe(false);
  expect(table.selection.select(first(table))).toBe(false);
  table.selection.advance();
  table.selection.confirm();
  expect(sentMessages("move")).toHaveLength(1);
});

test("a new position clears the selection", () => {
  const table = at();
  table.selection.select(first(table));
  const event = { seq: 2, kind: "move", seat: 1, at: 0, data: "A" };
  lastSocket().receive({ t: "event", event, status: status({ seq: 2 }), position: position() });
  flushSync();
  expect(table.selection.ghost).toBeNull();
});

test("a takeback request of the other player does not clear the selection", () => {
  const table = at();
  table.selection.select(first(table));
  const event = { seq: 2, kind: "ask", seat: 1, at: 0, data: "" };
  lastSocket().receive({ t: "event", event, status: status({ seq: 2, asking: 1 }), position: null });
  flushSync();
  expect(table.selection.patch).toBe(1);
});

/** Opens a game in which a leather patch is to be placed on an empty quilt. */
function withLeather(): ReturnType<typeof at> {
  const leather_choice = { places: "1".repeat(81), tile: null, next: 0 };
  return at(position({ phase: "leather", advance: null, offers: [], leather_choice }));
}

test("leather is picked up automatically, cannot be put back, and is confirmed like a patch", () => {
  const { selection } = withLeather();
  expect([selection.leather, selection.patch]).toEqual([true, null]);
  selection.cancel();
  selection.advance();
  expect([selection.leather, selection.advancing]).toEqual([true, false]);
  selection.moveTo(0.5, 2.5);
  selection.putDown();
  selection.moveTo(3.5, 2.5);
  selection.putDown();
  expect([selection.placed, sentMessages("move")]).toEqual([true, []]);
  selection.confirm();
  expect(sentMessages("move").map(({ move }) => move)).toEqual(["Lc4"]);
});

test("without confirmation leather is played with one tap", () => {
  preferences.confirm = false;
  const { selection } = withLeather();
  selection.moveTo(0.5, 2.5);
  selection.putDown();
  expect(sentMessages("move")[0]?.["move"]).toBe("Lc1");
});

test("on the other player's turn nothing can be selected", () => {
  const leather_choice = { places: "1".repeat(81), tile: null, next: 0 };
  const table = at(position({ turn: 1, leather_choice }));
  expect([table.selection.enabled, table.selection.ghost]).toEqual([false, null]);
  expect(table.selection.select(first(table))).toBe(false);
  table.selection.advance();
  expect(table.selection.advancing).toBe(false);
});

test("a recommended move is prepared as it says", () => {
  const { selection } = at(position({ advance: effect() }));
  selection.prepare("2Ac4");
  expect(selection.ghost && toMove(selection.ghost)).toBe("2Ac4");
  selection.prepare("A");
  expect([selection.ghost, selection.advancing]).toEqual([null, true]);
});
