/** The messages of the page in the language of the user. */

import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import { loadMessages, storeLanguage, type Language } from "./messages";

/** The names of the languages in those languages. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  cs: "Čeština",
  pl: "Polski",
  ru: "Русский",
};

let bundle = $state.raw<FluentBundle>();
let current = $state<Language>("en");
let failed = $state(false);

/** Returns the current language. */
export function language(): Language {
  return current;
}

/** Shows the page in a language. */
export async function setLanguage(language: Language): Promise<void> {
  const loaded = new FluentBundle(language, { useIsolating: false });
  const messages = new FluentResource(await loadMessages(language));
  for (const error of loaded.addResource(messages)) throw error;
  bundle = loaded;
  current = language;
  document.documentElement.lang = language;
}

/** Shows the page in the language that the user chose, and stores the choice. */
export async function chooseLanguage(language: Language): Promise<void> {
  try {
    await setLanguage(language);
    storeLanguage(language);
    failed = false;
  } catch {
    failed = true;
  }
}

/** Returns whether the messages in the language that was chosen last could not be loaded. */
export function choiceFailed(): boolean {
  return failed;
}

/** Returns a message in the current language. */
export function say(key: string, values: Record<string, FluentVariable> = {}): string {
  const pattern = bundle?.getMessage(key)?.value;
  if (!bundle || !pattern) return key;
  // Some languages format negative numbers with a hyphen.
  return bundle.formatPattern(pattern, values).replace(/(?<!\S)-(?=\d)/g, "−");
}

/** Returns a number as text outside of messages, with a minus sign instead of a hyphen. */
export function formatNumber(number: number): string {
  return String(number).replace("-", "−");
}
