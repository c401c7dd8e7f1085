import {
  lastSocket,
  offer,
  position,
  sentMessages,
  state,
  status,
  stubBrowser,
} from "../../testing/fixtures";
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OnlineGame } from "../../game/onlineGame.svelte";
import { pickUp, snapTo } from "../../game/placement";
import type { PositionView, Status } from "../../generated/wire";
import { preferences } from "../../settings/preferences.svelte";
import { Premove } from "./premove.svelte";

let leave = () => {};
let seq = 1;
const WAITING = position({ turn: 1, advance: null, offers: [] });
const GHOST = snapTo(pickUp(offer(2, ["###"])), 0.5, 1.5);

/** Opens a game in which it is Bob's turn, with a premove of Ann, who is seat 0. */
function waiting(): { game: OnlineGame; premove: Premove } {
  const game = new OnlineGame("game");
  lastSocket().receive(state({ position: WAITING, moves: [[0, "A"]] }));
  let premove: Premove | undefined;
  leave = $effect.root(() => {
    premove = new Premove(game);
  });
  flushSync();
  return { game, premove: premove as Premove };
}

function happen(
  kind: string,
  seat: number,
  data: string,
  now: PositionView | null,
  changes: Partial<Status> = {},
): void {
  seq += 1;
  const event = { seq, kind, seat, at: 0, data };
  lastSocket().receive({ t: "event", event, status: status({ seq, ...changes }), position: now });
  flushSync();
}

function sent(): unknown[] {
  return sentMessages("move").map(({ move }) => move);
}

beforeEach(() => {
  stubBrowser();
  preferences.confirm = true;
  seq = 1;
});
afterEach(() => leave());

test("a prepared purchase is played once, at the user's next decision", async () => {
  const { premove } = waiting();
  expect(premove.preparePatch(GHOST)).toBe(true);
  expect([premove.prepared?.move, sent()]).toEqual(["2Aa1", []]);
  happen("move", 1, "A", WAITING); // Bob decides again
  expect([premove.prepared?.move, sent()]).toEqual(["2Aa1", []]);
  happen("move", 1, "A", position());
  await vi.waitFor(() => expect(sent()).toEqual(["2Aa1"])); // moves are shown one by one
  expect([premove.prepared, premove.cancelled]).toEqual([null, null]);
  happen("move", 0, "2Aa1", position());
  expect(sent()).toEqual(["2Aa1"]);
});

test("a prepared advance is confirmed by choosing it again, and then played", () => {
  const { premove } = waiting();
  premove.advance();
  expect([premove.advancing, premove.prepared]).toEqual([true, null]);
  premove.cancel();
  expect(premove.advancing).toBe(false);
  premove.advance();
  premove.advance();
  expect([premove.advancing, premove.prepared?.move]).toEqual([false, "A"]);
  happen("move", 1, "A", position());
  expect(sent()).toEqual(["A"]);
});

test("an advance that is only shown is not played", () => {
  const { premove } = waiting();
  premove.begin();
  happen("move", 1, "A", position());
  expect([premove.advancing, sent()]).toEqual([false, []]);
});

test("without confirmation, an advance is prepared at once", () => {
  preferences.confirm = false;
  const { premove } = waiting();
  premove.advance();
  expect(premove.prepared?.move).toBe("A");
});

