/** Shows the page in a language; in a file of its own so that `main.ts` needs not wait for it. */

import { mount } from "svelte";
import App from "./App.svelte";
import { setLanguage } from "./i18n/language.svelte";
import type { Language } from "./i18n/messages";

export async function begin(target: HTMLElement, language: Language): Promise<void> {
  await setLanguage(language);
  mount(App, { target });
}
