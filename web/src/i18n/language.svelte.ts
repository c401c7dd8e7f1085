/** What the page says, in the language of its reader. */

import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import { recall, remember } from "../browser/storage";

export const LANGUAGES = ["en", "de", "es", "cs", "pl", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What the languages call themselves. */
export const LANGUAGE_NAMES: Record<Language, string> = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  cs: "Čeština",
  pl: "Polski",
  ru: "Русский",
};

const KEY = "language";
const files = import.meta.glob<string>("../../../src/patchwork/locales/*.ftl", { import: "default" });

let bundle = $state.raw<FluentBundle>();
let spoken = $state<Language>("en");

/** Returns the language that is spoken now. */
export function language(): Language {
  return spoken;
}

/** Returns the first language of the reader's that we speak, unless another one was chosen. */
export function preferred(): Language {
  const wished = [recall(KEY) ?? "", ...navigator.languages];
  for (const wish of wished) {
    const found = LANGUAGES.find((language) => language === wish.toLowerCase().split("-")[0]);
    if (found) return found;
  }
  return "en";
}

/** Makes the page speak a language. */
export async function speak(language: Language, chosen = false): Promise<void> {
  if (chosen) remember(KEY, language);
  const load = files[`../../../src/patchwork/locales/${language}.ftl`];
  if (!load) throw new Error(`there are no messages in ${language}`);
  const made = new FluentBundle(language, { useIsolating: false });
  for (const error of made.addResource(new FluentResource(await load()))) throw error;
  bundle = made;
  spoken = language;
  document.documentElement.lang = language;
}

/** Returns a message. */
export function say(key: string, values: Record<string, FluentVariable> = {}): string {
  const pattern = bundle?.getMessage(key)?.value;
  if (!bundle || !pattern) return key;
  // Some languages would write a hyphen before numbers below zero.
  return bundle.formatPattern(pattern, values).replace(/(?<!\S)-(?=\d)/g, "−");
}

/** Returns a number as it stands alone, outside of messages. */
export function signed(number: number): string {
  return String(number).replace("-", "−");
}