const leather_choice = { places: "1".repeat(81), tile: null, next: 0 as const };
test.each<[string, PositionView]>([
  ["taken", position({ circle: [1, 3, 4] })],
  ["not-on-offer", position({ circle: [1, 3, 4, 2], offers: [offer(1, ["#"])] })],
  ["cannot-afford", position({ offers: [offer(2, ["###"], { refused: "cannot-afford" })] })],
  ["overlaps", position({ offers: [offer(2, ["###"], { refused: "overlaps", orientations: [] })] })],
  [
    "overlaps",
    position({
      offers: [offer(2, ["###"]), offer(1, ["#"])].map((each) => ({
        ...each,
        orientations: each.orientations.map((way) => ({ ...way, places: "0".repeat(81) })),
      })),
    }),
  ],
  [
    "leather",
    position({ phase: "leather", advance: null, offers: [], leather_choice }),
  ],
])("a purchase that no longer fits is cancelled: %s", (why, now) => {
  const { premove } = waiting();
  premove.preparePatch(GHOST);
  happen("move", 1, "A", now);
  expect([premove.prepared, premove.cancelled?.why, sent()]).toEqual([null, why, []]);
});

test("a patch that is taken cancels the move at once, in the other player's turn", () => {
  const { premove } = waiting();
  premove.preparePatch(GHOST);
  happen("move", 1, "2Aa1", { ...WAITING, circle: [1, 3, 4] });
  expect(premove.cancelled?.why).toBe("taken");
});

test("nothing is played while a takeback is asked for, and it is after a refusal", () => {
  const { premove } = waiting();
  premove.advance();
  premove.advance();
  happen("ask", 1, "", null, { asking: 1 });
  happen("move", 1, "A", position(), { asking: 1 });
  expect([premove.prepared?.move, sent()]).toEqual(["A", []]);
  happen("decline", 0, "", null);
  expect([premove.prepared, sent()]).toEqual([null, ["A"]]);
});

test("a takeback cancels the prepared move", () => {
  const { premove } = waiting();
  premove.advance();
  premove.advance();
  happen("takeback", 1, "0", position());
  expect([premove.cancelled?.why, sent()]).toEqual(["takeback", []]);
});

test("after a reconnection the move is played if the game went on as meant", () => {
  const { premove } = waiting();
  premove.preparePatch(GHOST);
  const moves: [number, string][] = [
    [0, "A"],
    [1, "A"],
  ];
  lastSocket().receive(state({ moves, status: status({ seq: 9 }) }));
  flushSync();
  expect([premove.prepared, sent()]).toEqual([null, ["2Aa1"]]);
});

test.each<[string, [number, string][]]>([
  ["takeback", [[1, "A"]]],
  ["takeback", []],
  ["moved", [[0, "A"], [1, "A"], [0, "A"], [1, "A"]]],
])("after a reconnection to another course of the game it is cancelled: %s", (why, moves) => {
  const { premove } = waiting();
  premove.preparePatch(GHOST);
  lastSocket().receive(state({ moves, status: status({ seq: 9 }) }));
  flushSync();
  expect([premove.prepared, premove.cancelled?.why, sent()]).toEqual([null, why, []]);
});

test("there is one prepared move at a time, which can be cancelled", () => {
  const { premove } = waiting();
  premove.preparePatch(GHOST);
  premove.advance();
  premove.advance();
  expect(premove.prepared?.move).toBe("A");
  premove.cancel();
  happen("move", 1, "A", position());
  expect(sent()).toEqual([]);
});

test("in one's own turn, on one screen and as a spectator there is nothing to prepare", () => {
  for (const changes of [{}, { you: [0, 1], position: WAITING }, { you: [], position: WAITING }]) {
    const game = new OnlineGame("game");
    lastSocket().receive(state(changes));
    leave = $effect.root(() => {
      const premove = new Premove(game);
      flushSync();
      premove.advance();
      premove.advance();
      expect([premove.enabled, premove.preparePatch(GHOST), premove.prepared]).toEqual([
        false,
        false,
        null,
      ]);
    });
    leave();
  }
});

test("the end of the game leaves nothing prepared", () => {
  const { premove } = waiting();
  premove.advance();
  premove.advance();
  const ending = { reason: "resigned" as const, winner: 0 as const, scores: null, tie_break: false };
  happen("resign", 1, "", position({ advance: null, offers: [] }), { ending });
  expect([premove.prepared, sent()]).toEqual([null, []]);
});
