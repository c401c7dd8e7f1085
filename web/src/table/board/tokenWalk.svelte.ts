/** A token that walks to its space, the faster the farther that is. */

import { preferences } from "../../settings/preferences.svelte";

const PACE = 90; // milliseconds for a step
const STEPS = 6; // a step is this part of the way left, at least one space

export class Walk {
  /** Where the token is shown. */
  space = $state(0);

  constructor(private readonly target: () => number) {
    this.space = target();
    $effect(() => {
      const end = target();
      const still = preferences.motion === "off" || document.hidden;
      // Only forwards: what is taken back is taken back at once.
      if (still || end < this.space) this.space = end;
      if (this.space === end) return;
      const timer = setTimeout(() => (this.space += Math.ceil((end - this.space) / STEPS)), PACE);
      return () => clearTimeout(timer);
    });
  }

  /** Ends the walk at once. */
  skip(): void {
    this.space = this.target();
  }
}
