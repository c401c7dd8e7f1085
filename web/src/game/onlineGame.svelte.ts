/** A game at a table of the server: its state, kept up to date over a socket. */

import type {
  EventView,
  Happened,
  Hint,
  Me,
  Plan,
  PositionView,
  Presence,
  Refused,
  State,
  Status,
  TableView,
  Thinking,
} from "../generated/wire";
import { request } from "../net/api";
import { TableSocket, type Action, type Connection, type NewAction } from "../net/tableSocket";
import { Advice } from "./advice.svelte";
import { EventQueue } from "./eventQueue.svelte";
import { lastSeen, saveSeen } from "./lastSeen";
import type { GameEvent, PlayableGame } from "./playableGame";

/** Milliseconds that a player must have been away for the return to be an arrival: longer than it
 * takes to reload the page. */
const ABSENCE = 10_000;
/** How many events are remembered; the line above the table shows the last few of them. */
const MAX_RECENT_EVENTS = 8;

export interface OnlineEvent extends GameEvent {
  event: EventView;
  /** The seat that had asked to take its move back, if any. */
  asker: number | null;
}

/** The other player has come, for the first time or back. */
export interface Arrival {
  seat: number;
  back: boolean;
}

export class OnlineGame implements PlayableGame {
  private readonly queue = new EventQueue();
  table = $state.raw<TableView>();
  you = $state.raw<number[]>([]);
  status = $state.raw<Status>();
  moves = $state.raw<[number, string][]>([]);
  position = $state.raw<PositionView | null>(null);
  presence = $state.raw<Presence>();
  /** When `presence` was received; its durations count from there. */
  presenceAt = $state(0);
  /** How far the computer is with its move; null if it is not thinking. */
  thinking = $state.raw<Thinking | null>(null);
  connection = $state<Connection>("connecting");
  pending = $state.raw<Action | null>(null);
  recentEvents = $state.raw<OnlineEvent[]>([]);
  refusal = $state.raw<{ refusal: Refused; action: Action | null } | null>(null);
  readonly advice = new Advice();
  hintRequested = $state(false);
  /** How many moves were made while the user was away. */
  missed = $state(0);
  clocksAt = $state(0);
  /** Who has come; null once the user has seen it. */
  arrival = $state.raw<Arrival | null>(null);
  /** Since when the player of each seat has been away; null if that is not so. */
  private readonly awaySince: [number | null, number | null] = [null, null];

  readonly over = $derived(this.status?.ending !== null && this.status?.ending !== undefined);
  readonly turn = $derived(this.position && !this.over ? this.position.turn : null);
  /** Only once all events have been shown. */
  readonly myTurn = $derived(
    this.turn !== null && this.you.includes(this.turn) && !this.queue.waiting,
  );
  /** Until both players have moved, a game can be cancelled without a winner. */
  readonly cancellable = $derived(new Set(this.moves.map(([seat]) => seat)).size < 2);
  /** The seat of the other player, if the user has one seat. */
  private readonly other = $derived(
    this.you.length === 1 ? ((1 - (this.you[0] ?? 0)) as 0 | 1) : null,
  );
  /** Where two players share the screen, the one to move is near. */
  readonly near = $derived(this.you.length === 2 ? (this.position?.turn ?? 0) : (this.you[0] ?? 0));

  private readonly socket: TableSocket;

  constructor(readonly id: string) {
    this.socket = new TableSocket(id, {
      state: (state) => this.applyState(state),
      event: (message) => this.receiveEvent(message),
      presence: (presence) => this.receivePresence(presence),
      thinking: (thinking) => this.queue.add(() => (this.thinking = thinking), false),
      hint: (hint) => this.receiveHint(hint),
      pending: (action) => (this.pending = action),
      refused: (refusal, action) => {
        this.refusal = { refusal, action };
        this.hintRequested = false;
      },
      connection: (connection) => (this.connection = connection),
    });
  }

  act(action: NewAction): boolean {
    if (this.queue.waiting) return false;
    this.refusal = null;
    this.missed = 0;
    return this.socket.act(action);
  }

