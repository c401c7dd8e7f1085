/** What to say when something does not work. */

import { say } from "../i18n/language.svelte";
import { Trouble } from "../net/api";

/** Returns a kind sentence about what went wrong. */
export function kindly(error: unknown): string {
  switch (error instanceof Trouble ? error.code : null) {
    case "offline":
      return say("page-trouble-offline");
    case "too-many":
      return say("page-trouble-too-many");
    case "busy":
    case "unavailable":
      return say("page-trouble-unavailable");
    case "no-such-table":
    case "not-found":
      return say("page-trouble-no-such-table");
    case "reserved-name":
      return say("page-trouble-reserved-name");
    default:
      return say("page-trouble-other");
  }
}
