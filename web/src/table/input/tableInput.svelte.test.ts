import {
  lastSocket,
  offer,
  player,
  position,
  sentMessages,
  state,
  status,
  stubBrowser,
} from "../../testing/fixtures";
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OnlineGame } from "../../game/onlineGame.svelte";
import type { Idea, Plan, PositionView, State } from "../../generated/wire";
import { TableInput } from "./tableInput.svelte";

/** What the server is asked, and the answers that a test has prepared for patches. */
let questions: URLSearchParams[] = [];
let refused: Record<number, Idea["refused"]> = {};
let leave = () => {};

function idea(patch: number): Idea {
  return {
    patch,
    refused: refused[patch] ?? null,
    purchases: 0,
    after: [],
    short: 0,
    space: 3,
    buttons: 4,
    income: 0,
    leather: false,
  };
}

/** Answers a question as the server would on an empty quilt. */
async function answer(path: string): Promise<Response> {
  const question = new URLSearchParams(path.split("?")[1]);
  questions.push(question);
  const patch = question.has("patch") ? Number(question.get("patch")) : null;
  const plan: Plan = {
    seq: 1,
    kept: question.getAll("kept").map((move) => idea(parseInt(move))),
    tried: patch === null ? null : idea(patch),
    orientations: patch === null ? [] : offer(patch, ["##"]).orientations,
  };
  return { ok: true, json: async () => plan } as Response;
}

function open(changes: Partial<State> = {}): { game: OnlineGame; input: TableInput } {
  const game = new OnlineGame("game");
  lastSocket().receive(state(changes));
  let input: TableInput | undefined;
  leave = $effect.root(() => {
    input = new TableInput(game);
  });
  flushSync();
  return { game, input: input as TableInput };
}

/** Lets the other player make a move that leads to a position. */
async function follow(now: PositionView, move = "A", seq = 2): Promise<void> {
  const event = { seq, kind: "move", seat: 1, at: 0, data: move };
  lastSocket().receive({ t: "event", event, status: status({ seq }), position: now });
  flushSync();
  await settled();
}

/** Waits until all questions have been answered. */
async function settled(): Promise<void> {
  await vi.waitFor(() => expect(fetch).toHaveBeenCalledTimes(questions.length));
  for (let turns = 0; turns < 10; turns += 1) await Promise.resolve();
  flushSync();
}

async function tried(input: TableInput, patch: number): Promise<void> {
  input.choose(patch);
  await settled();
}

beforeEach(() => {
  stubBrowser();
  questions = [];
  refused = {};
  vi.stubGlobal("fetch", vi.fn(answer));
});
afterEach(() => leave());

test("any patch can be tried in the other player's turn, and is never sent as a move", async () => {
  const { input } = open({ position: position({ turn: 1, offers: [] }) });
  await tried(input, 4);
  expect([input.hand.patch, input.planning.tried?.patch, input.selection.ghost]).toEqual([4, 4, null]);
  input.hand.moveTo(1, 1);
  input.hand.putDown();
  input.selection.confirm();
  expect([input.planning.move, sentMessages("move")]).toEqual(["4Aa1", []]);
  input.cancel();
  expect([input.hand.ghost, input.planning.tried]).toEqual([null, null]);
});

test("in one's own turn what can be bought is taken, and what cannot is tried", async () => {
  const { input } = open();
  await tried(input, 3);
  expect([input.hand.patch, input.use, input.selection.patch]).toEqual([3, "keep", null]);
  input.confirm();
  expect(input.planning.kept.map(({ patch }) => patch)).toEqual([3]);
  await tried(input, 1);
  expect([input.planning.ghost, input.selection.patch]).toEqual([null, 1]);
  await tried(input, 4);
  expect([input.planning.patch, input.selection.patch, sentMessages("move")]).toEqual([4, null, []]);
});

test("the next patch is tried beside the ideas that were kept", async () => {
  const { input } = open();
  for (const [patch, row] of [
    [3, 1],
    [4, 5],
  ] as const) {
    await tried(input, patch);
    input.hand.moveTo(row, 1);
    input.planning.keep();
  }
  await tried(input, 4);
  expect(questions.map((each) => each.getAll("kept"))).toEqual([[], ["3Aa1"]]);
  expect(input.planning.kept.map(({ move }) => move)).toEqual(["3Aa1"]);
  expect(input.planning.move).toBe("4Aa5");
  input.planning.clear();
  expect([input.planning.kept, input.hand.ghost]).toEqual([[], null]);
});

