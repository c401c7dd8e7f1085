/** What the player is about to do: a patch in the hand, or advancing. */

import { aim, flip, fits, follow, middleOf, moveOf } from "../../game/placement";
import { step, take, takeLeather, turn } from "../../game/placement";
import type { Direction, Ghost } from "../../game/placement";
import type { Playing } from "../../game/playableGame";
import type { Effect, Offer } from "../../generated/wire";
import { preferences } from "../../settings/preferences.svelte";

export class Choosing {
  ghost = $state.raw<Ghost | null>(null);
  advancing = $state(false);
  /** The ghost was put down, so that it no longer follows the pointer. */
  put = $state(false);
  /** Why a patch cannot be taken that the player would like to take. */
  denied = $state<Offer["refused"]>(null);
  /** How often an arrow found no place to go since the ghost moved. */
  stuck = $state(0);
  /** Where the last patch was held, in spaces: the next one appears there. */
  private spot: [number, number] = [4.5, 4.5];

  constructor(private readonly game: Playing) {
    // Whatever happens at the table, the hand is empty again; leather is in it by itself.
    $effect(() => {
      const position = game.position;
      const leather = game.mine ? position?.leather_choice : null;
      this.advancing = false;
      this.put = false;
      this.denied = null;
      this.stuck = 0;
      this.ghost = leather ? takeLeather(leather) : null;
    });
  }

  /** Whether the player may decide now. */
  readonly open = $derived.by(() => this.game.mine && !this.game.waiting);

  get chosen(): number | null {
    return this.ghost?.patch ?? null;
  }

  /** What the move in preparation would do, but for what depends on the place. */
  get effect(): Effect | null {
    const position = this.game.position;
    if (this.advancing) return position?.advance ?? null;
    return position?.offers.find(({ patch }) => patch === this.chosen)?.effect ?? null;
  }

  choose(offer: Offer): boolean {
    if (!this.open || this.leather) return false;
    this.denied = offer.refused;
    if (offer.refused) return false;
    if (offer.patch !== this.chosen) {
      this.ghost = take(offer, ...this.spot);
      this.put = false;
    }
    this.advancing = false;
    return true;
  }

  advance(): void {
    if (!this.open || !this.game.position?.advance) return;
    if (!preferences.confirm || this.advancing) {
      this.game.act({ t: "move", move: "A" });
    } else {
      this.ghost = null;
      this.denied = null;
      this.advancing = true;
    }
  }

  /** Holds the ghost over a point of the quilt. */
  aim(y: number, x: number): void {
    if (!this.ghost) return;
    this.spot = [y, x];
    this.ghost = aim(this.ghost, y, x);
  }

  step(direction: Direction): void {
    if (!this.ghost) return;
    const next = step(this.ghost, direction);
    this.stuck = next === this.ghost ? this.stuck + 1 : 0;
    this.ghost = next;
    this.settle();
  }

  turn(): void {
    if (this.ghost) this.ghost = turn(this.ghost);
  }

  flip(): void {
    if (this.ghost) this.ghost = flip(this.ghost);
  }

  /** Puts the ghost down; leather, and every patch where nothing is confirmed, is sewn on. */
  drop(): void {
    this.settle();
    if (this.leather || !preferences.confirm) this.confirm();
  }

  confirm(): void {
    const move = this.advancing ? "A" : this.ghost && moveOf(this.ghost);
    if (this.open && move) this.game.act({ t: "move", move });
  }

  cancel(): void {
    this.advancing = false;
    if (!this.leather) this.ghost = null;
  }

  /** Prepares a move that was recommended. */
  show(move: string): void {
    if (move === "A") {
      this.ghost = null;
      this.advancing = true;
      return;
    }
    const offer = this.game.position?.offers.find(({ patch }) => patch === parseInt(move));
    if (offer) this.choose(offer);
    if (this.ghost) this.ghost = follow(this.ghost, move);
    this.put = true;
  }

  get leather(): boolean {
    return this.ghost !== null && this.ghost.patch === null;
  }

  get fits(): boolean {
    return this.advancing || (this.ghost !== null && fits(this.ghost));
  }

  private settle(): void {
    if (!this.ghost) return;
    this.put = true;
    const { y, x } = middleOf(this.ghost);
    this.spot = [y, x];
  }
}
