/** The options of a new game; those that seldom change are stored in the browser. */

import { loadSetting, saveSetting } from "../browser/storage";
import type { ClockTerms, NewTable, Opponent } from "../generated/wire";
import { FIRST_LEVEL, LEVELS, type Level } from "./levels";

/** First games by the minute, then games by the day, for players who are not online together. */
export const CLOCKS: readonly ClockTerms[] = [
  { minutes: 5, increment: 5 },
  { minutes: 10, increment: 10 },
  { minutes: 20, increment: 15 },
  { days: 1 },
  { days: 3 },
  { days: 7 },
];

export interface GameOptions {
  level: Level;
  /** The seat that begins. Seat 0 opens the table; "needle" leaves the choice to the players. */
  first: 0 | 1 | "random" | "needle";
  edition: "classic" | "revised";
  clock: ClockTerms | null;
  name: string;
  otherName: string;
  /** The order of the patches, as the user typed it: a seed, the patches, or nothing. */
  order: string;
}

/** Returns the options of the last game, or those for a new user. */
export function defaultOptions(): GameOptions {
  return {
    level: LEVELS.find((level) => String(level) === loadSetting("level")) ?? FIRST_LEVEL,
    first: 0,
    edition: loadSetting("edition") === "revised" ? "revised" : "classic",
    clock: null,
    name: loadSetting("name") ?? "",
    otherName: loadSetting("other-name") ?? "",
    order: "",
  };
}

/** Returns the request that opens a table, and stores the options for the next one. */
export function newTableRequest(opponent: Opponent, options: GameOptions): NewTable {
  const { level, first, edition, clock } = options;
  const name = options.name.trim();
  const table: NewTable = { opponent, first, edition, clock, name, ...order(options.order) };
  saveSetting("name", name);
  saveSetting("edition", edition);
  if (opponent === "computer") {
    saveSetting("level", String(level));
    table.level = level;
  }
  if (opponent === "screen") {
    table.other_name = options.otherName.trim();
    saveSetting("other-name", table.other_name);
  }
  return table;
}

/** A seed that a number can hold exactly; a longer one is left to the server to refuse. */
const SEED = /^\d{1,15}$/;
/** The order of the patches in a record. */
const TAG = /\[Circle "([^"]*)"\]/;

/** Returns the order of the patches as the server wants it, from a seed, a list or a record. */
function order(typed: string): Pick<NewTable, "seed" | "circle"> {
  const text = typed.trim();
  if (!text) return {};
  if (SEED.test(text)) return { seed: Number(text) };
  return { circle: ((TAG.exec(text)?.[1] ?? text).match(/\d+/g) ?? []).map(Number) };
}
