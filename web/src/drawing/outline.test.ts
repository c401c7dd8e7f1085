import { expect, test } from "vitest";
import { buttonCells, moveToCorner, outline } from "./outline";

test("one space is a square", () => {
  expect(outline([0], 10)).toBe("M10 0L10 10L0 10L0 0z");
});

test("an L has six corners, inset on the inner side", () => {
  const path = outline([0, 1, 9], 10, 1);
  expect(path.match(/[ML]/g)).toHaveLength(6);
  expect(path).toContain("L9 9");
});

test("a hole is a separate loop, and so is a part that touches only at a corner", () => {
  expect(outline([0, 1, 2, 9, 11, 18, 19, 20], 10).match(/z/g)).toHaveLength(2);
  expect(outline([0, 10], 10).match(/z/g)).toHaveLength(2);
});

test("spaces are moved into the corner, with their old place", () => {
  expect(moveToCorner([40, 41, 49])).toEqual({ cells: [0, 1, 9], row: 4, column: 4 });
});

test("buttons are on the spaces with the most neighbours", () => {
  expect(buttonCells([1, 9, 10, 11, 19], 2)).toEqual([10, 1]);
});
