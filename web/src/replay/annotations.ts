/** Annotations of moves, such as `!`, for the eye and in words. */

import { say } from "../i18n/language.svelte";

/** The signs of the notation's first annotations, and the names of their words. */
const SIGNS: Record<number, [sign: string, name: string]> = {
  1: ["!", "good"],
  2: ["?", "bad"],
  3: ["!!", "very-good"],
  4: ["??", "very-bad"],
  5: ["!?", "interesting"],
  6: ["?!", "dubious"],
};

/** Returns the sign of an annotation. */
export function annotationSign(number: number): string {
  return SIGNS[number]?.[0] ?? `$${number}`;
}

/** Returns what an annotation says. */
export function annotationText(number: number): string {
  return say("page-replay-annotation", { name: SIGNS[number]?.[1] ?? "other", number });
}
