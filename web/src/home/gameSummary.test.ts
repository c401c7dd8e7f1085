import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Summary } from "../generated/wire";
import { LEVELS, relativeStrength, STRENGTHS } from "../newgame/levels";
import { ago, gameStatus, players, scores, timeLeft } from "./gameSummary";
import { defaultOptions, newTableRequest } from "../newgame/options";

const GAME: Summary = {
  id: "hmpjrzyiqkyq",
  opponent: "friend",
  level: null,
  edition: "classic",
  you: [1],
  names: ["Ann", ""],
  turn: 0,
  ending: null,
  left: null,
  created: 0,
  updated: 0,
};

describe("a new table", () => {
  it("sends only the options that apply to its opponent", () => {
    const options = { ...defaultOptions(), name: " Ann ", otherName: "Bob", level: 7 as const };
    expect(newTableRequest("computer", options)).toMatchObject({ level: 7, name: "Ann" });
    expect(newTableRequest("computer", options)).not.toHaveProperty("other_name");
    expect(newTableRequest("screen", options)).toMatchObject({ other_name: "Bob" });
    expect(newTableRequest("friend", options)).not.toHaveProperty("level");
  });

  it("starts with the options of the last one, even without localStorage", () => {
    newTableRequest("computer", { ...defaultOptions(), name: "Eve", edition: "revised", level: 5 });
    expect(defaultOptions()).toMatchObject({ name: "Eve", edition: "revised", level: 5, clock: null });
  });
});

describe("a game in the list", () => {
  // Without messages, say() returns their keys.
  it("says whose turn it is", () => {
    const other = { good: false, mine: false };
    expect(gameStatus(GAME)).toEqual({ text: "page-turn-of", ...other });
    const own = { text: "page-your-turn", good: true, mine: true };
    expect(gameStatus({ ...GAME, turn: 1 })).toEqual(own);
    expect(gameStatus({ ...GAME, turn: null })).toEqual({ text: "page-not-begun", ...other });
    expect(players({ ...GAME, opponent: "screen", you: [0, 1] })).toBe("page-both");
  });

  it("says how it ended, with the user's score first", () => {
    const ending = { reason: "played out", winner: 1, scores: [-28, 3], tie_break: false } as const;
    const over: Summary = { ...GAME, turn: null, ending: { ...ending, scores: [-28, 3] } };
    expect(gameStatus(over)).toEqual({ text: "page-won", good: true, mine: false });
    expect(scores(over)).toBe("3 : −28");
    expect(scores({ ...over, you: [0] })).toBe("−28 : 3");
    const resigned: Summary = { ...over, ending: { ...ending, scores: [0, 0], reason: "resigned" } };
    expect(gameStatus(resigned).text).toBe("page-won (page-by-resigning)");
    expect(scores(resigned)).toBe("");
  });

  it("says how much time is left, in words", () => {
    const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
    const left = (time: number, language: string) =>
      timeLeft({ ...GAME, deadline: 1000 + time }, language, 1000);
    expect(left(3 * hour + 1, "en")).toBe("3 hours");
    expect(left(3 * hour, "ru")).toBe("3 часа");
    expect(left(2 * day + hour, "de")).toBe("2 Tage");
    expect(left(2 * day - 1, "en")).toBe("47 hours");
    expect(left(2 * hour - 1, "pl")).toBe("119 minut");
    expect(left(minute / 2, "en")).toBe("1 minute");
    expect(left(-5, "en")).toBe("1 minute");
    expect(timeLeft(GAME, "en", 0)).toBe("");
  });

  it("says when something last happened", () => {
    const now = 10 * 86_400_000;
    expect(ago(now - 30_000, "en", now)).toBe("this minute");
    expect(ago(now - 3 * 3_600_000, "en", now)).toBe("3 hours ago");
    expect(ago(now - 86_400_000, "de", now)).toBe("gestern");
    expect(ago(now + 5_000, "en", now)).toBe("this minute");
  });
});

it("levels are as strong as docs/engine.md says", () => {
  const text = readFileSync("../docs/engine.md", "utf-8").replaceAll(",", "");
  const table = [...text.matchAll(/^\| ([1-7]) \| ([-+]\d+) \|/gm)];
  const measured = table.map((row) => Number(row[2]));
  expect(measured).toEqual(LEVELS.slice(0, 7).map((level) => STRENGTHS[level]));
  expect(text).toContain(`| 8 | ${STRENGTHS[8] - STRENGTHS[7]} above level 7 |`);
});

it("levels are on one scale, each above the one before", () => {
  const shares = LEVELS.map(relativeStrength);
  expect(shares[0]).toBe(0);
  expect(shares.at(-1)).toBe(1);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
});
