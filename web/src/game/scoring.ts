/** The parts of a score, as in the rulebook's section on the end of the game. */

import type { PlayerView } from "../generated/wire";
import { SIDE } from "./placement";

/** Points for the special tile. */
export const TILE_POINTS = 7;
/** Points for each empty space of the quilt. */
export const EMPTY_SPACE_POINTS = -2;

/** Returns the number of empty spaces of a quilt. */
export function emptySpaces({ layout }: PlayerView): number {
  return SIDE * SIDE - layout.reduce((sum, [, cells]) => sum + cells.length, 0);
}
