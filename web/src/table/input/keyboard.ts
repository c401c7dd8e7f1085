/** The keyboard shortcuts of the table. */

import type { Direction } from "../../game/placement";
import type { PlayableGame } from "../../game/playableGame";
import type { TableInput } from "./tableInput.svelte";

const ARROWS: Record<string, Direction> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

/** What the shortcuts act on. */
export interface ShortcutTargets {
  game: PlayableGame;
  input: TableInput;
  /** Takes a patch of the circle, or tries it. */
  choose: (patch: number) => void;
  /** Moves the focus to the quilt, where screen readers announce what follows. */
  focusQuilt: () => void;
  /** Moves the focus to the patches that are not on offer yet, where arrow keys walk on. */
  focusCircle: () => void;
  swapQuilts: () => void;
  openHelp: () => void;
  openTextView: () => void;
}

/** Runs the shortcut of a key, if it has one now. */
export function handleKey(event: KeyboardEvent, targets: ShortcutTargets): void {
  const element = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (element.closest("dialog, input, select, textarea")) return;
  if (event.repeat && !(event.key in ARROWS)) return; // a key that is held down plays one move
  if (runShortcut(keyOf(event), element, targets)) event.preventDefault();
}

/** Returns the key that was pressed; on keyboards without Latin letters or plain digits, by its place. */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  const [, digit] = /^Digit(\d)$/.exec(code) ?? [];
  const [, letter] = /^Key([A-Z])$/.exec(code) ?? [];
  if (digit && !shiftKey) return digit;
  return letter && !/^[a-z]$/i.test(key) ? letter : key;
}

function runShortcut(key: string, element: HTMLElement, targets: ShortcutTargets): boolean {
  const { game, input, choose, focusQuilt, openHelp } = targets;
  const arrow = ARROWS[key];
  const patch = game.position?.circle[Number(key) - 1];
  if (arrow && input.hand.ghost) {
    input.hand.step(arrow);
    focusQuilt();
  } else if (patch !== undefined) choose(patch);
  else if (key === "Enter" && !element.closest("button, a")) input.confirm();
  else if (key === "Escape") cancel(targets);
  else if (key === "Backspace") input.planning.clear();
  else if (key === "?") openHelp();
  else return runLetter(key.toLowerCase(), targets);
  return true;
}

function cancel({ game, input }: ShortcutTargets): void {
  input.cancel();
  game.endHint();
}

function runLetter(letter: string, targets: ShortcutTargets): boolean {
  const { game, input, focusQuilt, openTextView } = targets;
  if (letter === "r") input.hand.rotate();
  else if (letter === "k") input.planning.keep();
  else if (letter === "c") targets.focusCircle();
  else if (letter === "q") targets.swapQuilts();
  else if (letter === "t") openTextView();
  else if (letter === "f") input.hand.flip();
  else if (letter === "a") {
    input.advance();
    focusQuilt();
  } else if (letter === "u" && game.you.length && !game.pending) game.act({ t: "undo" });
  else if (letter === "h" && game.myTurn && game.table?.opponent === "computer") game.requestHint();
  else return false;
  return true;
}
