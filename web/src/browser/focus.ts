/** Where the focus goes when what had it is gone. */

import { tick } from "svelte";

/** Puts the focus at the beginning of a screen that has just come: its title, or all of it. */
export async function toBeginning(): Promise<void> {
  await tick();
  const main = document.querySelector("main");
  const begin = main?.querySelector<HTMLElement>("h1[tabindex]") ?? main;
  if (!begin) return;
  begin.tabIndex = -1;
  begin.focus({ preventScroll: true });
}

/** Gives the own quilt the focus if nothing else has it any more. */
export async function toQuilt(): Promise<void> {
  await tick();
  if (document.activeElement !== document.body) return;
  document.querySelector<HTMLElement>('main [role="grid"]')?.focus({ preventScroll: true });
}
