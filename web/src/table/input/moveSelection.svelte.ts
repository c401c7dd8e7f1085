/** The move that the user is preparing: a patch being placed, or an advance. */

import { pickUp, pickUpLeather, placeAs, toMove } from "../../game/placement";
import type { PlayableGame } from "../../game/playableGame";
import type { Effect, Offer } from "../../generated/wire";
import { preferences } from "../../settings/preferences.svelte";
import { HeldPatch } from "../../game/heldPatch.svelte";

export class MoveSelection extends HeldPatch {
  advancing = $state(false);
  /** Why the patch that the user tried to pick up cannot be bought. */
  refusal = $state<Offer["refused"]>(null);

  constructor(private readonly game: PlayableGame) {
    super();
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

  /** Puts the ghost down, and sews it on unless moves are confirmed. */
  putDown(): void {
    this.stay();
    if (!preferences.confirm) this.confirm();
  }

  /** Plays the prepared move. */
  confirm(): void {
    const move = this.advancing ? "A" : this.ghost && toMove(this.ghost);
    if (this.enabled && this.ready && move) this.game.act({ t: "move", move });
  }

  /**
   * Whether the prepared move may be played. A leather patch is picked up by itself, so that a press
   * too many on the patch before must not sew it on: its place has to be chosen first.
   */
  get ready(): boolean {
    return this.fits && (!this.leather || this.placed);
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

  /** Whether the prepared move can be played. */
  override get fits(): boolean {
    return this.advancing || super.fits;
  }
}
