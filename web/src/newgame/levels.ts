/** The levels of the computer, with the strengths measured in docs/engine.md. */

import { say } from "../i18n/language.svelte";

export const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
export type Level = (typeof LEVELS)[number];

/** The default, for people who have just learned the rules. */
export const FIRST_LEVEL: Level = 1;

/** Elo ratings, on a scale on which the simple program `greedy` has 0. */
export const STRENGTHS = { 1: -12, 2: 83, 3: 197, 4: 429, 5: 709, 6: 959, 7: 1066, 8: 1321 } as const;
const WEAKEST = STRENGTHS[1];
const STRONGEST = STRENGTHS[8];

/** Returns the percentage of games that a level wins against the one below, by the Elo formula. */
function winPercentage(level: Exclude<Level, 1>): number {
  const ahead = STRENGTHS[level] - STRENGTHS[(level - 1) as Level];
  return 100 / (1 + 10 ** (-ahead / 400));
}

/** Returns the strength of a level on a scale from 0, the weakest, to 1, the strongest. */
export function relativeStrength(level: Level): number {
  return (STRENGTHS[level] - WEAKEST) / (STRONGEST - WEAKEST);
}

/** Returns the name of a level. */
export function levelName(level: Level): string {
  const names = {
    1: say("page-level-1"),
    2: say("page-level-2"),
    3: say("page-level-3"),
    4: say("page-level-4"),
    5: say("page-level-5"),
    6: say("page-level-6"),
    7: say("page-level-7"),
    8: say("page-level-8"),
  };
  return names[level];
}

/** Percentages are rounded to multiples of this, since the measured strengths are not exact. */
const PERCENT_STEP = 5;

/** Returns a sentence about the strength of a level. */
export function levelStrength(level: Level): string {
  if (level === 1) return say("page-level-lowest");
  const percent = Math.round(winPercentage(level) / PERCENT_STEP) * PERCENT_STEP;
  return say("page-level-strength", { below: level - 1, percent });
}
