/**
 * Shows events one after the other, with a pause after each move, so that the user can follow them.
 *
 * Any key or press shows all of them at once. It does nothing else, since it was meant for what was
 * on the screen before.
 */

import { preferences } from "../settings/preferences.svelte";

/** Milliseconds between a move and the next event, long enough to see what it did. */
export const MOVE_PAUSE = 700;
/** Keys that do nothing at the table and must keep working in the browser. */
const PASSED_KEYS = ["Tab", "Shift", "Control", "Alt", "Meta"];

export class EventQueue {
  private steps = $state.raw<(() => void)[]>([]);
  private timer = 0;
  /** Whether the click that follows the last press is to be ignored. */
  private ignoreClick = false;

  constructor() {
    document.addEventListener("visibilitychange", this.flush);
    window.addEventListener("keydown", this.onKey, true);
    window.addEventListener("pointerdown", this.onPress, true);
    window.addEventListener("click", this.onClick, true);
  }

  /** Whether there are events that have not been shown yet. */
  get waiting(): boolean {
    return this.steps.length > 0;
  }

  /** Shows an event after those before it; `pause` delays the ones after it. */
  add(show: () => void, pause: boolean): void {
    const immediate = preferences.motion === "off" || document.hidden;
    const step = () => {
      show();
      if (pause && !immediate) this.timer = window.setTimeout(this.next, MOVE_PAUSE);
    };
    if (immediate) this.flush();
    if (this.timer) this.steps = [...this.steps, step];
    else step();
  }

  /** Shows all events now, and ends the current pause. */
  readonly flush = (): void => {
    do this.next();
    while (this.waiting);
    this.endPause();
  };

  /** Discards the events that have not been shown. */
  clear(): void {
    this.steps = [];
    this.endPause();
  }

  close(): void {
    this.clear();
    document.removeEventListener("visibilitychange", this.flush);
    window.removeEventListener("keydown", this.onKey, true);
    window.removeEventListener("pointerdown", this.onPress, true);
    window.removeEventListener("click", this.onClick, true);
  }

  private readonly next = (): void => {
    this.endPause();
    while (this.waiting && !this.timer) {
      const [first, ...others] = this.steps;
      this.steps = others;
      first?.();
    }
  };

  private endPause(): void {
    window.clearTimeout(this.timer);
    this.timer = 0;
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    this.ignoreClick = false;
    if (!this.waiting) return;
    this.flush();
    if (!PASSED_KEYS.includes(event.key)) stop(event);
  };

  private readonly onPress = (event: PointerEvent): void => {
    this.ignoreClick = this.waiting;
    if (!this.waiting) return;
    this.flush();
    stop(event);
  };

  private readonly onClick = (event: MouseEvent): void => {
    if (this.ignoreClick) stop(event);
    this.ignoreClick = false;
  };
}

function stop(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}
