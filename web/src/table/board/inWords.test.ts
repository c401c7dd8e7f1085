import { expect, test } from "vitest";
import { runs } from "./inWords";

test("equal neighbours form a run", () => {
  expect(runs([7, 7, null, undefined, undefined])).toEqual([
    { from: 0, to: 1, value: 7 },
    { from: 2, to: 2, value: null },
    { from: 3, to: 4, value: undefined },
  ]);
  expect(runs(["#", ".", "#"]).map(({ from }) => from)).toEqual([0, 1, 2]);
  expect(runs([])).toEqual([]);
});
