/** Events, moves and results as text. */

import { PATCHES } from "../generated/art";
import type { ClockTerms, Effect, Ending, Kind, PositionView } from "../generated/wire";
import { say } from "../i18n/language.svelte";
import type { OnlineEvent, OnlineGame } from "./onlineGame.svelte";
import type { GameEvent, PlayableGame } from "./playableGame";

/** Marks where a text shows the picture of a patch: Unicode's object replacement character. */
export const PATCH_PLACEHOLDER = "\uFFFC";

/** Returns the name of a seat from the user's point of view. */
export function seatName(
  game: Pick<PlayableGame, "status" | "table" | "you">,
  seat: number,
): string {
  const own = game.you.length === 1 && game.you[0] === seat;
  if (own && !game.status?.seats[seat]?.name) return say("page-table-you");
  return publicName(game, seat);
}

/** Returns the name of a seat as everybody sees it, for pictures and the like. */
export function publicName(game: Pick<PlayableGame, "status" | "table">, seat: number): string {
  const { name, computer } = game.status?.seats[seat] ?? { name: "", computer: false };
  if (computer) return say("page-table-computer", { level: game.table?.level ?? 0 });
  return name || say("page-table-player", { number: seat + 1 });
}

/** Returns the time that players have. */
export function clockText(clock: ClockTerms | null): string {
  if (!clock) return say("page-clock-none");
  const { minutes, increment, days } = clock;
  if (days) return say("page-clock-days", { days });
  return say("page-clock-minutes", { minutes: minutes ?? 0, increment: increment ?? 0 });
}

/** Returns who has a seat, for messages with a variant for the computer. */
export function occupant(game: Pick<PlayableGame, "status">, seat: number): "computer" | "other" {
  return game.status?.seats[seat]?.computer ? "computer" : "other";
}

/** Returns whose turn it is, and why; empty if it is no one's turn. */
export function turnText(game: PlayableGame): string {
  const { position, turn } = game;
  if (!position || turn === null) return "";
  const [first, second] = position.players;
  const level = first.time === second.time;
  const why = position.phase === "leather" ? "leather" : level ? "on-top" : "behind";
  if (game.you.length === 1 && game.you[0] === turn) return say("page-table-turn-you", { why });
  return say("page-table-turn-other", {
    whose: occupant(game, turn),
    why,
    name: seatName(game, turn),
  });
}

/** Returns what a move of the player to move would do, as short phrases. */
export function effectPhrases({ players, turn }: PositionView, effect: Effect): string[] {
  const { time, score } = players[turn as 0 | 1];
  const { space, income, leather } = effect;
  const phrases = [say("page-table-lands", { space, spaces: space - time })];
  if (income) phrases.push(say("page-table-gets-income", { buttons: income }));
  if (leather) phrases.push(say("page-table-gets-leather"));
  phrases.push(say("page-table-points", { before: score, after: effect.score }));
  return phrases;
}

/** Events that need no text for the user who caused them. */
const SILENT_IF_OWN: Kind[] = ["join", "ask", "decline", "rematch"];

/** Returns what happened in an event; empty if the page shows it without words. */
export function eventText(game: OnlineGame, shown: OnlineEvent): string {
  const { event } = shown;
  const name = seatName(game, event.seat);
  const own = game.you.length === 1 && game.you.includes(event.seat);
  if (own && SILENT_IF_OWN.includes(event.kind)) return "";
  switch (event.kind) {
    case "move":
      return `${name}: ${moveEffectText(shown)}`;
    case "join":
      return say("page-table-joined", { name });
    case "ask":
      return say("page-table-asks", { name });
    case "decline":
      return say("page-table-declined", { name });
    case "takeback":
      // The event belongs to who allowed it.
      return say("page-table-taken-back", { name: seatName(game, shown.asker ?? event.seat) });
    case "rematch":
      return say("page-table-wants-rematch", { name });
    default:
      return ""; // the screen changes when a game begins or ends
  }
}

/** Returns what a move did; with `pictured`, a placeholder stands for the patch. */
export function moveEffectText({ event, before, after }: GameEvent, pictured = false): string {
  const { seat, data: move } = event;
  const was = before?.players[seat];
  const is = after?.players[seat];
  if (!was || !is) return moveText(move, pictured);
  const spaces = is.time - was.time;
  const patch = move === "A" || move.startsWith("L") ? null : parseInt(move);
  const price = patch === null ? 0 : (PATCHES[patch]?.cost ?? 0);
  const income = is.buttons - was.buttons + price - (move === "A" ? spaces : 0);
  const phrases = [];
  if (move === "A") phrases.push(say("page-table-did-advance", { spaces }));
  else if (pictured) phrases.push(PATCH_PLACEHOLDER);
  else if (patch === null) phrases.push(say("page-table-did-leather", { cell: move.slice(1) }));
  else phrases.push(say("page-table-did-buy", { patch, buttons: price, spaces }));
  if (income > 0) phrases.push(say("page-table-did-income", { buttons: income }));
  if (before.tile !== after.tile) phrases.push(say("page-table-did-tile"));
  const taken = before.leather.length > after.leather.length;
  if (taken) phrases.push(say("page-table-did-take-leather"));
  return phrases.join(", ");
}

/** Returns a move in a few words; with `pictured`, a placeholder stands for the patch. */
export function moveText(move: string, pictured = false): string {
  if (move === "A") return say("page-table-move-advance");
  if (pictured) return PATCH_PLACEHOLDER;
  if (move.startsWith("L")) return say("page-table-move-leather", { cell: move.slice(1) });
  return say("page-table-move-buy", { patch: parseInt(move), cell: move.slice(-2) });
}

/** Returns who won, and why if that is not obvious; `computer` is its seat, or -1. */
export function resultText(
  { winner, reason, tie_break }: Ending,
  names: readonly string[],
  you: readonly number[],
  computer = -1,
): { headline: string; why: string } {
  if (winner === null) return { headline: say("page-table-ended", { reason, name: "" }), why: "" };
  const [own, ownLoss] = [winner, 1 - winner].map((seat) => you.length === 1 && you[0] === seat);
  const whose = own ? "you" : winner === computer ? "computer" : "other";
  const name = names[winner] ?? "";
  const headline = say("page-table-wins", { whose, name });
  if (reason !== "played out") {
    const ended = say("page-table-ended", {
      reason: ownLoss ? `${reason}-you` : reason,
      name: names[1 - winner] ?? "",
    });
    return { headline, why: `${ended} ${say("page-table-unfinished")}` };
  }
  return { headline, why: tie_break ? say("page-table-tie-break", { whose, name }) : "" };
}
