/** How many moves of each game the user has seen, so that the next visit can show what is new. */

import { loadSetting, saveSetting } from "../browser/storage";

const KEY = "seen";
/** How many games are remembered, the latest ones: enough for all that go on at the same time. */
const MAX_GAMES = 30;

/** Returns how many moves of a game were seen; null if it was not opened, or long ago. */
export function lastSeen(game: string): number | null {
  return load().find(([id]) => id === game)?.[1] ?? null;
}

/** Returns whether no game has been opened in this browser yet. */
export function isNewcomer(): boolean {
  return loadSetting(KEY) === null;
}

/** Stores how many moves of a game were seen. */
export function saveSeen(game: string, moves: number): void {
  const others = load().filter(([id]) => id !== game);
  saveSetting(KEY, JSON.stringify([...others, [game, moves]].slice(-MAX_GAMES)));
}

function load(): [string, number][] {
  return JSON.parse(loadSetting(KEY) ?? "[]") as [string, number][];
}