  get hint(): { move: string } | null {
    return this.advice.chosen;
  }

  /** Asks for a hint, or shows the next step of the one that is there. */
  requestHint(): void {
    if (this.advice.hint) this.advice.next();
    else if (!this.hintRequested) this.hintRequested = this.socket.requestHint();
  }

  endHint(): void {
    this.advice.end();
  }

  readonly plan = (seat: number, kept: readonly string[], patch: number | null): Promise<Plan> => {
    const query = new URLSearchParams({ seat: String(seat) });
    for (const move of kept) query.append("kept", move);
    if (patch !== null) query.set("patch", String(patch));
    return request<Plan>("GET", `/api/tables/${this.id}/plan?${query}`);
  };

  /** Takes the free seat, and reconnects as a player.
   *
   * @throws {RequestError} if the seat is taken, or the server cannot be reached.
   */
  async join(name: string): Promise<void> {
    await request<Me>("POST", "/api/me");
    try {
      await request<State>("POST", `/api/tables/${this.id}/join`, { name });
    } finally {
      this.socket.reconnect(); // even after an error: perhaps only the answer was lost
    }
  }

  close(): void {
    this.socket.close();
    this.queue.close();
  }

  private applyState(state: State): void {
    const waited = this.waitsForOther();
    const known = this.table ? this.moves.length : lastSeen(this.id);
    if (known !== null && !this.myTurn) this.missed = Math.max(state.moves.length - known, 0);
    saveSeen(this.id, state.moves.length);
    this.queue.clear();
    if (state.status.seq !== this.status?.seq) this.advice.end();
    this.table = state.table;
    this.you = state.you;
    this.status = state.status;
    this.moves = state.moves;
    this.position = state.position;
    this.thinking = null;
    this.clocksAt = Date.now();
    this.noteOther(waited);
  }

  /** Returns whether the user sits at the table and the other seat is free. */
  private waitsForOther(): boolean {
    return this.other !== null && this.status?.seats[this.other].taken === false;
  }

  private noteOther(waited: boolean): void {
    const came = waited && !this.waitsForOther();
    if (came && this.other !== null) this.arrival = { seat: this.other, back: false };
  }

  private receivePresence(presence: Presence): void {
    this.presence = presence;
    this.presenceAt = Date.now();
    for (const seat of [0, 1] as const) {
      const since = this.awaySince[seat];
      const away = !presence.present[seat] && this.status?.seats[seat].taken;
      this.awaySince[seat] = away ? (since ?? Date.now()) : null;
      const long = !away && since !== null && Date.now() - since >= ABSENCE;
      if (long && seat === this.other && !this.over) this.arrival = { seat, back: true };
    }
  }

  private receiveEvent(message: Happened): void {
    const receivedAt = Date.now();
    // The user's own actions are shown without delay.
    if (this.you.includes(message.event.seat)) this.queue.flush();
    this.queue.add(() => this.applyEvent(message, receivedAt), message.event.kind === "move");
  }

  private applyEvent({ event, status, position }: Happened, receivedAt: number): void {
    const before = this.position;
    const waited = this.waitsForOther();
    const asker = this.status?.asking ?? null;
    this.status = status;
    this.noteOther(waited);
    this.clocksAt = receivedAt;
    this.advice.end();
    this.hintRequested = false;
    if (position) {
      this.position = position;
      this.thinking = null;
    }
    if (event.kind === "move") this.moves = [...this.moves, [event.seat, event.data]];
    if (event.kind === "takeback") this.moves = this.moves.slice(0, Number(event.data));
    if (event.kind === "takeback" || this.refusal?.refusal.code !== "stale") this.refusal = null;
    if (!document.hidden) saveSeen(this.id, this.moves.length);
    const latest = { event, before, after: position, asker };
    this.recentEvents = [...this.recentEvents, latest].slice(-MAX_RECENT_EVENTS);
  }

  private receiveHint(hint: Hint): void {
    this.hintRequested = false;
    if (hint.seq === this.status?.seq) this.advice.begin(hint);
  }
}
