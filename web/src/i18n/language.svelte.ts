/** The messages of the page in the language of the user. */

import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import { loadSetting, saveSetting } from "../browser/storage";

export const LANGUAGES = ["en", "de", "es", "cs", "pl", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

/** The names of the languages in those languages. */
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
let current = $state<Language>("en");

/** Returns the current language. */
export function language(): Language {
  return current;
}

/** Returns the language the user chose, or the browser's first one that the page has, or English. */
export function preferredLanguage(): Language {
  const candidates = [loadSetting(KEY) ?? "", ...navigator.languages];
  for (const candidate of candidates) {
    const code = candidate.toLowerCase().split("-")[0];
    const found = LANGUAGES.find((language) => language === code);
    if (found) return found;
  }
  return "en";
}

/** Shows the page in a language; `chosen` stores it as the user's choice. */
export async function setLanguage(language: Language, chosen = false): Promise<void> {
  if (chosen) saveSetting(KEY, language);
  const load = files[`../../../src/patchwork/locales/${language}.ftl`];
  if (!load) throw new Error(`there are no messages in ${language}`);
  const loaded = new FluentBundle(language, { useIsolating: false });
  for (const error of loaded.addResource(new FluentResource(await load()))) throw error;
  bundle = loaded;
  current = language;
  document.documentElement.lang = language;
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
