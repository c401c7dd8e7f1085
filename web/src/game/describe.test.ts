import { browser, last, player, position, state, status } from "../testing/fixtures";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { Game } from "./onlineGame.svelte";
import { speak } from "../i18n/language.svelte";
import type { Kind, State, Status } from "../generated/wire";
import {
  describe,
  emptySpaces,
  nameOf,
  PICTURE,
  tell,
  tellMove,
  verdict,
  whoseTurn,
} from "./describe";

function at(told: Partial<State> = {}): Game {
  const game = new Game("game");
  last().hear(state(told));
  return game;
}

function event(kind: Kind, data = "") {
  return { seq: 2, kind, seat: 0, at: 0, data };
}

beforeAll(() => speak("en"));
beforeEach(browser);

test("a seat has the name its reader would call it", () => {
  const nobody = { name: "", taken: true, computer: false };
  expect(nameOf(at(), 1)).toBe("Bob");
  const nameless = status({ seats: [nobody, nobody] });
  expect(nameOf(at({ status: nameless }), 0)).toBe("You");
  expect(nameOf(at({ status: nameless }), 1)).toBe("Guest");
  expect(nameOf(at({ status: nameless, you: [] }), 1)).toBe("Player 2");
  const computer = status({ seats: [nobody, { ...nobody, computer: true }] });
  const table = { ...state().table, level: 3 };
  expect(nameOf(at({ status: computer, table }), 1)).toContain("3");
});

test("the computer whose turn it is is not called by its level", () => {
  const people = at({ position: position({ turn: 1 }) });
  expect(whoseTurn(people)).toMatch(/^Bob’s turn/);
  const nobody = { name: "", taken: true, computer: false };
  const seats: Status["seats"] = [nobody, { ...nobody, computer: true }];
  const computer = at({ position: position({ turn: 1 }), status: status({ seats }) });
  expect(whoseTurn(computer)).toMatch(/^The computer’s turn/);
});

test("empty spaces are those that nothing is sewn on", () => {
  expect(emptySpaces(player())).toBe(81);
  expect(emptySpaces(player({ layout: [[1, [0, 1, 9]], [null, [80]]] }))).toBe(77);
});

test("an advance is told with its spaces, and income apart from it", () => {
  const before = position({ players: [player(), player({ time: 4 })] });
  const after = position({ players: [player({ time: 5, buttons: 12 }), player({ time: 4 })] });
  expect(tell(at(), { event: event("move", "A"), before, after })).toBe(
    "Ann: advanced 5 spaces for 5 buttons, +2 from income",
  );
});

test("a patch is told with its price, and with all that came of it", () => {
  const before = position();
  const bought = player({ time: 20, buttons: 6, layout: [[1, [0, 1, 9]]] });
  const after = position({ players: [bought, player()], tile: 0, leather: [26] });
  const said = tell(at(), { event: event("move", "1Aa1"), before, after });
  expect(said).toMatch(/^Ann: bought patch 1 \(buttons: \d+, time: 20\), \+\d+ from income, /);
  expect(said).toContain("got the special tile, took a special patch");
});

test("leather is told by its space; what is not known is told as it was written", () => {
  const leather = { event: event("move", "Lc4"), before: position(), after: position() };
  expect(tell(at(), leather)).toBe("Ann: special patch at c4");
  const unknown = { event: event("move", "17Bc4"), before: null, after: position() };
  expect(tell(at(), unknown)).toBe("Ann: patch 17 at c4");
});

test("moves have words of their own in the list", () => {
  const moves = ["A", "Li9", "17Bc4"];
  expect(moves.map((move) => describe(move))).toEqual([
    "advance",
    "special patch at i9",
    "patch 17 at c4",
  ]);
  expect(moves.map((move) => describe(move, true))).toEqual(["advance", PICTURE, PICTURE]);
});

test("who sees has pictures in place of numbers and spaces", () => {
  for (const move of ["1Aa1", "Lc4"]) {
    const played = { event: event("move", move), before: position(), after: position() };
    expect(tellMove(played, true)).toMatch(new RegExp(`^${PICTURE}`));
    expect(tellMove(played)).not.toContain(PICTURE);
  }
});

test("the end is told with its winner and the reason, if that is not plain", () => {
  const names = ["Ann", "Bob"];
  const ending = { reason: "played out", winner: 1, scores: null, tie_break: false } as const;
  expect(verdict(ending, names, [0])).toEqual({ headline: "Bob wins!", why: "" });
  expect(verdict(ending, names, [1]).headline).toBe("You win!");
  expect(verdict(ending, names, [0, 1]).headline).toBe("Bob wins!");
  expect(verdict(ending, names, [0], 1).headline).toBe("The computer wins!");
  expect(verdict(ending, names, [1], 0).headline).toBe("You win!");
  expect(verdict({ ...ending, tie_break: true }, names, [0]).why).toContain("Bob");
  expect(verdict({ ...ending, reason: "time" }, names, [0]).why).toBe("Time ran out.");
  const aborted = verdict({ ...ending, reason: "aborted", winner: null }, names, [0]);
  expect(aborted).toEqual({ headline: "The game was cancelled.", why: "" });
});

test("what else happens is told, but not what is seen anyway, nor one's own wishes", () => {
  const other = at({ you: [1] });
  const own = at();
  const words = (game: Game, kind: Kind) =>
    tell(game, { event: event(kind), before: null, after: null });
  for (const kind of ["join", "ask", "decline", "rematch"] as const) {
    expect(words(other, kind)).toContain("Ann");
    expect(words(own, kind)).toBe("");
  }
  expect(words(own, "takeback")).toContain("Ann");
  for (const kind of ["begin", "resign", "flag", "claim", "abort", "next"] as const) {
    expect(words(other, kind)).toBe("");
  }
});
