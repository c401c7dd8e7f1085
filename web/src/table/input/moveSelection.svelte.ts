/** The move that the user is preparing: a patch being placed, or an advance. */

import {
  centreOf,
  fits,
  flip,
  pickUp,
  pickUpLeather,
  placeAs,
  rotate,
  SIDE,
  snapTo,
  step,
  toMove,
  type Direction,
  type Ghost,
} from "../../game/placement";
import type { PlayableGame } from "../../game/playableGame";
import type { Effect, Offer } from "../../generated/wire";
import { preferences } from "../../settings/preferences.svelte";

export class MoveSelection {
  ghost = $state.raw<Ghost | null>(null);
  advancing = $state(false);
  /** Whether the ghost was put down, and no longer follows the pointer. */
  placed = $state(false);
  /** Why the patch that the user tried to pick up cannot be bought. */
  refusal = $state<Offer["refused"]>(null);
  /** How many arrow keys in a row found no place to go. */
  blockedSteps = $state(0);
  /** The centre of the last ghost, in spaces; the next one appears there. */
  private lastCentre: [number, number] = [SIDE / 2, SIDE / 2];

  constructor(private readonly game: PlayableGame) {
    // Every new position clears the selection; a leather patch is picked up automatically.
    $effect(() => {
      const position = game.position;
      const leather = game.myTurn ? position?.leather_choice : null;
      this.advancing = false;
      this.placed = false;
      this.refusal = null;
      this.blockedSteps = 0;
      this.ghost = leather ? pickUpLeather(leather) : null;
    });
  }

  /** Whether the user can act now. */
  readonly enabled = $derived.by(() => this.game.myTurn && !this.game.pending);

  /** The patch being placed; null without one, or for leather. */
  get patch(): number | null {
    return this.ghost?.patch ?? null;
  }

  /** The effect of the prepared move, except for what depends on the place of the patch. */
  get effect(): Effect | null {
    const position = this.game.position;
    if (this.advancing) return position?.advance ?? null;
    return position?.offers.find(({ patch }) => patch === this.patch)?.effect ?? null;
  }

  /** Picks up a patch; returns whether that is possible. */
  select(offer: Offer): boolean {
    if (!this.enabled || this.leather) return false;
    this.refusal = offer.refused;
    if (offer.refused) return false;
    if (offer.patch !== this.patch) {
      this.ghost = pickUp(offer, ...this.lastCentre);
      this.placed = false;
    }
    this.advancing = false;
    return true;
  }

  /** Prepares an advance; plays it if it is prepared already, or needs no confirmation. */
  advance(): void {
    if (!this.enabled || !this.game.position?.advance) return;
    if (!preferences.confirm || this.advancing) {
      this.game.act({ t: "move", move: "A" });
    } else {
      this.ghost = null;
      this.refusal = null;
      this.advancing = true;
    }
  }

  /** Moves the ghost near a point of the quilt, given in spaces. */
  moveTo(y: number, x: number): void {
    if (!this.ghost) return;
    this.lastCentre = [y, x];
    this.ghost = snapTo(this.ghost, y, x);
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

  /** Puts the ghost down; leather is played at once, and so is a patch without confirmation. */
  putDown(): void {
    this.stay();
    if (this.leather || !preferences.confirm) this.confirm();
  }

  /** Plays the prepared move. */
  confirm(): void {
    const move = this.advancing ? "A" : this.ghost && toMove(this.ghost);
    if (this.enabled && move) this.game.act({ t: "move", move });
  }

  /** Clears the selection; leather cannot be put back. */
  cancel(): void {
    this.advancing = false;
    if (!this.leather) this.ghost = null;
  }

  /** Prepares a recommended move. */
  prepare(move: string): void {
    if (move === "A") {
      this.ghost = null;
      this.advancing = true;
      return;
    }
    const offer = this.game.position?.offers.find(({ patch }) => patch === parseInt(move));
    if (offer) this.select(offer);
    if (this.ghost) this.ghost = placeAs(this.ghost, move);
    this.placed = true;
  }

  /** Whether a leather patch is being placed. */
  get leather(): boolean {
    return this.ghost !== null && this.ghost.patch === null;
  }

  /** Whether the prepared move can be played. */
  get fits(): boolean {
    return this.advancing || (this.ghost !== null && fits(this.ghost));
  }

  private stay(): void {
    if (!this.ghost) return;
    this.placed = true;
    const { y, x } = centreOf(this.ghost);
    this.lastCentre = [y, x];
  }
}
