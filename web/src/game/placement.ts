/**
 * A ghost: a patch that is being placed. It can be rotated, flipped, and moved over the quilt.
 *
 * It lies on a legal place whenever its orientation has one. The rules are not known here: the
 * server sends the legal places of each orientation with the offer.
 */

import { PATCHES } from "../generated/art";
import type { LeatherChoice, Offer, Orientation } from "../generated/wire";

/** A quilt has 9 × 9 spaces; a space has the number `row * SIDE + column`. */
export const SIDE = 9;
const COLUMNS = "abcdefghi";

export interface Ghost {
  /** The patch, or null for leather. */
  patch: number | null;
  /** The orientations in which it fits somewhere. */
  orientations: Orientation[];
  /** Its shape in the current orientation. */
  rows: readonly string[];
  /** The top-left space of its bounding box. */
  row: number;
  column: number;
}

export type Direction = "up" | "down" | "left" | "right";
const STEPS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] } as const;
const MIDDLE = SIDE / 2;

/** Picks up a patch, as it is drawn if it fits that way, near a point of the quilt. */
export function pickUp(
  offer: Pick<Offer, "patch" | "orientations">,
  y = MIDDLE,
  x = MIDDLE,
): Ghost {
  const { patch, orientations } = offer;
  const drawn = PATCHES[patch]?.rows ?? [];
  const rows = (orientations.find((each) => same(each.rows, drawn)) ?? orientations[0])?.rows;
  return snapTo({ patch, orientations, rows: rows ?? drawn, row: 0, column: 0 }, y, x);
}

/** Picks up a leather patch. */
export function pickUpLeather({ places, tile }: LeatherChoice): Ghost {
  const rows = ["#"];
  const orientations = [{ letter: "", rows, places, tile }];
  return snapTo({ patch: null, orientations, rows, row: 0, column: 0 }, MIDDLE, MIDDLE);
}

/** Moves the ghost to the legal place whose centre is nearest to a point, given in spaces. */
export function snapTo(ghost: Ghost, y: number, x: number): Ghost {
  const row = y - ghost.rows.length / 2;
  const column = x - width(ghost) / 2;
  const best = minBy(legalPlaces(ghost), (place) => [
    (place.row - row) ** 2 + (place.column - column) ** 2,
  ]);
  return { ...ghost, ...(best ?? inside(ghost, row, column)) };
}

/**
 * Moves the ghost to the next legal place in a direction, straight ahead or as little aside as
 * possible; it stays where it is if every place is farther aside than ahead.
 */
export function step(ghost: Ghost, direction: Direction): Ghost {
  const [down, right] = STEPS[direction];
  const ahead = legalPlaces(ghost)
    .map((place) => {
      const rows = place.row - ghost.row;
      const columns = place.column - ghost.column;
      const along = rows * down + columns * right;
      const aside = Math.abs(rows * right) + Math.abs(columns * down);
      return { ...place, along, aside };
    })
    .filter(({ along, aside }) => along > 0 && aside <= along);
  const best = minBy(ahead, ({ along, aside }) => [aside, along]);
  return best ? { ...ghost, row: best.row, column: best.column } : ghost;
}

/** Rotates the ghost by a quarter turn, clockwise. */
export function rotate(ghost: Ghost): Ghost {
  return reshape(ghost, rotated(ghost.rows));
}

/** Flips the ghost horizontally. */
export function flip(ghost: Ghost): Ghost {
  return reshape(
    ghost,
    ghost.rows.map((row) => [...row].reverse().join("")),
  );
}

/** Places the ghost as in a move, if that is a move of the same patch. */
export function placeAs(ghost: Ghost, move: string): Ghost {
  const [, letter, name] = /^(?:\d+|L)([A-H]?)([a-i][1-9])$/.exec(move) ?? [];
  const rows = ghost.orientations.find((each) => each.letter === letter)?.rows;
  return rows && name ? { ...ghost, rows, ...place(parseCell(name)) } : ghost;
}

export function fits(ghost: Ghost): boolean {
  return current(ghost)?.places[origin(ghost)] === "1";
}

export function winsTile(ghost: Ghost): boolean {
  return current(ghost)?.tile?.[origin(ghost)] === "1";
}

/** Returns the centre of the ghost's bounding box, in spaces. */
export function centreOf(ghost: Ghost): { y: number; x: number } {
  return { y: ghost.row + ghost.rows.length / 2, x: ghost.column + width(ghost) / 2 };
}

/** Returns whether a point of the quilt, in spaces, is inside the ghost's bounding box. */
export function boxContains(ghost: Ghost, y: number, x: number): boolean {
  const [down, right] = [y - ghost.row, x - ghost.column];
  return down >= 0 && right >= 0 && down < ghost.rows.length && right < width(ghost);
}

/** Returns the spaces under the ghost. */
export function coveredCells(ghost: Ghost): number[] {
  return shapeCells(ghost.rows, ghost.row, ghost.column);
}

/** Returns all spaces that the ghost could cover in its current orientation. */
export function reachableCells(ghost: Ghost): Set<number> {
  const { rows } = ghost;
  return new Set(legalPlaces(ghost).flatMap(({ row, column }) => shapeCells(rows, row, column)));
}

/** Returns the move in the game's notation, or null if the ghost does not fit where it is. */
export function toMove(ghost: Ghost): string | null {
  const orientation = current(ghost);
  if (!orientation || !fits(ghost)) return null;
  return `${ghost.patch ?? "L"}${orientation.letter}${cellName(origin(ghost))}`;
}

/** Returns the name of a space, such as c4. */
export function cellName(cell: number): string {
  return `${COLUMNS[cell % SIDE]}${Math.floor(cell / SIDE) + 1}`;
}

export function parseCell(name: string): number {
  return (Number(name[1]) - 1) * SIDE + COLUMNS.indexOf(name[0] ?? "");
}

/** Returns the spaces of a shape whose bounding box begins at a row and column. */
export function shapeCells(rows: readonly string[], row = 0, column = 0): number[] {
  return rows.flatMap((line, down) =>
    [...line].flatMap((mark, right) =>
      mark === "#" ? [(row + down) * SIDE + column + right] : [],
    ),
  );
}

function reshape(ghost: Ghost, rows: string[]): Ghost {
  const { y, x } = centreOf(ghost);
  return snapTo({ ...ghost, rows }, y, x);
}

function rotated(rows: readonly string[]): string[] {
  const columns = [...(rows[0] ?? "")];
  return columns.map((_, column) => rows.map((row) => row[column]).reverse().join(""));
}

function current(ghost: Ghost): Orientation | undefined {
  return ghost.orientations.find(({ rows }) => same(rows, ghost.rows));
}

function legalPlaces(ghost: Ghost): { row: number; column: number }[] {
  const marks = current(ghost)?.places ?? "";
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

function origin(ghost: Ghost): number {
  return ghost.row * SIDE + ghost.column;
}

function width(ghost: Ghost): number {
  return ghost.rows[0]?.length ?? 0;
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.join("/") === other.join("/");
}

/** Returns the item with the smallest key; keys are compared number by number. */
function minBy<T>(items: T[], key: (item: T) => number[]): T | undefined {
  return items.toSorted((one, other) => {
    const [left, right] = [key(one), key(other)];
    const differs = left.findIndex((value, index) => value !== right[index]);
    return differs < 0 ? 0 : (left[differs] ?? 0) - (right[differs] ?? 0);
  })[0];
}
