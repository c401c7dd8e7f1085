import { effect, offer, position } from "../testing/fixtures";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { recall, remember } from "../browser/storage";
import type { PositionView, Reached } from "../generated/wire";
import { Lesson } from "./tutorialGame.svelte";
import { judge, MOVES, STEPS } from "./steps";

vi.mock("../settings/preferences.svelte", () => ({ preferences: { motion: "off" } }));

const POSITION = position({ offers: [offer(7, ["#"])] });
const OVER: Partial<PositionView> = { phase: "over", advance: null, offers: [] };

describe("what a move means for a task", () => {
  const verdict = (task: Parameters<typeof judge>[0], move: string, after = {}, before = {}) =>
    judge(task, move, { ...POSITION, ...before }, { ...POSITION, ...after });

  it("asks for one of the two kinds of turns", () => {
    expect(verdict("advance", "A")).toBe("done");
    expect(verdict("advance", "7Aa1")).toBe("wrong");
    expect(verdict("buy", "7Aa1")).toBe("done");
    expect(verdict("buy", "A")).toBe("wrong");
    expect(verdict("move", "A")).toBe("done");
    expect(verdict("move", "Lc4")).toBe("done");
  });

  it("asks for what a turn brings", () => {
    const paying = { advance: effect({ income: 3 }) };
    expect(verdict("income", "A", {}, paying)).toBe("done");
    expect(verdict("income", "7Aa1", {}, paying)).toBe("wrong");
    expect(verdict("leather", "A", { phase: "leather" })).toBe("done");
    expect(verdict("leather", "A")).toBe("wrong");
    expect(verdict("tile", "7Aa1", { tile: 0 })).toBe("done");
    expect(verdict("tile", "7Aa1")).toBe("wrong");
  });

  it("goes on until the game is over", () => {
    expect(verdict("end", "7Aa1")).toBe("more");
    expect(verdict("end", "A", OVER)).toBe("done");
  });
});

describe("the course of the lesson", () => {
  /** The lines whose end was asked for. */
  let asked: string[];
  let answer: (moves: readonly string[]) => Partial<PositionView>;
  const number = (name: string) => STEPS.findIndex((step) => step.name === name);
  const line = (ply: number) => MOVES.slice(0, ply).join(" ");

  async function come(step = ""): Promise<Lesson> {
    remember("lesson", step);
    const lesson = new Lesson((moves): Promise<Reached> => {
      asked.push(moves.join(" "));
      return Promise.resolve({
        moves: moves.map((move): [number, string] => [0, move]),
        position: { ...POSITION, ...answer(moves) },
        ending: null,
      });
    });
    await settled();
    return lesson;
  }

  /** Lets all pauses pass. */
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

  it("begins at the beginning, or where the learner was", async () => {
    expect((await come()).index).toBe(0);
    expect((await come("no step of today’s")).index).toBe(0);
    const lesson = await come("income");
    expect(lesson.index).toBe(number("income"));
    expect(asked.at(-1)).toBe(line(lesson.step.ply));
    lesson.next();
    expect(recall("lesson")).toBe("leather");
    const ending = await come("end");
    ending.next();
    expect(recall("lesson")).toBe("");
  });

  it("shows the opponent’s moves before the step begins", async () => {
    const lesson = await come();
    lesson.next();
    await settled();
    expect(asked.slice(-2)).toEqual([line(0), line(1)]);
  });

  it("offers no patch to somebody who is to advance", async () => {
    const lesson = await come("advance");
    expect([lesson.mine, lesson.position?.offers]).toEqual([true, []]);
    lesson.next();
    await settled();
    expect(lesson.position?.offers).toEqual(POSITION.offers);
  });

  it("stays where it is after another move than the one asked for", async () => {
    const lesson = await come("tile");
    const before = lesson.position;
    lesson.act({ t: "move", move: "A" });
    await settled();
    expect(lesson.wrong).toBe(true);
    expect(lesson.mine).toBe(true);
    expect(lesson.position).toEqual(before);
    expect(lesson.position).not.toBe(before);
    answer = () => ({ tile: 0 });
    lesson.act({ t: "move", move: "7Aa1" });
    await settled();
    expect(lesson.wrong).toBe(false);
    expect(lesson.done).toBe(true);
    expect(lesson.mine).toBe(false);
    expect(asked.at(-1)).toBe(`${line(lesson.step.ply)} 7Aa1`);
  });

  it("lets be seen what is played, and nothing when it jumps", async () => {
    const lesson = await come("advance");
    expect(lesson.happened.map(({ event }) => event.data)).toEqual([MOVES[0]]);
    lesson.act({ t: "move", move: "A" });
    await settled();
    expect(lesson.happened.map(({ event }) => event.data)).toEqual(["A"]);
    expect(lesson.moves.at(-1)).toEqual([0, "A"]);
    lesson.back();
    lesson.next();
    lesson.next();
    lesson.next();
    lesson.next();
    await settled();
    expect(lesson.step.name).toBe("income");
    expect(lesson.happened).toEqual([]);
  });

  it("goes on from what the learner did", async () => {
    const lesson = await come("buy");
    lesson.act({ t: "move", move: "7Cd4" });
    await settled();
    expect(lesson.step.name).toBe("chain");
    expect(asked.at(-1)).toBe(`${line(3)} 7Cd4`);
  });

  it("goes on from the written moves after a step that is skipped", async () => {
    const lesson = await come("buy");
    lesson.next();
    await settled();
    expect(lesson.step.name).toBe("chain");
    expect(asked.at(-1)).toBe(line(4));
  });

  it("goes back a step, or to the beginning of one that is done", async () => {
    const lesson = await come("income");
    answer = () => ({ advance: effect({ income: 3 }) });
    lesson.retry();
    await settled();
    lesson.act({ t: "move", move: "A" });
    await settled();
    expect(lesson.done).toBe(true);
    lesson.back();
    expect([lesson.step.name, lesson.done]).toEqual(["income", false]);
    lesson.act({ t: "undo" });
    expect(lesson.step.name).toBe("chain");
    lesson.restart();
    expect(lesson.index).toBe(0);
    lesson.back();
    expect(lesson.index).toBe(0);
  });

  it("shows how it is done, where that is known", async () => {
    const lesson = await come("tile");
    expect(lesson.helps).toBe(true);
    lesson.ask();
    expect(lesson.hint).toEqual({ move: MOVES[lesson.step.ply] });
    expect((await come("chain")).helps).toBe(false);
    expect((await come("welcome")).helps).toBe(false);
  });

  it("forgets an answer that comes after the learner went on", async () => {
    const lesson = await come("advance");
    lesson.act({ t: "move", move: "A" });
    lesson.next();
    await settled();
    expect([lesson.step.name, lesson.done]).toEqual(["circle", false]);
  });

  it("tells of trouble and tries again", async () => {
    answer = () => {
      throw new Error("offline");
    };
    const lesson = await come();
    expect(lesson.trouble).toEqual(new Error("offline"));
    expect(lesson.position).toBeNull();
    answer = () => ({});
    lesson.retry();
    await settled();
    expect(lesson.trouble).toBeNull();
    expect(lesson.position).not.toBeNull();
  });
});
