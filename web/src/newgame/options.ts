/** What kind of game somebody would like; the browser remembers what seldom changes. */

import { recall, remember } from "../browser/storage";
import type { ClockTerms, NewTable, Opponent } from "../generated/wire";
import { FIRST_LEVEL, LEVELS, type Level } from "./levels";

/** Games by the minute, then those by the day, which suit players who are not there together. */
export const CLOCKS: readonly ClockTerms[] = [
  { minutes: 5, increment: 5 },
  { minutes: 10, increment: 10 },
  { minutes: 20, increment: 15 },
  { days: 1 },
  { days: 3 },
  { days: 7 },
];

export interface Wishes {
  level: Level;
  /** Seat 0 is the one who opens the table. */
  first: 0 | 1 | "random" | "needle";
  edition: "classic" | "revised";
  clock: ClockTerms | null;
  name: string;
  otherName: string;
}

/** Returns what was wished the last time, or what suits somebody new. */
export function wishes(): Wishes {
  return {
    level: LEVELS.find((level) => String(level) === recall("level")) ?? FIRST_LEVEL,
    first: 0,
    edition: recall("edition") === "revised" ? "revised" : "classic",
    clock: null,
    name: recall("name") ?? "",
    otherName: recall("other-name") ?? "",
  };
}

/** Returns the table to open, and remembers the wishes for the next one. */
export function tableFor(opponent: Opponent, wished: Wishes): NewTable {
  const { level, first, edition, clock } = wished;
  const name = wished.name.trim();
  const table: NewTable = { opponent, first, edition, clock, name };
  remember("name", name);
  remember("edition", edition);
  if (opponent === "computer") {
    remember("level", String(level));
    table.level = level;
  }
  if (opponent === "screen") {
    table.other_name = wished.otherName.trim();
    remember("other-name", table.other_name);
  }
  return table;
}
