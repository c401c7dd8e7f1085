/** The scoring of the rulebook, laid out one step after the other. */

import { preferences } from "../../settings/preferences.svelte";

/** The steps in their order; the last one names the winner. */
export const STEPS = ["buttons", "tile", "empty", "total"] as const;
export type Step = (typeof STEPS)[number];

const PACE = 1100; // milliseconds for a step

export class Scoring {
  private shown = $state(STEPS.length as number);
  /** Whether it is scored before the reader's eyes; else all stands there. */
  readonly moving: boolean;

  constructor(fresh: boolean) {
    this.moving = fresh && preferences.motion !== "off";
    if (this.moving) this.shown = 0;
    $effect(() => {
      if (this.done) return;
      const timer = setTimeout(() => (this.shown += 1), this.shown ? PACE : PACE / 2);
      return () => clearTimeout(timer);
    });
  }

  get done(): boolean {
    return this.shown >= STEPS.length;
  }

  shows(step: Step): boolean {
    return STEPS.indexOf(step) < this.shown;
  }

  readonly skip = (): void => {
    this.shown = STEPS.length;
  };
}
