/** The game as the components of the table see it: online, or in the tutorial. */

import type {
  EventView,
  Plan,
  PositionView,
  Presence,
  Status,
  TableView,
  Thinking,
} from "../generated/wire";
import type { NewAction } from "../net/tableSocket";

/** An event with the positions before and after it, if they are known. */
export interface GameEvent {
  event: Pick<EventView, "kind" | "seat" | "data">;
  before: PositionView | null;
  after: PositionView | null;
}

export interface PlayableGame {
  readonly position: PositionView | null;
  /** The moves so far, each with the seat that made it, in the game's notation. */
  readonly moves: readonly [number, string][];
  /** What happened while the page was open, the latest event last. */
  readonly recentEvents: readonly GameEvent[];
  /** The seats of the user: none for a spectator, both where two players share the screen. */
  readonly you: number[];
  /** The seat to move, or null. */
  readonly turn: number | null;
  /** Whether it is the user's turn. */
  readonly myTurn: boolean;
  readonly over: boolean;
  /** The seat that is shown on the near side of the table. */
  readonly near: number;
  readonly table: Pick<TableView, "level" | "opponent"> | undefined;
  readonly status: Pick<Status, "seats" | "clocks" | "asking"> | undefined;
  readonly presence: Presence | undefined;
  /** When the clocks in `status` were received. */
  readonly clocksAt: number;
  readonly thinking: Thinking | null;
  /** The user's action that has not been answered yet, or null. */
  readonly pending: object | null;
  /** A recommended move. */
  readonly hint: { move: string } | null;

  /**
   * Asks the server what would come of purchases by a seat, in the game's notation, and then of
   * another patch; null where the user is not to plan.
   */
  readonly plan:
    | ((seat: number, kept: readonly string[], patch: number | null) => Promise<Plan>)
    | null;

  act(action: NewAction): void;
  requestHint(): void;
  /** Ends the hint that is shown, if there is one. */
  endHint(): void;
}
