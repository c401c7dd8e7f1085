import "../testing/fixtures";
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { chooseLanguage, language, say, setLanguage } from "./language.svelte";
import { LANGUAGES, preferredLanguage, type Language } from "./messages";

/** The plural forms of counted words, written by hand, and the numbers that take each form. */
const plurals = JSON.parse(readFileSync("../tests/locales/plurals.json", "utf-8")) as {
  columns: Record<Language, number[][]>;
  words: Record<string, Record<Language, string[]>>;
};
const counted = Object.entries(plurals.words).filter(([key]) => key.startsWith("page-"));

describe.each(LANGUAGES)("%s", (current) => {
  it("has the right plural forms", async () => {
    await setLanguage(current);
    expect(counted).not.toEqual([]);
    for (const [key, words] of counted) {
      for (const [column, numbers] of plurals.columns[current].entries()) {
        for (const number of numbers) {
          const games = ["moves", "spaces", "buttons", "patches", "purchases"];
          const names = [...games, "tables", "days", "minutes", "increment"];
          const text = say(key, Object.fromEntries(names.map((name) => [name, number])));
          const figure = String(number).replace(".", current === "en" ? "." : ",");
          for (const forms of words[current]) {
            const form = `${figure}\\s${forms.split("|")[column]}`;
            expect(` ${text} `, key).toMatch(new RegExp(`[^\\p{L}\\d]${form}[^\\p{L}\\d]`, "u"));
          }
        }
      }
    }
  });

  it("is the language of the document", async () => {
    await setLanguage(current);
    expect(language()).toBe(current);
    expect(document.documentElement.lang).toBe(current);
    expect(say("page-play-now")).not.toBe("page-play-now");
  });
});

it("prefers the stored choice, then the first known language of the browser", async () => {
  const setBrowserLanguages = (...languages: string[]) =>
    vi.stubGlobal("navigator", { languages });
  setBrowserLanguages("fr-FR", "PL-pl", "de");
  expect(preferredLanguage()).toBe("pl");
  setBrowserLanguages("fr-FR");
  expect(preferredLanguage()).toBe("en");
  await chooseLanguage("ru");
  expect(preferredLanguage()).toBe("ru");
});
