/**
 * How large the patches of the circle are drawn: as large as their room allows.
 *
 * If all coming patches can be in sight, they lie in lines. Otherwise they form one line that
 * scrolls, in which the next ones are in sight; there they may stand upright, which takes less width.
 */

import { PATCHES } from "../../generated/art";

export interface Room {
  width: number;
  height: number;
}

export interface Arrangement {
  /** The width of a space of the patches in pixels. */
  cell: number;
  /** The size of the text on their labels in pixels. */
  text: number;
  /** Whether they form one line that scrolls. */
  scrolls: boolean;
  /** Whether they stand on their short sides. */
  upright: boolean;
}

/** The space between two patches, and between a patch and its frame, in pixels. */
export const GAP = 2;
export const PADDING = 2;
const STEP = 0.5;
const LARGEST = 44;
/** No space is drawn smaller; if all coming patches would have to be, their line scrolls. */
const SMALLEST = 9;
/** The width of the sign that a line goes on, in pixels. */
export const CUE = 14;
/** How many of them are in sight in a line that scrolls, unless they would be too small. */
const IN_SIGHT = 5;
/** The height of most patches in spaces. */
const ROWS = 3;
/** The size of a label, and how far its text grows with the patch. */
const LABEL = { width: 3.1, height: 3.25, growth: 1.5 };

/** Arranges the coming patches; `text` is the smallest size of text that can be read well. */
export function arrange(patches: readonly number[], room: Room, text: number): Arrangement {
  const textAt = (cell: number) => Math.min(Math.max(text, cell * 0.75), text * LABEL.growth);
  const width = (patch: number, cell: number, upright = false) =>
    shape(patch, upright).columns * cell + LABEL.width * textAt(cell) + 2 * PADDING + GAP;
  const height = (rows: number, cell: number) =>
    Math.max(rows * cell, LABEL.height * textAt(cell)) + 2 * PADDING + GAP;

  const all = largest((cell) => {
    const widths = patches.map((patch) => width(patch, cell));
    return countLines(widths, room.width + GAP) * height(ROWS, cell) <= room.height + GAP;
  });
  if (all >= SMALLEST) return { cell: all, text: textAt(all), scrolls: false, upright: false };
  const next = patches.slice(0, IN_SIGHT);
  const line = room.width - CUE + GAP;
  const [flat = 0, upright = 0] = [false, true].map((upright) => {
    const rows = Math.max(...patches.map((patch) => shape(patch, upright).rows));
    return largest(
      (cell) =>
        (cell <= SMALLEST ||
          next.reduce((sum, patch) => sum + width(patch, cell, upright), 0) <= line) &&
        height(rows, cell) <= room.height + GAP,
    );
  });
  const cell = Math.max(flat, upright);
  return { cell, text: textAt(cell), scrolls: true, upright: upright > flat };
}

/** Returns how large the spaces of the patches on offer are, each of which has a room. */
export function offerCell(patches: readonly number[], rooms: readonly Room[]): number {
  const cells = patches.map((patch, place) =>
    Math.min((rooms[place]?.width ?? 0) / widthOf(patch), (rooms[place]?.height ?? 0) / ROWS),
  );
  return Math.max(Math.floor(Math.min(...cells)), 1);
}

/** Returns the width of a patch in spaces. */
export function widthOf(patch: number): number {
  return shape(patch).columns;
}

function shape(patch: number, upright = false): { columns: number; rows: number } {
  const rows = PATCHES[patch]?.rows ?? [];
  const columns = rows[0]?.length ?? 0;
  return upright ? { columns: rows.length, rows: columns } : { columns, rows: rows.length };
}

function largest(fits: (cell: number) => boolean): number {
  let cell = LARGEST;
  while (cell > STEP && !fits(cell)) cell -= STEP;
  return cell;
}

/** Returns in how many lines things of these widths lie. */
function countLines(widths: readonly number[], room: number): number {
  let lines = 0;
  let left = 0;
  for (const width of widths) {
    if (width > left) {
      lines += 1;
      left = room;
    }
    left -= width;
  }
  return lines;
}
