/** All that the user can do at the table: move, try ideas, and prepare the next move. */

import type { PlayableGame } from "../../game/playableGame";
import type { Offer } from "../../generated/wire";
import type { HeldPatch } from "../../game/heldPatch.svelte";
import { MoveSelection } from "./moveSelection.svelte";
import { Planning } from "../planning/planning.svelte";
import { Premove } from "../planning/premove.svelte";

/** What the main button and the Enter key do with a patch that is being tried. */
export type Use = "take" | "prepare" | "keep";

export class TableInput {
  readonly selection: MoveSelection;
  readonly planning: Planning;
  readonly premove: Premove;

  constructor(private readonly game: PlayableGame) {
    this.selection = new MoveSelection(game);
    this.planning = new Planning(game);
    this.premove = new Premove(game);
  }

  /** The patch in the hand; an idea that is being tried comes before the move. */
  get hand(): HeldPatch {
    return this.planning.ghost ? this.planning : this.selection;
  }

  /** Whether a patch that cannot be bought now can be tried. */
  get canTry(): boolean {
    return this.planning.enabled;
  }

  /** What can be done with the patch that is being tried. */
  get use(): Use {
    if (this.premove.enabled) return "prepare";
    return this.buyable(this.planning.patch) ? "take" : "keep";
  }

  /** Takes a patch for a move if that is possible, and otherwise tries it. */
  choose(patch: number): void {
    this.forgetNews();
    const offer = this.buyable(patch);
    if (offer) this.take(offer);
    else if (this.canTry) {
      this.selection.cancel();
      this.premove.advancing = false;
      void this.planning.try(patch);
    } else {
      const refused = this.game.position?.offers.find((each) => each.patch === patch);
      if (refused) this.selection.select(refused);
    }
  }

  /** Lifts an idea that was kept, to look at it or to put it elsewhere. */
  tryAgain(patch: number): void {
    this.forgetNews();
    this.selection.cancel();
    void this.planning.try(patch);
  }

  advance(): void {
    this.forgetNews();
    this.planning.cancel();
    if (this.premove.enabled) this.premove.advance();
    else this.selection.advance();
  }

  /** Does what the main button says. */
  confirm(): void {
    const { planning, premove, selection } = this;
    this.forgetNews();
    if (planning.ghost) this.useIdea();
    else if (premove.advancing) premove.advance();
    else selection.confirm();
  }

  /** Puts back what is in the hand, or else cancels the prepared move. */
  cancel(): void {
    const { planning, premove, selection } = this;
    this.forgetNews();
    const trying = planning.ghost !== null;
    planning.cancel(); // also what the server has not answered yet
    if (trying) return;
    if (selection.advancing || selection.patch !== null) selection.cancel();
    else premove.cancel();
  }

  /** Prepares a recommended move for the user to confirm. */
  recommend(move: string): void {
    this.planning.cancel();
    this.selection.prepare(move);
  }

  /** What was cancelled or dropped is shown until the user does something. */
  private forgetNews(): void {
    this.premove.cancelled = null;
    this.planning.dropped = [];
  }

  private useIdea(): void {
    const { planning, premove, use } = this;
    if (use === "keep") planning.keep();
    else if (use === "take") this.take(this.buyable(planning.patch) as Offer);
    else if (planning.ghost && premove.preparePatch(planning.ghost)) planning.cancel();
  }

  /** Takes a patch for a move, where it was thought of if it fits there. */
  private take(offer: Offer): void {
    const { planning, selection } = this;
    const move = planning.placeFor(offer.patch);
    planning.cancel();
    if (selection.patch === offer.patch) return;
    if (move) selection.prepare(move);
    else selection.select(offer);
  }

  /** Returns the offer of a patch that can be bought now. */
  private buyable(patch: number | null): Offer | undefined {
    if (!this.selection.enabled) return undefined;
    return this.game.position?.offers.find((each) => each.patch === patch && !each.refused);
  }
}
