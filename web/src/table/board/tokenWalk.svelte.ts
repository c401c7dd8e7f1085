/** A token that walks to its space, faster the farther it has to go. */

import { preferences } from "../../settings/preferences.svelte";

/** Milliseconds for a step; the transition of a token in TimeBoard.svelte takes as long. */
const STEP_TIME = 90;
/** A step covers a sixth of the remaining way, rounded up to whole spaces. */
const WAY_PARTS = 6;

export class TokenWalk {
  /** Where the token is shown. */
  space = $state(0);

  constructor(private readonly target: () => number) {
    this.space = target();
    $effect(() => {
      const end = target();
      const still = preferences.motion === "off" || document.hidden;
      // Tokens only walk forwards; after a takeback they jump back.
      if (still || end < this.space) this.space = end;
      if (this.space === end) return;
      const step = Math.ceil((end - this.space) / WAY_PARTS);
      const timer = setTimeout(() => (this.space += step), STEP_TIME);
      return () => clearTimeout(timer);
    });
  }

  /** Ends the walk at once. */
  skip(): void {
    this.space = this.target();
  }
}
