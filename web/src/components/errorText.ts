/** Error messages for the user. */

import { say } from "../i18n/language.svelte";
import { RequestError } from "../net/api";

/** Returns a sentence for the user about what went wrong. */
export function errorText(error: unknown): string {
  switch (error instanceof RequestError ? error.code : null) {
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
    case "bad-circle":
      return say("page-trouble-bad-circle");
    default:
      return say("page-trouble-other");
  }
}
