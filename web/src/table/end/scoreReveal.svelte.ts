/** Reveals the scoring one step after the other, in the order of the rulebook. */

import { preferences } from "../../settings/preferences.svelte";

/** The steps in order; the last one names the winner. */
export const STEPS = ["buttons", "tile", "empty", "total"] as const;
export type Step = (typeof STEPS)[number];

/** Milliseconds for a step, enough to read a line; the first one comes after half of that. */
const STEP_TIME = 1100;

export class ScoreReveal {
  private shown = $state(STEPS.length as number);
  /** Whether the steps appear one by one; otherwise all are shown from the start. */
  readonly animated: boolean;

  constructor(isNew: boolean) {
    this.animated = isNew && preferences.motion !== "off";
    if (this.animated) this.shown = 0;
    $effect(() => {
      if (this.done) return;
      const delay = this.shown ? STEP_TIME : STEP_TIME / 2;
      const timer = setTimeout(() => (this.shown += 1), delay);
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
