/**
 * A patch in the hand: turned, turned over, and laid where the server says that it fits.
 *
 * A ghost lies on a legal place whenever its shape has one. There are no rules here: the places of
 * each shape come with the offer.
 */

import { PATCHES } from "../generated/art";
import type { LeatherChoice, Offer, Orientation } from "../generated/wire";

export const SIDE = 9;

export interface Ghost {
  /** The patch on offer; null: leather. */
  patch: number | null;
  /** The ways to turn it in which it fits somewhere. */
  ways: Orientation[];
  /** Its shape as it is held. */
  rows: readonly string[];
  /** Where the top-left corner of its box lies. */
  row: number;
  column: number;
}

export type Direction = "up" | "down" | "left" | "right";
const STEPS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] } as const;
const MIDDLE = SIDE / 2;

/** Takes a patch in the hand, near a point of the quilt. */
export function take(offer: Offer, y = MIDDLE, x = MIDDLE): Ghost {
  const shown = PATCHES[offer.patch]?.rows ?? [];
  const way = offer.orientations.find(({ rows }) => same(rows, shown)) ?? offer.orientations[0];
  const rows = way?.rows ?? shown;
  return aim({ patch: offer.patch, ways: offer.orientations, rows, row: 0, column: 0 }, y, x);
}

/** Takes a leather patch in the hand. */
export function takeLeather({ places, tile }: LeatherChoice): Ghost {
  const rows = ["#"];
  const way = { letter: "", rows, places, tile };
  return aim({ patch: null, ways: [way], rows, row: 0, column: 0 }, MIDDLE, MIDDLE);
}

/** Lays the middle of the ghost as near to a point, in spaces, as it fits. */
export function aim(ghost: Ghost, y: number, x: number): Ghost {
  const row = y - ghost.rows.length / 2;
  const column = x - width(ghost) / 2;
  const best = least(places(ghost), (place) => [
    (place.row - row) ** 2 + (place.column - column) ** 2,
  ]);
  return { ...ghost, ...(best ?? inside(ghost, row, column)) };
}

/**
 * Moves the ghost to the next place in a direction: straight on, or else as little aside as can be.
 *
 * It stays where it is rather than go farther aside than ahead.
 */
export function step(ghost: Ghost, direction: Direction): Ghost {
  const [down, right] = STEPS[direction];
  const ahead = places(ghost)
    .map((place) => {
      const rows = place.row - ghost.row;
      const columns = place.column - ghost.column;
      const along = rows * down + columns * right;
      const aside = Math.abs(rows * right) + Math.abs(columns * down);
      return { ...place, along, aside };
    })
    .filter(({ along, aside }) => along > 0 && aside <= along);
  const best = least(ahead, ({ along, aside }) => [aside, along]);
  return best ? { ...ghost, row: best.row, column: best.column } : ghost;
}

/** Turns the ghost by a quarter, clockwise. */
export function turn(ghost: Ghost): Ghost {
  return reshape(ghost, turned(ghost.rows));
}

/** Turns the ghost over. */
export function flip(ghost: Ghost): Ghost {
  return reshape(
    ghost,
    ghost.rows.map((row) => [...row].reverse().join("")),
  );
}

/** Holds the ghost as a move says, if it is one of this patch. */
export function follow(ghost: Ghost, move: string): Ghost {
  const [, letter, name] = /^(?:\d+|L)([A-H]?)([a-i][1-9])$/.exec(move) ?? [];
  const way = ghost.ways.find((each) => each.letter === letter);
  return way && name ? { ...ghost, rows: way.rows, ...place(cellOf(name)) } : ghost;
}

export function fits(ghost: Ghost): boolean {
  return held(ghost)?.places[corner(ghost)] === "1";
}

export function winsTile(ghost: Ghost): boolean {
  return held(ghost)?.tile?.[corner(ghost)] === "1";
}

/** Returns the middle of the ghost's box, in spaces. */
export function middleOf(ghost: Ghost): { y: number; x: number } {
  return { y: ghost.row + ghost.rows.length / 2, x: ghost.column + width(ghost) / 2 };
}

/** Returns whether a point of the quilt, in spaces, is on the ghost or in a notch of it. */
export function isOn(ghost: Ghost, y: number, x: number): boolean {
  const [down, right] = [y - ghost.row, x - ghost.column];
  return down >= 0 && right >= 0 && down < ghost.rows.length && right < width(ghost);
}

/** Returns the spaces under the ghost. */
export function covered(ghost: Ghost): number[] {
  return spread(ghost.rows, ghost.row, ghost.column);
}

/** Returns the spaces that the ghost could cover, held as it is. */
export function reach(ghost: Ghost): Set<number> {
  const { rows } = ghost;
  return new Set(places(ghost).flatMap(({ row, column }) => spread(rows, row, column)));
}

/** Returns the move in the notation; null: the ghost does not fit where it lies. */
export function moveOf(ghost: Ghost): string | null {
  const way = held(ghost);
  if (!way || !fits(ghost)) return null;
  return `${ghost.patch ?? "L"}${way.letter}${nameOf(corner(ghost))}`;
}

/** Returns the name of a space, such as c4. */
export function nameOf(cell: number): string {
  return `${"abcdefghi"[cell % SIDE]}${Math.floor(cell / SIDE) + 1}`;
}

export function cellOf(name: string): number {
  return (Number(name[1]) - 1) * SIDE + "abcdefghi".indexOf(name[0] ?? "");
}

/** Returns the spaces of a shape whose box lies at a place. */
export function spread(rows: readonly string[], row = 0, column = 0): number[] {
  return rows.flatMap((line, down) =>
    [...line].flatMap((mark, right) =>
      mark === "#" ? [(row + down) * SIDE + column + right] : [],
    ),
  );
}

function reshape(ghost: Ghost, rows: string[]): Ghost {
  const { y, x } = middleOf(ghost);
  return aim({ ...ghost, rows }, y, x);
}

function turned(rows: readonly string[]): string[] {
  const columns = [...(rows[0] ?? "")];
  return columns.map((_, column) => rows.map((row) => row[column]).reverse().join(""));
}

function held(ghost: Ghost): Orientation | undefined {
  return ghost.ways.find(({ rows }) => same(rows, ghost.rows));
}

function places(ghost: Ghost): { row: number; column: number }[] {
  const marks = held(ghost)?.places ?? "";
  return [...marks].flatMap((mark, cell) => (mark === "1" ? [place(cell)] : []));
}

function inside(ghost: Ghost, row: number, column: number): { row: number; column: number } {
  const limit = (value: number, room: number) => Math.round(Math.min(Math.max(value, 0), room));
  return {
    row: limit(row, SIDE - ghost.rows.length),
    column: limit(column, SIDE - width(ghost)),
  };
}

function place(cell: number): { row: number; column: number } {
  return { row: Math.floor(cell / SIDE), column: cell % SIDE };
}

function corner(ghost: Ghost): number {
  return ghost.row * SIDE + ghost.column;
}

function width(ghost: Ghost): number {
  return ghost.rows[0]?.length ?? 0;
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.join("/") === other.join("/");
}

/** Returns the item whose key comes first, compared number by number. */
function least<T>(items: T[], key: (item: T) => number[]): T | undefined {
  return items.toSorted((one, other) => {
    const mine = key(one);
    const theirs = key(other);
    const differs = mine.findIndex((value, index) => value !== theirs[index]);
    return differs < 0 ? 0 : (mine[differs] ?? 0) - (theirs[differs] ?? 0);
  })[0];
}
