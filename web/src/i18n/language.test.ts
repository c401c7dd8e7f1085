import "../testing/fixtures";
import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { language, LANGUAGES, preferred, say, speak, type Language } from "./language.svelte";

/** Counted words, written by hand: forms, and the numbers that take them. */
const plurals = JSON.parse(readFileSync("../tests/locales/plurals.json", "utf-8")) as {
  columns: Record<Language, number[][]>;
  words: Record<string, Record<Language, string[]>>;
};
const counted = Object.entries(plurals.words).filter(([key]) => key.startsWith("page-"));

describe.each(LANGUAGES)("%s", (spoken) => {
  it("counts as people do", async () => {
    await speak(spoken);
    expect(counted).not.toEqual([]);
    for (const [key, words] of counted) {
      for (const [column, numbers] of plurals.columns[spoken].entries()) {
        for (const number of numbers) {
          const names = ["tables", "moves", "spaces", "buttons", "days", "minutes", "increment"];
          const text = say(key, Object.fromEntries(names.map((name) => [name, number])));
          const figure = String(number).replace(".", spoken === "en" ? "." : ",");
          for (const forms of words[spoken]) {
            const form = `${figure}\\s${forms.split("|")[column]}`;
            expect(` ${text} `, key).toMatch(new RegExp(`[^\\p{L}\\d]${form}[^\\p{L}\\d]`, "u"));
          }
        }
      }
    }
  });

  it("says which one it is", async () => {
    await speak(spoken);
    expect(language()).toBe(spoken);
    expect(document.documentElement.lang).toBe(spoken);
    expect(say("page-play-now")).not.toBe("page-play-now");
  });
});

it("speaks the first language of the reader's that there is, or the one chosen before", async () => {
  const wish = (...languages: string[]) => vi.stubGlobal("navigator", { languages });
  wish("fr-FR", "PL-pl", "de");
  expect(preferred()).toBe("pl");
  wish("fr-FR");
  expect(preferred()).toBe("en");
  await speak("ru", true);
  expect(preferred()).toBe("ru");
});
