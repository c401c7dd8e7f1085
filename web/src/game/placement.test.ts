import { expect, test } from "vitest";
import { aim, cellOf, covered, fits, flip, follow, isOn, moveOf, reach, SIDE } from "./placement";
import { step, take, takeLeather, turn, winsTile } from "./placement";
import type { Direction, Ghost } from "./placement";
import type { Offer } from "../generated/wire";

/** Returns a set of spaces in the words of the server. */
function spaces(...names: string[]): string {
  const marks = Array<string>(SIDE * SIDE).fill("0");
  for (const name of names) marks[cellOf(name)] = "1";
  return marks.join("");
}

/** An offer of patch 1, an L of three spaces. */
function offer(...ways: [string, string[], string, string | null][]): Offer {
  const effect = { space: 3, income: 0, buttons: 4, leather: false, next: 1, score: -150 };
  return {
    patch: 1,
    refused: null,
    effect,
    orientations: ways.map(([letter, rows, places, tile]) => ({ letter, rows, places, tile })),
  };
}

const FREE = offer(
  ["A", ["##", "#."], spaces("a1", "e5", "h8"), spaces("e5")],
  ["B", ["##", ".#"], spaces("c3"), null],
);

test("a patch in the hand lies as it is drawn, near the middle", () => {
  const ghost = take(FREE);
  expect(moveOf(ghost)).toBe("1Ae5");
  expect(covered(ghost)).toEqual([40, 41, 49]);
  expect(winsTile(ghost)).toBe(true);
});

test("a patch that does not fit as drawn is held as it does", () => {
  expect(moveOf(take(offer(["B", ["##", ".#"], spaces("c3"), null])))).toBe("1Bc3");
});

test("the ghost snaps to the nearest place", () => {
  expect(moveOf(aim(take(FREE), 0, 0))).toBe("1Aa1");
  expect(moveOf(aim(take(FREE), 8, 9))).toBe("1Ah8");
  expect(winsTile(aim(take(FREE), 0, 0))).toBe(false);
});

test("turning finds the letter of the shape; a shape that fits nowhere is no move", () => {
  const turned = turn(take(FREE));
  expect(turned.rows).toEqual(["##", ".#"]);
  expect(moveOf(turned)).toBe("1Bc3");
  const again = turn(turned);
  expect(again.rows).toEqual([".#", "##"]);
  expect(fits(again)).toBe(false);
  expect(moveOf(again)).toBeNull();
  expect(moveOf(turn(turn(again)))).toBe("1Aa1");
});

test("four turns and two flips change nothing", () => {
  const ghost = take(offer(["A", ["##", "#."], "1".repeat(81), null]));
  expect(turn(turn(turn(turn(ghost)))).rows).toEqual(ghost.rows);
  expect(flip(ghost).rows).toEqual(["##", ".#"]);
  expect(flip(flip(ghost)).rows).toEqual(ghost.rows);
});

test("arrow keys stay on legal places and reach all of these", () => {
  const places = spaces("a1", "e1", "c2", "i5", "b5", "a8", "h8");
  const start = take(offer(["A", ["##", "#."], places, null]));
  const seen = new Map<string | null, Ghost>([[moveOf(start), start]]);
  for (const ghost of seen.values()) {
    for (const direction of ["up", "down", "left", "right"] as Direction[]) {
      const next = step(ghost, direction);
      if (!seen.has(moveOf(next))) seen.set(moveOf(next), next);
    }
  }
  expect([...seen.keys()].sort()).toEqual(["1Aa1", "1Aa8", "1Ab5", "1Ac2", "1Ae1", "1Ah8", "1Ai5"]);
});

/** Returns where an arrow leads from a place, if these are all there are. */
function stepped(direction: Direction, from: string, ...others: string[]): string | null {
  const start = take(offer(["A", ["##", "#."], spaces(from, ...others), null]));
  return moveOf(step(follow(start, `1A${from}`), direction));
}

test("an arrow goes straight on, however far that is", () => {
  expect(stepped("up", "b8", "b2", "c7", "a7")).toBe("1Ab2");
  expect(stepped("right", "a4", "h4", "b3")).toBe("1Ah4");
});

test("an arrow that finds nothing straight on goes as little aside as can be", () => {
  expect(stepped("up", "b8", "c4", "d6")).toBe("1Ac4");
  expect(stepped("left", "h5", "e7", "a8", "c4")).toBe("1Ac4");
});

test("an arrow never leads farther aside than ahead", () => {
  expect(stepped("up", "a8", "f7", "i1")).toBe("1Aa8");
  expect(stepped("down", "a1", "d3")).toBe("1Aa1");
  expect(stepped("down", "a1", "c3")).toBe("1Ac3");
});

test("a step into nothing changes nothing", () => {
  const ghost = aim(take(FREE), 0, 0);
  expect(step(ghost, "up")).toBe(ghost);
});

test("a point is on a patch also in its notch", () => {
  const ghost = follow(take(FREE), "1Aa1");
  expect([isOn(ghost, 0.1, 0.1), isOn(ghost, 1.5, 1.5)]).toEqual([true, true]);
  expect([isOn(ghost, 2.1, 0.5), isOn(ghost, 0.5, 2.1), isOn(ghost, -0.1, 0)]).not.toContain(true);
});

test("leather is one space", () => {
  const ghost = takeLeather({ places: spaces("c4", "d4"), tile: spaces("d4"), next: 0 });
  expect(moveOf(aim(ghost, 3.5, 2.5))).toBe("Lc4");
  expect(winsTile(aim(ghost, 3.5, 3.6))).toBe(true);
});

test("a recommended move is held as it says", () => {
  expect(moveOf(follow(take(FREE), "1Bc3"))).toBe("1Bc3");
  expect(moveOf(follow(take(FREE), "A"))).toBe("1Ae5");
});

test("the reach is all that could be covered", () => {
  expect([...reach(take(FREE))].sort((a, b) => a - b)).toEqual([0, 1, 9, 40, 41, 49, 70, 71, 79]);
});
