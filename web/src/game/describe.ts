/** What happens at the table, in words. */

import { PATCHES } from "../generated/art";
import type { Effect, Ending, Kind, PlayerView, PositionView } from "../generated/wire";
import { say } from "../i18n/language.svelte";
import type { Played } from "../table/board/animationPlan";
import type { Game, Happening } from "./onlineGame.svelte";
import { SIDE } from "./placement";
import type { Playing } from "./playableGame";

/** Stands in words that are seen for the picture of a patch; the character is Unicode's for that. */
export const PICTURE = "\uFFFC";

/** Returns the name of a seat, as the reader would call it. */
export function nameOf(
  game: Pick<Playing, "status" | "table" | "you">,
  seat: number,
): string {
  const { name, computer } = game.status?.seats[seat] ?? { name: "", computer: false };
  if (computer) return say("page-table-computer", { level: game.table?.level ?? 0 });
  if (name) return name;
  if (game.you.length === 1 && game.you[0] === seat) return say("page-table-you");
  if (game.you.length === 1) return say("page-table-guest");
  return say("page-table-player", { number: seat + 1 });
}

/** Returns who has a seat, for sentences that call the computer something else than a player. */
export function holder(game: Pick<Playing, "status">, seat: number): "computer" | "other" {
  return game.status?.seats[seat]?.computer ? "computer" : "other";
}

/** Returns whose turn it is, and why; nothing if it is nobody's. */
export function whoseTurn(game: Playing): string {
  const { position, turn } = game;
  if (!position || turn === null) return "";
  const [first, second] = position.players;
  const level = first.time === second.time;
  const why = position.phase === "leather" ? "leather" : level ? "on-top" : "behind";
  if (game.you.length === 1 && game.you[0] === turn) return say("page-table-turn-you", { why });
  return say("page-table-turn-other", {
    whose: holder(game, turn),
    why,
    name: nameOf(game, turn),
  });
}

/** Returns what a move of the one who decides would do. */
export function forecast({ players, turn }: PositionView, effect: Effect): string[] {
  const { time, score } = players[turn as 0 | 1];
  const { space, income, leather } = effect;
  const phrases = [say("page-table-lands", { space, spaces: space - time })];
  if (income) phrases.push(say("page-table-gets-income", { buttons: income }));
  if (leather) phrases.push(say("page-table-gets-leather"));
  phrases.push(say("page-table-points", { before: score, after: effect.score }));
  return phrases;
}

/** Returns how many spaces of a quilt are empty. */
export function emptySpaces({ layout }: PlayerView): number {
  return SIDE * SIDE - layout.reduce((sum, [, cells]) => sum + cells.length, 0);
}

/** What the reader does without words being needed. */
const WISHES: Kind[] = ["join", "ask", "decline", "rematch"];

/** Returns what an event did, or nothing if that is seen without words. */
export function tell(game: Game, happening: Happening): string {
  const { event } = happening;
  const name = nameOf(game, event.seat);
  const own = game.you.length === 1 && game.you.includes(event.seat);
  if (own && WISHES.includes(event.kind)) return "";
  switch (event.kind) {
    case "move":
      return `${name}: ${tellMove(happening)}`;
    case "join":
      return say("page-table-joined", { name });
    case "ask":
      return say("page-table-asks", { name });
    case "decline":
      return say("page-table-declined", { name });
    case "takeback":
      return say("page-table-taken-back", { name });
    case "rematch":
      return say("page-table-wants-rematch", { name });
    default:
      return ""; // how it began and ended is seen
  }
}

/** Returns what a move did; for those who see a patch is a picture instead. */
export function tellMove({ event, before, after }: Played, seen = false): string {
  const { seat, data: move } = event;
  const was = before?.players[seat];
  const is = after?.players[seat];
  if (!was || !is) return describe(move, seen);
  const spaces = is.time - was.time;
  const patch = move === "A" || move.startsWith("L") ? null : parseInt(move);
  const price = patch === null ? 0 : (PATCHES[patch]?.cost ?? 0);
  const income = is.buttons - was.buttons + price - (move === "A" ? spaces : 0);
  const phrases = [];
  if (move === "A") phrases.push(say("page-table-did-advance", { spaces }));
  else if (seen) phrases.push(PICTURE);
  else if (patch === null) phrases.push(say("page-table-did-leather", { cell: move.slice(1) }));
  else phrases.push(say("page-table-did-buy", { patch, buttons: price, spaces }));
  if (income > 0) phrases.push(say("page-table-did-income", { buttons: income }));
  if (before.tile !== after.tile) phrases.push(say("page-table-did-tile"));
  const taken = before.leather.length > after.leather.length;
  if (taken) phrases.push(say("page-table-did-take-leather"));
  return phrases.join(", ");
}

/** Returns a move in a few words; for those who see a patch is a picture instead. */
export function describe(move: string, seen = false): string {
  if (move === "A") return say("page-table-move-advance");
  if (seen) return PICTURE;
  if (move.startsWith("L")) return say("page-table-move-leather", { cell: move.slice(1) });
  return say("page-table-move-buy", { patch: parseInt(move), cell: move.slice(-2) });
}

/** Returns who won, and what else is to be said about it; `computer` is the seat it has, if any. */
export function verdict(
  { winner, reason, tie_break }: Ending,
  names: readonly string[],
  you: readonly number[],
  computer = -1,
): { headline: string; why: string } {
  if (winner === null) return { headline: say("page-table-ended", { reason }), why: "" };
  const own = you.length === 1 && you[0] === winner;
  const whose = own ? "you" : winner === computer ? "computer" : "other";
  const name = names[winner] ?? "";
  const headline = say("page-table-wins", { whose, name });
  if (reason !== "played out") return { headline, why: say("page-table-ended", { reason }) };
  return { headline, why: tie_break ? say("page-table-tie-break", { whose, name }) : "" };
}
