import { lastSocket, player, position, state, status, stubBrowser } from "../testing/fixtures";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { OnlineGame } from "./onlineGame.svelte";
import { setLanguage } from "../i18n/language.svelte";
import type { Kind, State, Status } from "../generated/wire";
import { emptySpaces } from "./scoring";
import {
  eventText,
  moveEffectText,
  moveText,
  PATCH_PLACEHOLDER,
  resultText,
  seatName,
  turnText,
} from "./describe";

function at(changes: Partial<State> = {}): OnlineGame {
  const game = new OnlineGame("game");
  lastSocket().receive(state(changes));
  return game;
}

function event(kind: Kind, data = "") {
  return { seq: 2, kind, seat: 0, at: 0, data };
}

beforeAll(() => setLanguage("en"));
beforeEach(stubBrowser);

test("a seat is named from the user's point of view", () => {
  const nameless = { name: "", taken: true, computer: false };
  expect(seatName(at(), 1)).toBe("Bob");
  const people = status({ seats: [nameless, nameless] });
  expect(seatName(at({ status: people }), 0)).toBe("You");
  expect(seatName(at({ status: people }), 1)).toBe("Player 2");
  expect(seatName(at({ status: people, you: [] }), 1)).toBe("Player 2");
  const computer = status({ seats: [nameless, { ...nameless, computer: true }] });
  const table = { ...state().table, level: 3 };
  expect(seatName(at({ status: computer, table }), 1)).toContain("3");
});

test("the turn text names the computer without its level", () => {
  const people = at({ position: position({ turn: 1 }) });
  expect(turnText(people)).toMatch(/^Bob’s turn/);
  const nameless = { name: "", taken: true, computer: false };
  const seats: Status["seats"] = [nameless, { ...nameless, computer: true }];
  const computer = at({ position: position({ turn: 1 }), status: status({ seats }) });
  expect(turnText(computer)).toMatch(/^The computer’s turn/);
});

test("empty spaces are those without a patch", () => {
  expect(emptySpaces(player())).toBe(81);
  expect(emptySpaces(player({ layout: [[1, [0, 1, 9]], [null, [80]]] }))).toBe(77);
});

test("the text of an advance names the spaces, and the income separately", () => {
  const before = position({ players: [player(), player({ time: 4 })] });
  const after = position({ players: [player({ time: 5, buttons: 12 }), player({ time: 4 })] });
  expect(eventText(at(), { event: event("move", "A"), before, after, asker: null })).toBe(
    "Ann: advanced 5 spaces (+5 buttons), +2 from income",
  );
});

test("the text of a purchase names the price and all effects", () => {
  const before = position();
  const bought = player({ time: 20, buttons: 6, layout: [[1, [0, 1, 9]]] });
  const after = position({ players: [bought, player()], tile: 0, leather: [26] });
  const text = eventText(at(), { event: event("move", "1Aa1"), before, after, asker: null });
  expect(text).toMatch(/^Ann: bought patch 1 \(buttons: \d+, time: 20\), \+\d+ from income, /);
  expect(text).toContain("got the special tile, took a special patch");
});

test("the text of leather names the space; without positions it names only the move", () => {
  const leather = { event: event("move", "Lc4"), before: position(), after: position(), asker: null };
  expect(eventText(at(), leather)).toBe("Ann: special patch at c4");
  const unknown = { event: event("move", "17Bc4"), before: null, after: position(), asker: null };
  expect(eventText(at(), unknown)).toBe("Ann: patch 17 at c4");
});

test("the list of moves has shorter texts", () => {
  const moves = ["A", "Li9", "17Bc4"];
  expect(moves.map((move) => moveText(move))).toEqual([
    "advance",
    "special patch at i9",
    "patch 17 at c4",
  ]);
  expect(moves.map((move) => moveText(move, true))).toEqual([
    "advance",
    PATCH_PLACEHOLDER,
    PATCH_PLACEHOLDER,
  ]);
});

test("pictured texts have a placeholder instead of numbers and spaces", () => {
  for (const move of ["1Aa1", "Lc4"]) {
    const played = { event: event("move", move), before: position(), after: position(), asker: null };
    expect(moveEffectText(played, true)).toMatch(new RegExp(`^${PATCH_PLACEHOLDER}`));
    expect(moveEffectText(played)).not.toContain(PATCH_PLACEHOLDER);
  }
});

test("the result names the winner, and the reason if it is not obvious", () => {
  const names = ["Ann", "Bob"];
  const ending = { reason: "played out", winner: 1, scores: null, tie_break: false } as const;
  expect(resultText(ending, names, [0])).toEqual({ headline: "Bob wins!", why: "" });
  expect(resultText(ending, names, [1]).headline).toBe("You win!");
  expect(resultText(ending, names, [0, 1]).headline).toBe("Bob wins!");
  expect(resultText(ending, names, [0], 1).headline).toBe("The computer wins!");
  expect(resultText(ending, names, [1], 0).headline).toBe("You win!");
  expect(resultText({ ...ending, tie_break: true }, names, [0]).why).toContain("Bob");
  const onTime = { ...ending, reason: "time" } as const;
  const uncounted = "The game wasn’t played to the end, so the points don’t count.";
  expect(resultText(onTime, names, [0]).why).toBe(`You ran out of time. ${uncounted}`);
  expect(resultText(onTime, names, [1]).why).toBe(`Ann ran out of time. ${uncounted}`);
  expect(resultText(onTime, names, []).why).toBe(`Ann ran out of time. ${uncounted}`);
  const aborted = resultText({ ...ending, reason: "aborted", winner: null }, names, [0]);
  expect(aborted).toEqual({ headline: "The game was cancelled.", why: "" });
});

test("other events have a text unless the screen shows them or the user caused them", () => {
  const other = at({ you: [1] });
  const own = at();
  const words = (game: OnlineGame, kind: Kind) =>
    eventText(game, { event: event(kind), before: null, after: null, asker: null });
  for (const kind of ["join", "ask", "decline", "rematch"] as const) {
    expect(words(other, kind)).toContain("Ann");
    expect(words(own, kind)).toBe("");
  }
  expect(words(own, "takeback")).toContain("Ann");
  for (const kind of ["begin", "resign", "flag", "claim", "abort", "next"] as const) {
    expect(words(other, kind)).toBe("");
  }
});
