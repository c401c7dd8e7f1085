/** The game of a replay and its variations, and places in them. */

import type { Branch, Note, Replay } from "../generated/wire";

/** The name of the place in the address of the page. */
export const MOVE = "move";

/** What a record says about a move. */
export interface LineNote {
  readonly annotations: readonly number[];
  readonly comment: string;
  /** What could have been played instead; some may have no moves. */
  readonly variations: readonly Line[];
}

/** The game, or a variation of another line. Moves are numbered from the start of the game. */
export interface Line {
  /** The line that it is a variation of; null for the game itself. */
  readonly parent: Line | null;
  /** The number of its first move, which replaces the move of its parent with this number. */
  readonly first: number;
  /** Which of the variations of that move it is, from 1; 0 for the game itself. */
  readonly index: number;
  /** What the record says before its first move. */
  readonly comment: string;
  readonly moves: readonly (readonly [seat: number, move: string])[];
  /** By the number of the move. */
  readonly notes: ReadonlyMap<number, LineNote>;
}

/** The position after some moves of a line; `ply` counts from the start of the game. */
export interface Place {
  readonly line: Line;
  readonly ply: number;
}

/** Returns the game of a replay as a line, with its variations. */
export function gameLine(replay: Pick<Replay, "comment" | "moves" | "notes">): Line {
  return lineOf(replay, null, 1, 0);
}

function lineOf(
  { comment, moves, notes }: Branch,
  parent: Line | null,
  first: number,
  index: number,
): Line {
  const byNumber = new Map<number, LineNote>();
  const line = { parent, first, index, comment, moves, notes: byNumber };
  for (const note of notes) byNumber.set(first + note.move - 1, noteOf(note, line));
  return line;
}

function noteOf({ move, annotations, comment, variations }: Note, line: Line): LineNote {
  const number = line.first + move - 1;
  return {
    annotations,
    comment,
    variations: variations.map((branch, index) => lineOf(branch, line, number, index + 1)),
  };
}

/** Returns after how many moves of the game a line ends. */
export function lastPly({ first, moves }: Line): number {
  return first - 1 + moves.length;
}

/** Returns the place after some moves of a line, which may lie in a line that it is part of. */
export function placeAt(line: Line, ply: number): Place {
  if (line.parent && ply < line.first) return placeAt(line.parent, ply);
  return { line, ply: Math.min(Math.max(ply, line.first - 1), lastPly(line)) };
}

/** Returns all moves that lead to a place, from the start of the game. */
export function movesTo({ line, ply }: Place): (readonly [seat: number, move: string])[] {
  const before = line.parent ? movesTo({ line: line.parent, ply: line.first - 1 }) : [];
  return [...before, ...line.moves.slice(0, ply - line.first + 1)];
}

/** Returns the variations of the move that led to a place, except those without moves. */
export function variationsAt({ line, ply }: Place): Line[] {
  return line.notes.get(ply)?.variations.filter(({ moves }) => moves.length) ?? [];
}

/** Returns the first move of the next variation from a place, or null. */
export function into(place: Place): Place | null {
  const { line, ply } = place;
  const next =
    variationsAt(place)[0] ?? (line.parent && ply === line.first ? sibling(line, 1) : null);
  return next ? { line: next, ply: next.first } : null;
}

/** Returns the place to which one leaves a variation, or null in the game itself. */
export function outOf({ line, ply }: Place): Place | null {
  if (!line.parent) return null;
  const previous = ply === line.first ? sibling(line, -1) : null;
  return { line: previous ?? line.parent, ply: line.first };
}

/** Returns the variation that comes some places after another one of the same move, or null. */
function sibling(line: Line, step: number): Line | null {
  const all = line.parent ? variationsAt({ line: line.parent, ply: line.first }) : [];
  return all[all.indexOf(line) + step] ?? null;
}

/**
 * Returns a place as it is written in the address of the page: the number of the move, preceded in
 * a variation by the move that it replaces and by its number among the variations of that move.
 */
export function addressOf({ line, ply }: Place): string {
  if (!line.parent) return String(ply);
  return `${addressOf({ line: line.parent, ply: line.first })}.${line.index}.${ply}`;
}

/** Returns the place that an address names, or else the nearest one. */
export function placeOf(address: string, game: Line): Place {
  const [start = 0, ...rest] = address.split(".").map((text) => parseInt(text) || 0);
  let place = placeAt(game, start);
  for (let at = 0; at + 1 < rest.length; at += 2) {
    const [index = 0, ply = 0] = rest.slice(at);
    const variation = place.line.notes.get(place.ply)?.variations[index - 1];
    if (!variation?.moves.length) break;
    place = placeAt(variation, Math.max(ply, variation.first));
  }
  return place;
}
