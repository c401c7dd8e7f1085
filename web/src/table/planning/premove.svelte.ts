/**
 * The user's next move, prepared in the other player's turn and played when the user's turn comes.
 *
 * Only this page knows of it: it is gone when the page is left or loaded again. It is meant for the
 * user's next decision in the game as it went on from here, and for no other.
 */

import { untrack } from "svelte";
import { coveredCells, pickUp, placeAs, toMove, type Ghost } from "../../game/placement";
import type { PlayableGame } from "../../game/playableGame";
import type { PositionView } from "../../generated/wire";
import { preferences } from "../../settings/preferences.svelte";

export interface PreparedMove {
  /** In the game's notation. */
  move: string;
  /** The patch and the spaces it will cover; null and none for an advance. */
  patch: number | null;
  cells: number[];
}

/** Why a prepared move was cancelled. */
export type Misfit =
  | "taken"
  | "not-on-offer"
  | "cannot-afford"
  | "overlaps"
  | "leather"
  | "takeback"
  | "moved";

export class Premove {
  prepared = $state.raw<PreparedMove | null>(null);
  /** Whether an advance is shown, but not prepared yet. */
  advancing = $state(false);
  /** The move that was cancelled last, and why. */
  cancelled = $state.raw<(PreparedMove & { why: Misfit }) | null>(null);
  /** The moves of the game when this one was prepared. */
  private madeBefore: PlayableGame["moves"] = [];

  constructor(private readonly game: PlayableGame) {
    $effect(() => {
      if (!this.enabled) this.advancing = false;
      this.check();
    });
  }

  /** Whether a move can be prepared: the game goes on, and the other player is to move. */
  readonly enabled = $derived.by(() => {
    const { plan, turn, you } = this.game;
    return plan !== null && turn !== null && you.length === 1 && !you.includes(turn);
  });

  /** Prepares the purchase of a patch that is being tried; returns whether that is possible. */
  preparePatch(ghost: Ghost): boolean {
    const move = toMove(ghost);
    if (!move || !this.enabled) return false;
    this.prepare({ move, patch: ghost.patch, cells: coveredCells(ghost) });
    return true;
  }

  /** Shows an advance, the one move that needs no patch. */
  begin(): void {
    this.cancelled = null;
    this.advancing = this.enabled;
  }

  /** Shows an advance; prepares it if it is shown already, or needs no confirmation. */
  advance(): void {
    if (!this.enabled) return;
    if (!preferences.confirm || this.advancing) {
      this.prepare({ move: "A", patch: null, cells: [] });
    } else this.begin();
  }

  /** Cancels what is shown, or else what is prepared. */
  cancel(): void {
    if (this.advancing) this.advancing = false;
    else this.prepared = null;
  }

  private prepare(prepared: PreparedMove): void {
    this.advancing = false;
    this.cancelled = null;
    this.madeBefore = this.game.moves;
    this.prepared = prepared;
  }

  /** Plays the prepared move if its time has come, and cancels it if it no longer fits. */
  private check(): void {
    const { game, prepared } = this;
    const { position } = game;
    if (!prepared || !position) return;
    if (game.over) {
      this.prepared = null;
      return;
    }
    const why = this.whyObsolete() ?? (game.myTurn ? whyNot(prepared, position) : null);
    if (why) {
      this.prepared = null;
      this.cancelled = { ...prepared, why };
    } else if (game.myTurn && !game.pending && game.status?.asking === null) {
      // First forgotten, then sent: whatever happens, it is not played again.
      this.prepared = null;
      untrack(() => game.act({ t: "move", move: prepared.move }));
    }
  }

  /** Returns why the prepared move belongs to another course of the game, or can never be made. */
  private whyObsolete(): Misfit | null {
    const { madeBefore, game, prepared } = this;
    const same = madeBefore.every(([seat, move], index) => {
      const made = game.moves[index];
      return made?.[0] === seat && made[1] === move;
    });
    if (!same) return "takeback";
    const since = game.moves.slice(madeBefore.length);
    if (since.some(([seat]) => game.you.includes(seat))) return "moved";
    const patch = prepared?.patch ?? null;
    return patch === null || game.position?.circle.includes(patch) ? null : "taken";
  }
}

/** Returns why a move cannot be played, on the user's turn; null if the server offers it. */
function whyNot({ move, patch }: PreparedMove, position: PositionView): Misfit | null {
  if (position.phase === "leather") return "leather";
  if (patch === null) return null; // advancing is always possible
  const offer = position.offers.find((each) => each.patch === patch);
  if (!offer) return "not-on-offer";
  if (offer.refused === "cannot-afford") return "cannot-afford";
  const fits = !offer.refused && toMove(placeAs(pickUp(offer), move)) === move;
  return fits ? null : "overlaps";
}