test("an idea becomes a move at its place only when it is taken, and then has to be confirmed", async () => {
  const { input } = open({ position: position({ turn: 1, offers: [] }) });
  await tried(input, 2);
  input.hand.moveTo(4, 4);
  const move = input.planning.move;
  await follow(position({ offers: [offer(2, ["##"])] }));
  expect([input.hand.patch, input.use, sentMessages("move")]).toEqual([2, "take", []]);
  input.confirm();
  expect([input.planning.ghost, input.selection.patch, sentMessages("move")]).toEqual([null, 2, []]);
  input.confirm();
  expect(sentMessages("move").map((each) => each["move"])).toEqual([move]);
});

test("ideas that come to nothing go with a reason, and the others stay", async () => {
  const { input } = open({ position: position({ turn: 1, offers: [] }) });
  for (const [patch, row] of [
    [2, 1],
    [3, 3],
    [4, 5],
  ] as const) {
    await tried(input, patch);
    input.hand.moveTo(row, 1);
    input.planning.keep();
  }
  await tried(input, 1);
  refused = { 1: "overlaps", 2: "taken", 3: "overlaps" };
  await follow(position({ turn: 1, offers: [] }));
  expect(input.planning.kept.map(({ patch }) => patch)).toEqual([4]);
  expect(input.hand.ghost).toBeNull();
  expect(input.planning.dropped).toEqual([
    { patch: 2, why: "taken" },
    { patch: 3, why: "covered" },
    { patch: 1, why: "nowhere" },
  ]);
  await tried(input, 4);
  expect(input.planning.dropped).toEqual([]);
});

test("an idea that came true goes without a word", async () => {
  const { input } = open();
  await tried(input, 3);
  input.planning.keep();
  refused = { 3: "taken" };
  await follow(position({ players: [player({ layout: [[3, [0, 1]]] }), player()] }), "3Aa1");
  expect([input.planning.kept, input.planning.dropped]).toEqual([[], []]);
});

test("the same question about a position is asked only once", async () => {
  const { input } = open();
  for (const patch of [3, 4, 3, 4]) await tried(input, patch);
  expect(questions).toHaveLength(2);
  await follow(position());
  await tried(input, 3);
  expect(questions).toHaveLength(4);
});

test("an answer that comes too late is ignored", async () => {
  const { input } = open();
  input.choose(3);
  input.cancel();
  await settled();
  expect(input.hand.ghost).toBeNull();
});

test("if the server cannot be reached, the user is told, and may try again", async () => {
  const { input } = open();
  vi.stubGlobal("fetch", vi.fn().mockRejectedValueOnce(new TypeError()));
  input.choose(4);
  await vi.waitFor(() => expect(input.planning.failed).toBe(true));
  vi.stubGlobal("fetch", vi.fn(answer));
  await tried(input, 4);
  expect([input.planning.failed, input.planning.patch]).toEqual([false, 4]);
});

test("while leather is to be placed, a patch can be tried, and leather comes back after it", async () => {
  const leather_choice = { places: "1".repeat(81), tile: null, next: 0 as const };
  const { input } = open({
    position: position({ phase: "leather", advance: null, offers: [], leather_choice }),
  });
  await tried(input, 1);
  expect([input.hand.patch, input.selection.leather, input.hand.leather]).toEqual([1, true, false]);
  input.cancel();
  expect(input.hand.leather).toBe(true);
});

test("those who watch have nothing to plan, and ideas end with the game", async () => {
  const { input } = open({ you: [] });
  input.choose(4);
  expect([input.canTry, questions]).toEqual([false, []]);
  leave();
  const table = open();
  await tried(table.input, 3);
  table.input.planning.keep();
  const ending = { reason: "resigned" as const, winner: 0 as const, scores: null, tie_break: false };
  const event = { seq: 2, kind: "resign", seat: 1, at: 0, data: "" };
  const over = position({ advance: null, offers: [] });
  lastSocket().receive({ t: "event", event, status: status({ seq: 2, ending }), position: over });
  flushSync();
  expect([table.input.canTry, table.input.planning.kept]).toEqual([false, []]);
});
