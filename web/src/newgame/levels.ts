/** The levels of the computer, as docs/engine.md has measured them. */

import { say } from "../i18n/language.svelte";

export const LEVELS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
export type Level = (typeof LEVELS)[number];

/** For somebody who has just learned the rules. */
export const FIRST_LEVEL: Level = 1;

/** Elo; a simple rule of thumb (the program `greedy`) has 0. */
export const STRENGTHS = { 1: -12, 2: 83, 3: 197, 4: 429, 5: 709, 6: 959, 7: 1066, 8: 1321 } as const;
const WEAKEST = STRENGTHS[1];
const STRONGEST = STRENGTHS[8];

/** Returns how many of a hundred games a level wins against the one below. */
function wins(level: Exclude<Level, 1>): number {
  const ahead = STRENGTHS[level] - STRENGTHS[(level - 1) as Level];
  return 100 / (1 + 10 ** (-ahead / 400));
}

/** Returns where a level stands between the weakest, 0, and the strongest, 1. */
export function share(level: Level): number {
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

/** Returns what is known about the strength of a level. */
export function levelStrength(level: Level): string {
  if (level === 1) return say("page-level-lowest");
  const percent = Math.round(wins(level) / 5) * 5;
  return say("page-level-strength", { below: level - 1, percent });
}
