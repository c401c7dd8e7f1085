/** A patch in the hand: it can be turned, flipped and moved over the quilt until it is put down. */

import {
  centreOf,
  fits,
  flip,
  rotate,
  SIDE,
  snapTo,
  step,
  type Direction,
  type Ghost,
} from "./placement";

export abstract class HeldPatch {
  ghost = $state.raw<Ghost | null>(null);
  /** Whether the ghost was put down, and no longer follows the pointer. */
  placed = $state(false);
  /** How many arrow keys in a row found no place to go. */
  blockedSteps = $state(0);
  /** The centre of the last ghost, in spaces; the next one appears there. */
  protected lastCentre: [number, number] = [SIDE / 2, SIDE / 2];

  /** Whether the user can move it now. */
  abstract readonly enabled: boolean;

  /** Leaves the ghost where it is. */
  abstract putDown(): void;

  /** Puts the patch back. */
  abstract cancel(): void;

  /** Its patch; null without one, or for leather. */
  get patch(): number | null {
    return this.ghost?.patch ?? null;
  }

  /** Whether it is a leather patch. */
  get leather(): boolean {
    return this.ghost !== null && this.ghost.patch === null;
  }

  /** Whether it fits where it is. */
  get fits(): boolean {
    return this.ghost !== null && fits(this.ghost);
  }

  /** Moves the ghost near a point of the quilt, given in spaces. */
  moveTo(y: number, x: number): void {
    this.lastCentre = [y, x];
    if (this.ghost) this.ghost = snapTo(this.ghost, y, x);
  }

  step(direction: Direction): void {
    if (!this.ghost) return;
    const next = step(this.ghost, direction);
    this.blockedSteps = next === this.ghost ? this.blockedSteps + 1 : 0;
    this.ghost = next;
    this.stay();
  }

  rotate(): void {
    if (this.ghost) this.ghost = rotate(this.ghost);
  }

  flip(): void {
    if (this.ghost) this.ghost = flip(this.ghost);
  }

  /** Makes the ghost stay, and the next one appear there. */
  stay(): void {
    if (!this.ghost) return;
    this.placed = true;
    const { y, x } = centreOf(this.ghost);
    this.lastCentre = [y, x];
  }
}
