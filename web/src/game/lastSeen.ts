/** How many moves of a game the reader has seen, so that the next visit tells what came after. */

import { recall, remember } from "../browser/storage";

const KEY = "seen";
const GAMES = 30;

/** Returns the number of moves seen of a game; null: it was not looked at, or long ago. */
export function lastSeen(game: string): number | null {
  return all().find(([id]) => id === game)?.[1] ?? null;
}

/** Returns whether no game was looked at in this browser. */
export function newcomer(): boolean {
  return recall(KEY) === null;
}

export function see(game: string, moves: number): void {
  const others = all().filter(([id]) => id !== game);
  remember(KEY, JSON.stringify([...others, [game, moves]].slice(-GAMES)));
}

function all(): [string, number][] {
  return JSON.parse(recall(KEY) ?? "[]") as [string, number][];
}
