import { browser, effect, last, offer, position, said, state, status } from "../../testing/fixtures";
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Game } from "../../game/onlineGame.svelte";
import { moveOf } from "../../game/placement";
import { preferences } from "../../settings/preferences.svelte";
import type { PositionView } from "../../generated/wire";
import { Choosing } from "./moveSelection.svelte";

let leave = () => {};

/** Somebody at a table who is to decide. */
function at(now: PositionView = position()): { game: Game; choosing: Choosing } {
  const game = new Game("game");
  last().hear(state({ position: now }));
  let choosing: Choosing | undefined;
  leave = $effect.root(() => {
    choosing = new Choosing(game);
  });
  flushSync();
  return { game, choosing: choosing as Choosing };
}

function first({ game }: { game: Game }) {
  return game.position?.offers[0] ?? offer(1, ["#"]);
}

beforeEach(() => {
  browser();
  preferences.confirm = true;
});
afterEach(() => leave());

test("a patch is taken, tried, put back, and sewn on when that is confirmed", () => {
  const table = at();
  const { choosing } = table;
  expect(choosing.choose(first(table))).toBe(true);
  expect([choosing.chosen, choosing.effect?.space]).toEqual([1, 3]);
  choosing.cancel();
  expect([choosing.chosen, choosing.effect]).toEqual([null, null]);
  choosing.confirm();
  expect(said("move")).toEqual([]);
  choosing.choose(first(table));
  choosing.aim(1, 1);
  choosing.drop();
  expect([choosing.put, said("move").length]).toEqual([true, 0]);
  choosing.confirm();
  expect(said("move")[0]?.["move"]).toBe("1Aa1");
});

test("without confirming it is sewn on where it is put", () => {
  preferences.confirm = false;
  const table = at();
  table.choosing.choose(first(table));
  table.choosing.aim(1, 1);
  table.choosing.drop();
  expect(said("move")[0]?.["move"]).toBe("1Aa1");
});

test("what does not fit this way is not played", () => {
  const table = at();
  table.choosing.choose(first(table));
  table.choosing.turn();
  expect(table.choosing.fits).toBe(false);
  table.choosing.confirm();
  expect(said("move")).toEqual([]);
  table.choosing.turn();
  table.choosing.turn();
  table.choosing.turn();
  expect(table.choosing.fits).toBe(true);
});

test("a patch that cannot be taken says why, until another one is", () => {
  const { game, choosing } = at();
  const [good, , dear] = game.position?.offers ?? [];
  expect(choosing.choose(dear ?? offer(3, ["#"]))).toBe(false);
  expect([choosing.denied, choosing.chosen]).toEqual(["cannot-afford", null]);
  choosing.choose(good ?? offer(1, ["#"]));
  expect(choosing.denied).toBeNull();
});

test("the next patch appears where the last one was held", () => {
  const table = at();
  table.choosing.choose(first(table));
  table.choosing.aim(8, 8);
  const [, second] = table.game.position?.offers ?? [];
  table.choosing.choose(second ?? offer(2, ["#"]));
  expect(table.choosing.ghost).toMatchObject({ patch: 2, row: 7, column: 6 });
});

test("advancing is confirmed by asking for it again, if at all", () => {
  const { choosing } = at();
  choosing.advance();
  expect([choosing.advancing, choosing.fits, choosing.effect?.space]).toEqual([true, true, 1]);
  expect(said("move")).toEqual([]);
  choosing.advance();
  expect(said("move")[0]?.["move"]).toBe("A");
  leave();
  preferences.confirm = false;
  at().choosing.advance();
  expect(said("move")[0]?.["move"]).toBe("A");
});

test("nothing is decided twice: while a move is on its way, the hand is closed", () => {
  const table = at();
  table.choosing.advance();
  table.choosing.advance();
  expect(table.choosing.open).toBe(false);
  expect(table.choosing.choose(first(table))).toBe(false);
  table.choosing.advance();
  table.choosing.confirm();
  expect(said("move")).toHaveLength(1);
});

test("whatever happens at the table empties the hand", () => {
  const table = at();
  table.choosing.choose(first(table));
  const event = { seq: 2, kind: "move", seat: 1, at: 0, data: "A" };
  last().hear({ t: "event", event, status: status({ seq: 2 }), position: position() });
  flushSync();
  expect(table.choosing.ghost).toBeNull();
});

test("but a question of the other player does not", () => {
  const table = at();
  table.choosing.choose(first(table));
  const event = { seq: 2, kind: "ask", seat: 1, at: 0, data: "" };
  last().hear({ t: "event", event, status: status({ seq: 2, asking: 1 }), position: null });
  flushSync();
  expect(table.choosing.chosen).toBe(1);
});

test("leather is in the hand by itself, cannot be put back, and is sewn on with one tap", () => {
  const leather_choice = { places: "1".repeat(81), tile: null, next: 0 };
  const table = at(position({ phase: "leather", advance: null, offers: [], leather_choice }));
  const { choosing } = table;
  expect([choosing.leather, choosing.chosen]).toEqual([true, null]);
  choosing.cancel();
  choosing.advance();
  expect([choosing.leather, choosing.advancing]).toEqual([true, false]);
  choosing.aim(0.5, 2.5);
  choosing.drop();
  expect(said("move")[0]?.["move"]).toBe("Lc1");
});

test("on the turn of the other one there is nothing to choose", () => {
  const leather_choice = { places: "1".repeat(81), tile: null, next: 0 };
  const table = at(position({ turn: 1, leather_choice }));
  expect([table.choosing.open, table.choosing.ghost]).toEqual([false, null]);
  expect(table.choosing.choose(first(table))).toBe(false);
  table.choosing.advance();
  expect(table.choosing.advancing).toBe(false);
});

test("a hint is prepared as it says", () => {
  const { choosing } = at(position({ advance: effect() }));
  choosing.show("2Ac4");
  expect(choosing.ghost && moveOf(choosing.ghost)).toBe("2Ac4");
  choosing.show("A");
  expect([choosing.ghost, choosing.advancing]).toEqual([null, true]);
});
