/**
 * The steps of the tutorial: the task of each, and its texts.
 *
 * They are positions of one game, which is in `lesson.json`; a test checks that game by the rules.
 */

import type { PositionView } from "../generated/wire";
import lesson from "./lesson.json";

/** What the user has to do: just read, play a kind of move, any move, or play to the end. */
export type Task = "read" | "advance" | "buy" | "move" | "income" | "leather" | "tile" | "end";
/** Parts of the table that a step can highlight. */
export type Part = "board" | "circle" | "quilt" | "square" | "actions";

interface StepTexts {
  title: string;
  text: string;
  /** The text after the task is done; without it the next step follows at once. */
  done?: string;
  /** The text after a move that does not fulfil the task. */
  wrong?: string;
  /** The part of the table to highlight. */
  point: Part | null;
}

export interface Step extends StepTexts {
  name: string;
  /** How many moves of the game come before it. */
  ply: number;
  /** How many of them, the last ones, are played as animations when the step begins. */
  shown: number;
  /** Whether it continues from the user's own moves in the step before. */
  continues: boolean;
  task: Task;
}

const TEXTS: Record<string, StepTexts> = {
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
  ...(TEXTS[step.name] as StepTexts),
  task: step.task as Task,
}));

/** Returns whether a move fulfils the task, fails it, or fulfils a part of it ("more"). */
export function judgeMove(
  task: Task,
  move: string,
  before: PositionView,
  after: PositionView,
): "wrong" | "more" | "done" {
  const effect = before.offers.find(({ patch }) => patch === parseInt(move))?.effect;
  const income = (move === "A" ? before.advance : effect)?.income ?? 0;
  const correct = {
    read: false,
    advance: move === "A",
    buy: effect !== undefined,
    move: true,
    income: income > 0,
    leather: after.phase === "leather",
    tile: after.tile === before.turn,
    end: true,
  }[task];
  if (!correct) return "wrong";
  return task === "end" && after.phase !== "over" ? "more" : "done";
}
