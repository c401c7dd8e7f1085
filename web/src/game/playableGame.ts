/** What is played at a table, as far as its parts need to know it. */

import type { PositionView, Presence, Status, TableView, Thinking } from "../generated/wire";
import type { Wish } from "../net/tableSocket";
import type { Played } from "../table/board/animationPlan";

/** A game at the server, or a lesson. */
export interface Playing {
  readonly position: PositionView | null;
  /** Those that stand: who decided, and the move in the notation. */
  readonly moves: readonly [number, string][];
  /** What happened before the reader's eyes, the latest at the end. */
  readonly happened: readonly Played[];
  /** The seats of the one before the page. */
  readonly you: number[];
  /** Who decides; null: nobody. */
  readonly turn: number | null;
  readonly mine: boolean;
  readonly over: boolean;
  /** Whose side of the table is near. */
  readonly near: number;
  readonly table: Pick<TableView, "level" | "opponent"> | undefined;
  readonly status: Pick<Status, "seats" | "clocks"> | undefined;
  readonly presence: Presence | undefined;
  readonly toldAt: number;
  readonly thinking: Thinking | null;
  /** What was decided here and is not yet played; null: nothing. */
  readonly waiting: object | null;
  /** A move that is recommended. */
  readonly hint: { move: string } | null;

  act(wish: Wish): void;
  ask(): void;
}
