/** The texts of a game in the list of games. */

import type { Summary } from "../generated/wire";
import { formatNumber, say } from "../i18n/language.svelte";

/** A game in the list, with the deadline by the clock of this device if it goes on with a clock. */
export type ListedGame = Summary & { deadline?: number | null };

/** Returns a game that the server has just sent, with its deadline. */
export function withDeadline(game: Summary): ListedGame {
  return { ...game, deadline: game.left === null ? null : Date.now() + game.left };
}

/** Returns the name of a seat. */
function seatName(game: Summary, seat: 0 | 1): string {
  if (game.names[seat]) return game.names[seat];
  if (game.opponent === "computer" && !game.you.includes(seat)) {
    return say("page-computer-level", { level: game.level ?? 0 });
  }
  return say("page-table-player", { number: seat + 1 });
}

/** Returns who plays, or played, against whom. */
export function players(game: Summary): string {
  if (game.opponent === "screen") {
    return say("page-both", { one: seatName(game, 0), two: seatName(game, 1) });
  }
  return say("page-against", { name: seatName(game, game.you.includes(0) ? 1 : 0) });
}

/** Returns the status or the result of a game, whether that is good news, and the user's turn. */
export function gameStatus(game: Summary): { text: string; good: boolean; mine: boolean } {
  return { mine: false, ...status(game) };
}

function status(game: Summary): { text: string; good: boolean; mine?: boolean } {
  const { ending, turn, you } = game;
  const both = game.opponent === "screen";
  if (!ending) {
    if (turn === null) return { text: say("page-not-begun"), good: false };
    if (both) return { text: say("page-turn-of", { name: seatName(game, side(turn)) }), good: false };
    if (you.includes(turn)) return { text: say("page-your-turn"), good: true, mine: true };
    return { text: say("page-turn-of", { name: seatName(game, side(turn)) }), good: false };
  }
  if (ending.winner === null) return { text: say("page-no-winner"), good: false };
  const won = you.includes(ending.winner);
  const result = both
    ? say("page-won-by", { name: seatName(game, side(ending.winner)) })
    : won
      ? say("page-won")
      : say("page-lost");
  const how = reason(game);
  return { text: how ? `${result} (${how})` : result, good: won && !both };
}

/** Returns the scores of a game played to its end, the user's first; otherwise nothing. */
export function scores(game: Summary): string {
  const { ending, you } = game;
  if (!ending?.scores || ending.reason !== "played out") return "";
  const ordered = you.includes(0) ? ending.scores : ending.scores.toReversed();
  return ordered.map(formatNumber).join(" : ");
}

function side(seat: number): 0 | 1 {
  return seat === 0 ? 0 : 1;
}

function reason({ ending }: Summary): string {
  switch (ending?.reason) {
    case "resigned":
      return say("page-by-resigning");
    case "time":
      return say("page-by-time");
    case "left":
      return say("page-by-leaving");
    default:
      return "";
  }
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Returns how long ago a moment was, in the largest unit that fits. */
export function ago(moment: number, language: string, now = Date.now()): string {
  const words = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const passed = Math.max(0, now - moment);
  for (const [unit, length] of UNITS) {
    if (passed >= length) return words.format(-Math.floor(passed / length), unit);
  }
  return words.format(0, "minute");
}

/** So many of a unit are said in that unit; fewer in the next smaller one, to be precise enough. */
const AT_LEAST = 2;

/** Returns how long the player to move still has, such as "3 hours"; nothing without a clock. */
export function timeLeft({ deadline }: ListedGame, language: string, now: number): string {
  if (deadline === null || deadline === undefined) return "";
  const left = Math.max(0, deadline - now);
  const found = UNITS.find(([, length]) => left >= AT_LEAST * length) ?? UNITS[2];
  const [unit, length] = found;
  const words = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
  return words.format(Math.max(1, Math.floor(left / length)));
}
