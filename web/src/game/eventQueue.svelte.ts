/**
 * Shows what happens one thing after the other, so that it can be followed.
 *
 * Whoever is in a hurry presses any key, or anywhere, and sees all of it at once. What is pressed so
 * does nothing else: it was meant for what was on the screen before.
 */

import { preferences } from "../settings/preferences.svelte";

/** Milliseconds for which a move is seen before the next one. */
export const PAUSE = 700;
/** Keys that decide nothing and are wanted for what they do. */
const HARMLESS = ["Tab", "Shift", "Control", "Alt", "Meta"];

export class Pace {
  private steps = $state.raw<(() => void)[]>([]);
  private timer = 0;
  /** What was pressed to see all at once is still to be clicked. */
  private swallows = false;

  constructor() {
    document.addEventListener("visibilitychange", this.rush);
    window.addEventListener("keydown", this.key, true);
    window.addEventListener("pointerdown", this.press, true);
    window.addEventListener("click", this.click, true);
  }

  /** Whether what is shown is not yet what there is. */
  get late(): boolean {
    return this.steps.length > 0;
  }

  /** Shows something when its time has come; what is looked at lets the next one wait. */
  add(show: () => void, looked: boolean): void {
    const still = preferences.motion === "off" || document.hidden;
    const step = () => {
      show();
      if (looked && !still) this.timer = window.setTimeout(this.next, PAUSE);
    };
    if (still) this.rush();
    if (this.timer) this.steps = [...this.steps, step];
    else step();
  }

  /** Shows all that waits, and lets nothing wait for what is looked at. */
  readonly rush = (): void => {
    do this.next();
    while (this.late);
    this.rest();
  };

  /** Forgets what waits. */
  clear(): void {
    this.steps = [];
    this.rest();
  }

  close(): void {
    this.clear();
    document.removeEventListener("visibilitychange", this.rush);
    window.removeEventListener("keydown", this.key, true);
    window.removeEventListener("pointerdown", this.press, true);
    window.removeEventListener("click", this.click, true);
  }

  private readonly next = (): void => {
    this.rest();
    while (this.late && !this.timer) {
      const [first, ...others] = this.steps;
      this.steps = others;
      first?.();
    }
  };

  private rest(): void {
    window.clearTimeout(this.timer);
    this.timer = 0;
  }

  private readonly key = (event: KeyboardEvent): void => {
    this.swallows = false;
    if (!this.late) return;
    this.rush();
    if (!HARMLESS.includes(event.key)) stop(event);
  };

  private readonly press = (event: PointerEvent): void => {
    this.swallows = this.late;
    if (!this.late) return;
    this.rush();
    stop(event);
  };

  private readonly click = (event: MouseEvent): void => {
    if (this.swallows) stop(event);
    this.swallows = false;
  };
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
