/** What the keys do at a table. */

import type { Direction } from "../../game/placement";
import type { Playing } from "../../game/playableGame";
import type { Offer } from "../../generated/wire";
import type { Choosing } from "./moveSelection.svelte";

const ARROWS: Record<string, Direction> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

export interface Keyboard {
  game: Playing;
  choosing: Choosing;
  choose: (offer: Offer) => void;
  /** Brings the focus to the quilt, where what is done next is heard. */
  focus: () => void;
  /** Shows the list of keys. */
  help: () => void;
  /** Shows the table in words. */
  words: () => void;
}

/** Does what a key stands for, if it stands for something now. */
export function press(event: KeyboardEvent, table: Keyboard): void {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.closest("dialog, input, select, textarea")) return;
  if (act(event.key, target, table)) event.preventDefault();
}

function act(key: string, target: HTMLElement, table: Keyboard): boolean {
  const { game, choosing, choose, focus, help } = table;
  const arrow = ARROWS[key];
  const offer = game.position?.offers[Number(key) - 1];
  if (arrow && choosing.ghost) {
    choosing.step(arrow);
    focus();
  } else if (offer) choose(offer);
  else if (key === "Enter" && !target.closest("button, a")) choosing.confirm();
  else if (key === "Escape") choosing.cancel();
  else if (key === "?") help();
  else return letter(key.toLowerCase(), table);
  return true;
}

function letter(key: string, { game, choosing, focus, words }: Keyboard): boolean {
  if (key === "r") choosing.turn();
  else if (key === "t") words();
  else if (key === "f") choosing.flip();
  else if (key === "a") {
    choosing.advance();
    focus();
  } else if (key === "u" && game.you.length && !game.waiting) game.act({ t: "undo" });
  else if (key === "h" && game.mine && game.table?.opponent === "computer") game.ask();
  else return false;
  return true;
}
