import { expect, test } from "vitest";
import {
  addressOf,
  gameLine,
  into,
  lastPly,
  movesTo,
  outOf,
  placeAt,
  placeOf,
  variationsAt,
  type Line,
  type Place,
} from "./lines";

const plain = { annotations: [], comment: "" };

/** Four moves; the third has an empty variation and two others, the second of them a nested one. */
const game = gameLine({
  comment: "",
  moves: [
    [0, "A"],
    [1, "A"],
    [0, "3Aa1"],
    [1, "A"],
  ],
  notes: [
    {
      ...plain,
      move: 3,
      variations: [
        { comment: "nothing", moves: [], notes: [] },
        { comment: "", moves: [[0, "A"]], notes: [] },
        {
          comment: "",
          moves: [
            [0, "13Ba2"],
            [1, "A"],
          ],
          notes: [
            { ...plain, move: 2, variations: [{ comment: "", moves: [[1, "3Aa1"]], notes: [] }] },
          ],
        },
      ],
    },
  ],
});
const [, advance, buy] = game.notes.get(3)?.variations as [Line, Line, Line];
const nested = buy.notes.get(4)?.variations[0] as Line;

test("moves of variations are numbered from the start of the game", () => {
  expect([game, advance, buy, nested].map((line) => [line.first, lastPly(line)])).toEqual([
    [1, 4],
    [3, 3],
    [3, 4],
    [4, 4],
  ]);
  expect(movesTo({ line: nested, ply: 4 }).map(([, move]) => move)).toEqual([
    "A",
    "A",
    "13Ba2",
    "3Aa1",
  ]);
});

test("before its first move a variation is the line that it belongs to", () => {
  expect(placeAt(nested, 3)).toEqual({ line: buy, ply: 3 });
  expect(placeAt(nested, 2)).toEqual({ line: game, ply: 2 });
  expect(placeAt(game, -1).ply).toBe(0);
  expect(placeAt(game, 99).ply).toBe(4);
});

test("variations are entered and left, and those without moves are passed over", () => {
  expect(variationsAt({ line: game, ply: 3 })).toEqual([advance, buy]);
  expect(into({ line: game, ply: 2 })).toBeNull();
  expect(into({ line: game, ply: 3 })).toEqual({ line: advance, ply: 3 });
  expect(into({ line: advance, ply: 3 })).toEqual({ line: buy, ply: 3 });
  expect(into({ line: buy, ply: 3 })).toBeNull();
  expect(into({ line: buy, ply: 4 })).toEqual({ line: nested, ply: 4 });
  expect(outOf({ line: nested, ply: 4 })).toEqual({ line: buy, ply: 4 });
  expect(outOf({ line: buy, ply: 4 })).toEqual({ line: game, ply: 3 });
  expect(outOf({ line: buy, ply: 3 })).toEqual({ line: advance, ply: 3 });
  expect(outOf({ line: game, ply: 3 })).toBeNull();
});

test("every place has an address, and a wrong address leads to the nearest place", () => {
  const places: [string, Place][] = [
    ["0", { line: game, ply: 0 }],
    ["4", { line: game, ply: 4 }],
    ["3.2.3", { line: advance, ply: 3 }],
    ["3.3.4", { line: buy, ply: 4 }],
    ["3.3.4.1.4", { line: nested, ply: 4 }],
  ];
  for (const [address, place] of places) {
    expect(addressOf(place)).toBe(address);
    expect(placeOf(address, game)).toEqual(place);
  }
  for (const [address, nearest] of Object.entries({
    "": "0",
    "-3": "0",
    nonsense: "0",
    "1e3": "1",
    "99": "4",
    "99999999999999999999": "4",
    "3.": "3",
    "3.1.3": "3",
    "3.9.3": "3",
    "3.3.99": "3.3.4",
    "3.3.0": "3.3.3",
    "3.3": "3",
    "3.3.4.7.4": "3.3.4",
  })) {
    expect(addressOf(placeOf(address, game)), address).toBe(nearest);
  }
});
