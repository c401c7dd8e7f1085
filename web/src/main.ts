/** Starts the page.
 *
 * This file is small, so that the messages are requested while everything else is still loading.
 */

import "./generated/colours.css";
import "./page.css";
import { loadMessages, preferredLanguage } from "./i18n/messages";

const target = document.getElementById("page");
if (target) void start(target);

async function start(target: HTMLElement): Promise<void> {
  try {
    const language = preferredLanguage();
    const [{ begin }] = await Promise.all([import("./begin"), loadMessages(language)]);
    await begin(target, language);
  } catch {
    // Perhaps the messages could not be loaded, so this has no words in any language.
    const again = Object.assign(document.createElement("button"), {
      textContent: "↻",
      ariaLabel: "Reload",
      onclick: () => location.reload(),
    });
    target.replaceChildren(document.createElement("main"));
    target.firstElementChild?.append(again);
  }
}
