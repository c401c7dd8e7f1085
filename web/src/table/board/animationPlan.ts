/** What is on its way over the table when a move is played: buttons, and the patch sewn on. */

import { PATCHES } from "../../generated/art";
import type { EventView, PositionView } from "../../generated/wire";

export interface Played {
  event: Pick<EventView, "kind" | "seat" | "data">;
  before: PositionView | null;
  after: PositionView | null;
}

/** From one place to another, each named as drawings name them in `data-spot`. */
export interface Flight {
  from: string;
  to: string;
}

export interface Flights {
  buttons: (Flight & { count: number })[];
  /** A patch comes from the first of the places that is there. */
  patch: { from: string[]; to: string } | null;
}

export const sewnSpot = (seat: number, cells: readonly number[]) => `sewn-${seat}-${cells[0]}`;

/** Returns what flies because of an event; null: nothing, as when a move is taken back. */
export function flights({ event, before, after }: Played): Flights | null {
  const { kind, seat } = event;
  const was = before?.players[seat];
  const is = after?.players[seat];
  if (kind !== "move" || !was || !is) return null;
  const purse = `purse-${seat}`;
  const token = `token-${seat}`;
  const [patch, cells] = (is.layout.length > was.layout.length && is.layout.at(-1)) || [null, []];
  const paid = patch === null ? 0 : (PATCHES[patch]?.cost ?? 0);
  const received = is.buttons - was.buttons + paid;
  return {
    buttons: [
      { from: purse, to: "neutral", count: paid },
      { from: token, to: purse, count: received },
    ].filter(({ count }) => count > 0),
    patch: cells.length
      ? // Where it is in the hand already, it does not come from the circle again.
        { from: ["hand", patch === null ? token : `patch-${patch}`], to: sewnSpot(seat, cells) }
      : null,
  };
}
