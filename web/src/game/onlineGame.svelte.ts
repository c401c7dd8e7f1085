/** What is known of a table, as the server tells it. */

import type {
  EventView,
  Happened,
  Hint,
  Me,
  PositionView,
  Presence,
  Refused,
  State,
  Status,
  TableView,
  Thinking,
  Thought,
} from "../generated/wire";
import { ask } from "../net/api";
import { Live, type Action, type Connection, type Wish } from "../net/tableSocket";
import { Pace } from "./eventQueue.svelte";
import { lastSeen, see } from "./lastSeen";
import type { Playing } from "./playableGame";

/** An event with what it changed, from which the page tells what happened. */
export interface Happening {
  event: EventView;
  before: PositionView | null;
  after: PositionView | null;
}

export class Game implements Playing {
  private readonly pace = new Pace();
  table = $state.raw<TableView>();
  you = $state.raw<number[]>([]);
  status = $state.raw<Status>();
  moves = $state.raw<[number, string][]>([]);
  position = $state.raw<PositionView | null>(null);
  presence = $state.raw<Presence>();
  /** When `presence` came, to count down from. */
  presenceAt = $state(0);
  /** How far the computer is with its move; null: it does not think. */
  thinking = $state.raw<Thinking | null>(null);
  connection = $state<Connection>("connecting");
  waiting = $state.raw<Action | null>(null);
  /** The last things that happened, the latest at the end. */
  happened = $state.raw<Happening[]>([]);
  refusal = $state.raw<{ refusal: Refused; action: Action | null } | null>(null);
  hint = $state.raw<Thought | null>(null);
  hinting = $state(false);
  /** How many moves were made while this page was away. */
  missed = $state(0);
  /** When the clocks were told. */
  toldAt = $state(0);

  readonly over = $derived(this.status?.ending !== null && this.status?.ending !== undefined);
  readonly turn = $derived(this.position && !this.over ? this.position.turn : null);
  /** Whether the reader decides now; not before everything is shown that happened. */
  readonly mine = $derived(
    this.turn !== null && this.you.includes(this.turn) && !this.pace.late,
  );
  /** Whose side of the table is near: before one screen, that of the one who decides. */
  readonly near = $derived(this.you.length === 2 ? (this.position?.turn ?? 0) : (this.you[0] ?? 0));

  private readonly live: Live;

  constructor(readonly id: string) {
    this.live = new Live(id, {
      state: (state) => this.stand(state),
      event: (message) => this.hear(message),
      presence: (presence) => {
        this.presence = presence;
        this.presenceAt = Date.now();
      },
      thinking: (thinking) => this.pace.add(() => (this.thinking = thinking), false),
      hint: (hint) => this.think(hint),
      waiting: (action) => (this.waiting = action),
      refused: (refusal, action) => {
        this.refusal = { refusal, action };
        this.hinting = false;
      },
      connection: (connection) => (this.connection = connection),
    });
  }

  act(wish: Wish): boolean {
    if (this.pace.late) return false;
    this.refusal = null;
    this.missed = 0;
    return this.live.act(wish);
  }

  ask(): void {
    this.hinting = this.live.ask();
  }

  /** Takes the free seat, and comes back as a player.
   *
   * @throws {Trouble} if that cannot be.
   */
  async join(name: string): Promise<void> {
    await ask<Me>("POST", "/api/me");
    try {
      await ask<State>("POST", `/api/tables/${this.id}/join`, { name });
    } finally {
      this.live.reconnect(); // also if only the answer was lost
    }
  }

  close(): void {
    this.live.close();
    this.pace.close();
  }

  private stand(state: State): void {
    const known = this.table ? this.moves.length : lastSeen(this.id);
    if (known !== null && !this.mine) this.missed = Math.max(state.moves.length - known, 0);
    see(this.id, state.moves.length);
    this.pace.clear();
    if (state.status.seq !== this.status?.seq) this.hint = null;
    this.table = state.table;
    this.you = state.you;
    this.status = state.status;
    this.moves = state.moves;
    this.position = state.position;
    this.thinking = null;
    this.toldAt = Date.now();
  }

  private hear(message: Happened): void {
    const told = Date.now();
    // Whoever decides sees at once what was decided.
    if (this.you.includes(message.event.seat)) this.pace.rush();
    this.pace.add(() => this.follow(message, told), message.event.kind === "move");
  }

  private follow({ event, status, position }: Happened, told: number): void {
    const before = this.position;
    this.status = status;
    this.toldAt = told;
    this.hint = null;
    this.hinting = false;
    if (position) {
      this.position = position;
      this.thinking = null;
    }
    if (event.kind === "move") this.moves = [...this.moves, [event.seat, event.data]];
    if (event.kind === "takeback") this.moves = this.moves.slice(0, Number(event.data));
    if (event.kind === "takeback" || this.refusal?.refusal.code !== "stale") this.refusal = null;
    if (!document.hidden) see(this.id, this.moves.length);
    this.happened = [...this.happened, { event, before, after: position }].slice(-8);
  }

  private think({ seq, thought }: Hint): void {
    this.hinting = false;
    if (seq === this.status?.seq) this.hint = thought;
  }
}
