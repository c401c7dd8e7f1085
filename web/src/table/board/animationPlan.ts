/** What flies over the table when a move is played: buttons, and the patch that is placed. */

import type { GameEvent } from "../../game/playableGame";
import { PATCHES } from "../../generated/art";

/** A flight between two places, which elements of the page name in `data-spot`. */
export interface Flight {
  from: string;
  to: string;
}

export interface Flights {
  buttons: (Flight & { count: number })[];
  /** The patch comes from the first of these places that the page shows. */
  patch: { from: string[]; to: string } | null;
}

export const sewnSpot = (seat: number, cells: readonly number[]) => `sewn-${seat}-${cells[0]}`;

/** Returns what flies in an event; null for nothing, as when a move is taken back. */
export function flights({ event, before, after }: GameEvent): Flights | null {
  const { kind, seat } = event;
  const was = before?.players[seat];
  const is = after?.players[seat];
  if (kind !== "move" || !was || !is) return null;
  const account = `buttons-${seat}`;
  const token = `token-${seat}`;
  const [patch, cells] = (is.layout.length > was.layout.length && is.layout.at(-1)) || [null, []];
  const paid = patch === null ? 0 : (PATCHES[patch]?.cost ?? 0);
  const received = is.buttons - was.buttons + paid;
  return {
    buttons: [
      { from: account, to: "neutral", count: paid },
      { from: token, to: account, count: received },
    ].filter(({ count }) => count > 0),
    patch: cells.length
      ? // A patch that is being placed on this page does not come from the circle again.
        { from: ["ghost", patch === null ? token : `patch-${patch}`], to: sewnSpot(seat, cells) }
      : null,
  };
}
