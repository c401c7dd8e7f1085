/**
 * The steps of the lesson: what is asked of the learner, and in which words.
 *
 * All of them are moments of one game, which `lesson.json` holds; the tests play it by the rules.
 */

import type { PositionView } from "../generated/wire";
import lesson from "./lesson.json";

/** What the learner does: just reads, makes a certain kind of move, any move, or the last ones. */
export type Task = "read" | "advance" | "buy" | "move" | "income" | "leather" | "tile" | "end";
/** Parts of the table that a step is about. */
export type Part = "board" | "circle" | "quilt" | "square" | "actions";

interface Words {
  title: string;
  text: string;
  /** What is said when the task is done; without it the next step follows at once. */
  done?: string;
  /** What is said to another move than the one asked for. */
  wrong?: string;
  /** Where to look. */
  point: Part | null;
}

export interface Step extends Words {
  name: string;
  /** How many moves of the game lie before it. */
  ply: number;
  /** How many of them are played before the learner's eyes. */
  shown: number;
  /** Whether it goes on from what the learner did in the step before. */
  continues: boolean;
  task: Task;
}

const WORDS: Record<string, Words> = {
  welcome: {
    title: "page-learn-welcome",
    text: "page-learn-welcome-text",
    point: null,
  },
  advance: {
    title: "page-learn-advance",
    text: "page-learn-advance-text",
    done: "page-learn-advance-done",
    point: "actions",
  },
  circle: {
    title: "page-learn-circle",
    text: "page-learn-circle-text",
    point: "circle",
  },
  buy: {
    title: "page-learn-buy",
    text: "page-learn-buy-text",
    wrong: "page-learn-buy-wrong",
    point: "circle",
  },
  chain: {
    title: "page-learn-chain",
    text: "page-learn-chain-text",
    done: "page-learn-chain-done",
    point: "board",
  },
  income: {
    title: "page-learn-income",
    text: "page-learn-income-text",
    done: "page-learn-income-done",
    point: "board",
  },
  leather: {
    title: "page-learn-leather",
    text: "page-learn-leather-text",
    point: "board",
  },
  sew: {
    title: "page-learn-sew",
    text: "page-learn-sew-text",
    done: "page-learn-sew-done",
    point: "quilt",
  },
  tile: {
    title: "page-learn-tile",
    text: "page-learn-tile-text",
    done: "page-learn-tile-done",
    wrong: "page-learn-tile-wrong",
    point: "square",
  },
  end: {
    title: "page-learn-end",
    text: "page-learn-end-text",
    point: "board",
  },
  score: {
    title: "page-learn-score",
    text: "page-learn-score-text",
    point: null,
  },
};

export const MOVES: readonly string[] = lesson.moves;
export const SETUP = { circle: lesson.circle, first: lesson.first };
export const STEPS: readonly Step[] = lesson.steps.map((step) => ({
  shown: 0,
  continues: false,
  ...step,
  ...(WORDS[step.name] as Words),
  task: step.task as Task,
}));

/** Tells what a move means for the task: it is another one, the right one, or one of several. */
export function judge(
  task: Task,
  move: string,
  before: PositionView,
  after: PositionView,
): "wrong" | "more" | "done" {
  const effect = before.offers.find(({ patch }) => patch === parseInt(move))?.effect;
  const income = (move === "A" ? before.advance : effect)?.income ?? 0;
  const right = {
    read: false,
    advance: move === "A",
    buy: effect !== undefined,
    move: true,
    income: income > 0,
    leather: after.phase === "leather",
    tile: after.tile === before.turn,
    end: true,
  }[task];
  if (!right) return "wrong";
  return task === "end" && after.phase !== "over" ? "more" : "done";
}
