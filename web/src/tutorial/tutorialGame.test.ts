import { effect, offer, position } from "../testing/fixtures";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { loadSetting, saveSetting } from "../browser/storage";
import type { PositionView, Reached } from "../generated/wire";
import { TutorialGame } from "./tutorialGame.svelte";
import { judgeMove, MOVES, STEPS } from "./steps";

vi.mock("../settings/preferences.svelte", () => ({ preferences: { motion: "off" } }));

const POSITION = position({ offers: [offer(7, ["#"])] });
const OVER: Partial<PositionView> = { phase: "over", advance: null, offers: [] };

describe("judging a move", () => {
  const verdict = (task: Parameters<typeof judgeMove>[0], move: string, after = {}, before = {}) =>
    judgeMove(task, move, { ...POSITION, ...before }, { ...POSITION, ...after });

  it("accepts the kind of move that the task names", () => {
    expect(verdict("advance", "A")).toBe("done");
    expect(verdict("advance", "7Aa1")).toBe("wrong");
    expect(verdict("buy", "7Aa1")).toBe("done");
    expect(verdict("buy", "A")).toBe("wrong");
    expect(verdict("move", "A")).toBe("done");
    expect(verdict("move", "Lc4")).toBe("done");
  });

  it("accepts moves with the effect that the task names", () => {
    const paying = { advance: effect({ income: 3 }) };
    expect(verdict("income", "A", {}, paying)).toBe("done");
    expect(verdict("income", "7Aa1", {}, paying)).toBe("wrong");
    expect(verdict("leather", "A", { phase: "leather" })).toBe("done");
    expect(verdict("leather", "A")).toBe("wrong");
    expect(verdict("tile", "7Aa1", { tile: 0 })).toBe("done");
    expect(verdict("tile", "7Aa1")).toBe("wrong");
  });

  it("wants more moves until the game is over", () => {
    expect(verdict("end", "7Aa1")).toBe("more");
    expect(verdict("end", "A", OVER)).toBe("done");
  });
});

describe("the tutorial", () => {
  /** The sequences of moves whose positions were requested. */
  let asked: string[];
  let answer: (moves: readonly string[]) => Partial<PositionView>;
  const number = (name: string) => STEPS.findIndex((step) => step.name === name);
  const line = (ply: number) => MOVES.slice(0, ply).join(" ");

  async function resume(step = ""): Promise<TutorialGame> {
    saveSetting("lesson", step);
    const game = new TutorialGame((moves): Promise<Reached> => {
      asked.push(moves.join(" "));
      return Promise.resolve({
        moves: moves.map((move): [number, string] => [0, move]),
        position: { ...POSITION, ...answer(moves) },
        ending: null,
        positions: [],
      });
    });
    await settled();
    return game;
  }

  /** Lets all pauses end. */
  async function settled(): Promise<void> {
    await vi.runAllTimersAsync();
  }

  beforeEach(() => {
    vi.useFakeTimers();
    asked = [];
    answer = () => ({});
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  it("starts at the first step, or resumes the last one", async () => {
    expect((await resume()).index).toBe(0);
    expect((await resume("a step that is gone")).index).toBe(0);
    const game = await resume("income");
    expect(game.index).toBe(number("income"));
    expect(asked.at(-1)).toBe(line(game.step.ply));
    game.next();
    expect(loadSetting("lesson")).toBe("leather");
    const ending = await resume("end");
    ending.next();
    expect(loadSetting("lesson")).toBe("");
  });

  it("shows the opponent’s moves before the step begins", async () => {
    const game = await resume();
    game.next();
    await settled();
    expect(asked.slice(-2)).toEqual([line(0), line(1)]);
  });

  it("offers no patch while the task is to advance", async () => {
    const game = await resume("advance");
    expect([game.myTurn, game.position?.offers]).toEqual([true, []]);
    game.next();
    await settled();
    expect(game.position?.offers).toEqual(POSITION.offers);
  });

  it("stays at the step after a move that does not fulfil the task", async () => {
    const game = await resume("tile");
    const before = game.position;
    game.act({ t: "move", move: "A" });
    await settled();
    expect(game.wrong).toBe(true);
    expect(game.myTurn).toBe(true);
    expect(game.position).toEqual(before);
    expect(game.position).not.toBe(before);
    answer = () => ({ tile: 0 });
    game.act({ t: "move", move: "7Aa1" });
    await settled();
    expect(game.wrong).toBe(false);
    expect(game.done).toBe(true);
    expect(game.myTurn).toBe(false);
    expect(asked.at(-1)).toBe(`${line(game.step.ply)} 7Aa1`);
  });

  it("reports a move that is played as an event, but not a jump to a step", async () => {
    const game = await resume("advance");
    expect(game.recentEvents.map(({ event }) => event.data)).toEqual([MOVES[0]]);
    game.act({ t: "move", move: "A" });
    await settled();
    expect(game.recentEvents.map(({ event }) => event.data)).toEqual(["A"]);
    expect(game.moves.at(-1)).toEqual([0, "A"]);
    game.back();
    game.next();
    game.next();
    game.next();
    game.next();
    await settled();
    expect(game.step.name).toBe("income");
    expect(game.recentEvents).toEqual([]);
  });

  it("continues from the user's own move", async () => {
    const game = await resume("buy");
    game.act({ t: "move", move: "7Cd4" });
    await settled();
    expect(game.step.name).toBe("chain");
    expect(asked.at(-1)).toBe(`${line(3)} 7Cd4`);
  });

  it("continues from the written game after a skipped step", async () => {
    const game = await resume("buy");
    game.next();
    await settled();
    expect(game.step.name).toBe("chain");
    expect(asked.at(-1)).toBe(line(4));
  });

  it("goes back one step, or to the beginning of a step that is done", async () => {
    const game = await resume("income");
    answer = () => ({ advance: effect({ income: 3 }) });
    game.retry();
    await settled();
    game.act({ t: "move", move: "A" });
    await settled();
    expect(game.done).toBe(true);
    game.back();
    expect([game.step.name, game.done]).toEqual(["income", false]);
    game.act({ t: "undo" });
    expect(game.step.name).toBe("chain");
    game.restart();
    expect(game.index).toBe(0);
    game.back();
    expect(game.index).toBe(0);
  });

  it("demonstrates a task while the user follows the written game", async () => {
    const game = await resume("tile");
    expect(game.canDemonstrate).toBe(true);
    game.requestHint();
    expect(game.hint).toEqual({ move: MOVES[game.step.ply] });
    expect((await resume("chain")).canDemonstrate).toBe(false);
    expect((await resume("welcome")).canDemonstrate).toBe(false);
  });

  it("ignores an answer that arrives after the user has left the step", async () => {
    const game = await resume("advance");
    game.act({ t: "move", move: "A" });
    game.next();
    await settled();
    expect([game.step.name, game.done]).toEqual(["circle", false]);
  });

  it("shows an error and can retry", async () => {
    answer = () => {
      throw new Error("offline");
    };
    const game = await resume();
    expect(game.error).toEqual(new Error("offline"));
    expect(game.position).toBeNull();
    answer = () => ({});
    game.retry();
    await settled();
    expect(game.error).toBeNull();
    expect(game.position).not.toBeNull();
  });
});
