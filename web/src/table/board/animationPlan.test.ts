import { expect, test } from "vitest";
import type { PlayerView, PositionView } from "../../generated/wire";
import { flights } from "./animationPlan";

const START: PlayerView = { buttons: 5, income: 0, time: 0, score: -157, layout: [] };

function position(first: Partial<PlayerView>): PositionView {
  const players = [{ ...START, ...first }, START];
  return { players } as unknown as PositionView;
}

function move(data: string, before: Partial<PlayerView>, after: Partial<PlayerView>) {
  const event = { kind: "move", seat: 0, data } as const;
  return flights({ event, before: position(before), after: position(after) });
}

test("buttons for an advance come from the time board", () => {
  expect(move("A", { buttons: 5 }, { buttons: 9, time: 4 })).toEqual({
    buttons: [{ from: "token-0", to: "buttons-0", count: 4 }],
    patch: null,
  });
});

test("a patch is paid for, flies to the quilt and brings income", () => {
  const sewn: PlayerView["layout"] = [[6, [3, 4, 5, 6]]]; // costs 3
  expect(move("6Ad1", { buttons: 5 }, { buttons: 7, layout: sewn })).toEqual({
    buttons: [
      { from: "buttons-0", to: "neutral", count: 3 },
      { from: "token-0", to: "buttons-0", count: 5 },
    ],
    patch: { from: ["ghost", "patch-6"], to: "sewn-0-3" },
  });
});

test("leather comes from the time board and costs nothing", () => {
  expect(move("Lc1", {}, { layout: [[null, [2]]] })).toEqual({
    buttons: [],
    patch: { from: ["ghost", "token-0"], to: "sewn-0-2" },
  });
});

test("nothing flies when a move is taken back, or without a position before it", () => {
  const event = { kind: "takeback", seat: 0, data: "0" } as const;
  const after = position({ buttons: 9 });
  expect(flights({ event, before: position({}), after })).toBeNull();
  expect(flights({ event: { ...event, kind: "move" }, before: null, after })).toBeNull();
});
