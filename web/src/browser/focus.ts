/** Moves the keyboard focus when the element that had it has gone. */

import { tick } from "svelte";

/** Focuses the title of a screen that has just opened, or its main element. */
export async function focusMain(): Promise<void> {
  await tick();
  const main = document.querySelector("main");
  const start = main?.querySelector<HTMLElement>("h1[tabindex]") ?? main;
  if (!start) return;
  start.tabIndex = -1;
  start.focus({ preventScroll: true });
}

/** Focuses the player's own quilt if nothing else has the focus any more. */
export async function focusQuilt(): Promise<void> {
  await tick();
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('main [role="grid"]')?.focus({ preventScroll: true });
}
