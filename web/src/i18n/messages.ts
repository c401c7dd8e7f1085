/** The files of messages, one for each language; only that of the user's language is loaded. */

import { loadSetting, saveSetting } from "../browser/storage";

export const LANGUAGES = ["en", "de", "es", "cs", "pl", "ru"] as const;
export type Language = (typeof LANGUAGES)[number];

const KEY = "language";
const files = import.meta.glob<string>("../../../src/patchwork/locales/*.ftl", { import: "default" });

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

/** Stores a language as the user's choice. */
export function storeLanguage(language: Language): void {
  saveSetting(KEY, language);
}

/** Loads the messages in a language, as a Fluent file. */
export async function loadMessages(language: Language): Promise<string> {
  const load = files[`../../../src/patchwork/locales/${language}.ftl`];
  if (!load) throw new Error(`there are no messages in ${language}`);
  return load();
}
