/** Ideas and the prepared move in words. */

import { moveText } from "../../game/describe";
import { PATCHES } from "../../generated/art";
import type { Idea } from "../../generated/wire";
import { language, say } from "../../i18n/language.svelte";
import type { DroppedIdea } from "./planning.svelte";
import type { Misfit, PreparedMove } from "./premove.svelte";

/** Returns what a purchase would cost and bring, and when it can be made, as short phrases. */
export function ideaPhrases(idea: Idea, time: number): string[] {
  const { patch, space, income, leather, short, after } = idea;
  const cost = PATCHES[patch]?.cost ?? 0;
  const phrases = [
    say("page-idea-tag"),
    say("page-idea-costs", { buttons: cost }),
    say("page-table-lands", { space, spaces: space - time }),
  ];
  if (income) phrases.push(say("page-table-gets-income", { buttons: income }));
  if (leather) phrases.push(say("page-table-gets-leather"));
  if (short) phrases.push(say("page-idea-short", { buttons: short }));
  const any = new Intl.ListFormat(language(), { type: "disjunction" });
  const named = isNamed(idea) ? any.format(after.map(String)) : "";
  phrases.push(`${whenText(idea)} ${named}`.trim());
  return phrases;
}

/** Returns when a patch can be had. */
export function whenText(idea: Idea): string {
  const { purchases } = idea;
  if (purchases === 0) return say("page-idea-now");
  if (purchases > 1) return say("page-idea-later", { purchases });
  return isNamed(idea) ? say("page-idea-if") : say("page-idea-next");
}

/** Returns whether it depends on which patch is bought next. */
export function isNamed({ purchases, after }: Idea): boolean {
  return purchases === 1 && after.length < 3;
}

export function droppedText({ patch, why }: DroppedIdea): string {
  return say("page-idea-dropped", { patch, why });
}

export function preparedText({ move }: PreparedMove): string {
  return say("page-next-is", { move: moveText(move) });
}

export function cancelledText({ patch, why }: { patch: number | null; why: Misfit }): string {
  return say("page-next-cancelled", { patch: patch ?? 0, why });
}
