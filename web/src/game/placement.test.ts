import { expect, test } from "vitest";
import {
  boxContains,
  coveredCells,
  fits,
  flip,
  parseCell,
  pickUp,
  pickUpLeather,
  placeAs,
  reachableCells,
  rotate,
  SIDE,
  snapTo,
  step,
  toMove,
  winsTile,
  type Direction,
  type Ghost,
} from "./placement";
import type { Offer } from "../generated/wire";

/** Returns a set of spaces as the server sends it. */
function spaces(...names: string[]): string {
  const marks = Array<string>(SIDE * SIDE).fill("0");
  for (const name of names) marks[parseCell(name)] = "1";
  return marks.join("");
}

/** An offer of patch 1, an L of three spaces. */
function offer(...orientations: [string, string[], string, string | null][]): Offer {
  const effect = { space: 3, income: 0, buttons: 4, leather: false, next: 1, score: -150 };
  return {
    patch: 1,
    refused: null,
    effect,
    orientations: orientations.map(([letter, rows, places, tile]) => {
      return { letter, rows, places, tile };
    }),
  };
}

const FREE = offer(
  ["A", ["##", "#."], spaces("a1", "e5", "h8"), spaces("e5")],
  ["B", ["##", ".#"], spaces("c3"), null],
);

test("a patch is picked up as it is drawn, near the middle", () => {
  const ghost = pickUp(FREE);
  expect(toMove(ghost)).toBe("1Ae5");
  expect(coveredCells(ghost)).toEqual([40, 41, 49]);
  expect(winsTile(ghost)).toBe(true);
});

test("a patch that does not fit as drawn is picked up in another orientation", () => {
  expect(toMove(pickUp(offer(["B", ["##", ".#"], spaces("c3"), null])))).toBe("1Bc3");
});

test("the ghost snaps to the nearest legal place", () => {
  expect(toMove(snapTo(pickUp(FREE), 0, 0))).toBe("1Aa1");
  expect(toMove(snapTo(pickUp(FREE), 8, 9))).toBe("1Ah8");
  expect(winsTile(snapTo(pickUp(FREE), 0, 0))).toBe(false);
});

test("rotating finds the letter of the orientation; one that fits nowhere is no move", () => {
  const rotated = rotate(pickUp(FREE));
  expect(rotated.rows).toEqual(["##", ".#"]);
  expect(toMove(rotated)).toBe("1Bc3");
  const again = rotate(rotated);
  expect(again.rows).toEqual([".#", "##"]);
  expect(fits(again)).toBe(false);
  expect(toMove(again)).toBeNull();
  expect(toMove(rotate(rotate(again)))).toBe("1Aa1");
});

test("four rotations or two flips change nothing", () => {
  const ghost = pickUp(offer(["A", ["##", "#."], "1".repeat(81), null]));
  expect(rotate(rotate(rotate(rotate(ghost)))).rows).toEqual(ghost.rows);
  expect(flip(ghost).rows).toEqual(["##", ".#"]);
  expect(flip(flip(ghost)).rows).toEqual(ghost.rows);
});

test("arrow keys stay on legal places and can reach all of them", () => {
  const places = spaces("a1", "e1", "c2", "i5", "b5", "a8", "h8");
  const start = pickUp(offer(["A", ["##", "#."], places, null]));
  const seen = new Map<string | null, Ghost>([[toMove(start), start]]);
  for (const ghost of seen.values()) {
    for (const direction of ["up", "down", "left", "right"] as Direction[]) {
      const next = step(ghost, direction);
      if (!seen.has(toMove(next))) seen.set(toMove(next), next);
    }
  }
  expect([...seen.keys()].sort()).toEqual(["1Aa1", "1Aa8", "1Ab5", "1Ac2", "1Ae1", "1Ah8", "1Ai5"]);
});

/** Returns where an arrow key leads from a place, if only these places are legal. */
function stepped(direction: Direction, from: string, ...others: string[]): string | null {
  const start = pickUp(offer(["A", ["##", "#."], spaces(from, ...others), null]));
  return toMove(step(placeAs(start, `1A${from}`), direction));
}

test("an arrow key goes straight ahead, however far that is", () => {
  expect(stepped("up", "b8", "b2", "c7", "a7")).toBe("1Ab2");
  expect(stepped("right", "a4", "h4", "b3")).toBe("1Ah4");
});

test("with nothing straight ahead, an arrow key goes as little aside as possible", () => {
  expect(stepped("up", "b8", "c4", "d6")).toBe("1Ac4");
  expect(stepped("left", "h5", "e7", "a8", "c4")).toBe("1Ac4");
});

test("an arrow key never leads farther aside than ahead", () => {
  expect(stepped("up", "a8", "f7", "i1")).toBe("1Aa8");
  expect(stepped("down", "a1", "d3")).toBe("1Aa1");
  expect(stepped("down", "a1", "c3")).toBe("1Ac3");
});

test("an arrow key without a place ahead changes nothing", () => {
  const ghost = snapTo(pickUp(FREE), 0, 0);
  expect(step(ghost, "up")).toBe(ghost);
});

test("a notch is inside the bounding box, too", () => {
  const ghost = placeAs(pickUp(FREE), "1Aa1");
  expect([boxContains(ghost, 0.1, 0.1), boxContains(ghost, 1.5, 1.5)]).toEqual([true, true]);
  for (const [y, x] of [[2.1, 0.5], [0.5, 2.1], [-0.1, 0]] as const) {
    expect(boxContains(ghost, y, x)).toBe(false);
  }
});

test("leather is one space", () => {
  const ghost = pickUpLeather({ places: spaces("c4", "d4"), tile: spaces("d4"), next: 0 });
  expect(toMove(snapTo(ghost, 3.5, 2.5))).toBe("Lc4");
  expect(winsTile(snapTo(ghost, 3.5, 3.6))).toBe(true);
});

test("a recommended move is placed as it says", () => {
  expect(toMove(placeAs(pickUp(FREE), "1Bc3"))).toBe("1Bc3");
  expect(toMove(placeAs(pickUp(FREE), "A"))).toBe("1Ae5");
});

test("the reachable spaces are all that could be covered", () => {
  const reachable = [...reachableCells(pickUp(FREE))].sort((a, b) => a - b);
  expect(reachable).toEqual([0, 1, 9, 40, 41, 49, 70, 71, 79]);
});
