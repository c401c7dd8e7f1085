/**
 * The connection to a table: a socket that reconnects by itself, and resends unanswered actions.
 *
 * It does what `docs/protocol.md` asks of clients, so that the rest of the page need not care about
 * lost connections.
 */

import type {
  FromServer,
  Happened,
  Hint,
  Presence,
  Refused,
  State,
  Thinking,
} from "../generated/wire";

/** The connection is slow while the server takes its time with an answer; it may have been lost. */
export type Connection = "connecting" | "open" | "slow" | "lost" | "refused";

/** An action of a player, before it gets its id and sequence number. */
export type NewAction =
  | { t: "move"; move: string }
  | { t: "begin"; first: number }
  | { t: "rematch"; circle: "same" | "new" }
  | { t: "undo" | "accept" | "decline" | "resign" | "abort" | "claim" | "flag" };
export type Action = NewAction & { id: string; seq: number };

export interface Listener {
  state(state: State): void;
  event(event: Happened): void;
  presence(presence: Presence): void;
  thinking(thinking: Thinking): void;
  hint(hint: Hint): void;
  /** The action that has not been answered yet, if any. */
  pending(action: Action | null): void;
  refused(refusal: Refused, action: Action | null): void;
  connection(connection: Connection): void;
}

// Milliseconds, as `docs/protocol.md` asks of clients.
export const PING_INTERVAL = 2500;
export const DEAD_AFTER = 9000;
export const RETRY_DELAY = 3500;
/** After a ping or an action; much sooner than a connection is given up. */
export const SLOW_AFTER = 1500;
const MAX_RETRY_DELAY = 30000;
/** Each further failure multiplies the delay by this. */
const BACKOFF = 1.6;
/** Delays vary by this part in both directions, so that clients do not all return at once. */
const JITTER = 0.2;
/** Refusals after which the same action may succeed. */
const TEMPORARY = ["unavailable", "busy", "too-many"];
/** The close code with which the server turns a client away (RFC 6455, 7.4.1). */
const POLICY_VIOLATION = 1008;

export class TableSocket {
  private socket: WebSocket | null = null;
  private seq = -1;
  private failures = 0;
  private lastMessageAt = 0;
  private refusal: Refused | null = null;
  private retryTimer = 0;
  /** When to return after a planned restart, as the server said. */
  private announcedDelay: number | null = null;
  private unanswered: Action | null;
  private closed = false;
  private slowTimer = 0;
  /** Whether the user has been told that no answer comes, on a connection that is still open. */
  private doubtful = false;
  private readonly pingTimer: number;

  constructor(
    private readonly game: string,
    private readonly listener: Listener,
  ) {
    this.unanswered = this.loadUnanswered();
    listener.pending(this.unanswered);
    this.pingTimer = window.setInterval(this.ping, PING_INTERVAL);
    window.addEventListener("online", this.wake);
    window.addEventListener("offline", this.wentOffline);
    document.addEventListener("visibilitychange", this.wake);
    this.connect();
  }

  /** Sends an action, now or once connected; returns false while another one is unanswered. */
  act(action: NewAction): boolean {
    if (this.unanswered || this.seq < 0) return false;
    const id = crypto.randomUUID?.() ?? String(Math.random());
    this.setUnanswered({ ...action, id, seq: this.seq });
    this.send(this.unanswered);
    this.expectAnswer();
    return true;
  }

  /** Asks for a hint; returns false without a connection. */
  requestHint(): boolean {
    return this.send({ t: "hint", id: String(Math.random()) });
  }

  /** Connects again, for instance when a spectator has become a player. */
  reconnect(): void {
    this.drop();
    this.connect();
  }

  close(): void {
    this.closed = true;
    window.clearInterval(this.pingTimer);
    window.clearTimeout(this.retryTimer);
    window.removeEventListener("online", this.wake);
    window.removeEventListener("offline", this.wentOffline);
    document.removeEventListener("visibilitychange", this.wake);
    this.drop();
  }

  private connect(): void {
    window.clearTimeout(this.retryTimer);
    this.retryTimer = 0;
    this.refusal = null;
    this.lastMessageAt = Date.now();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/tables/${this.game}/live?v=1`);
    this.socket = socket;
    socket.onmessage = ({ data }) => {
      if (socket === this.socket) this.receive(JSON.parse(String(data)) as FromServer);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.lost(code);
    };
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    this.answered();
    socket?.close();
  }

  private lost(code: number): void {
    this.socket = null;
    this.answered();
    if (code === POLICY_VIOLATION && this.refusal?.code !== "too-many") {
      this.listener.connection("refused");
      return;
    }
    this.listener.connection("lost");
    const growing = Math.min(RETRY_DELAY * BACKOFF ** this.failures, MAX_RETRY_DELAY);
    const delay = this.announcedDelay ?? growing;
    const jitter = 1 - JITTER + 2 * JITTER * Math.random();
    this.announcedDelay = null;
    this.failures += 1;
    this.retryTimer = window.setTimeout(() => this.connect(), delay * jitter);
  }

  /** Reconnects at once when the browser is online again or the page becomes visible. */
  private readonly wake = (): void => {
    if (this.retryTimer && document.visibilityState === "visible") this.connect();
    else this.ping();
  };

  private readonly ping = (): void => {
    if (!this.socket || this.closed) return;
    if (Date.now() - this.lastMessageAt > DEAD_AFTER) {
      this.drop();
      this.lost(0);
    } else {
      this.send({ t: "ping" });
      this.expectAnswer();
    }
  };

  /** Says soon if no answer comes, since it takes a while until a connection counts as lost. */
  private expectAnswer(): void {
    this.slowTimer ||= window.setTimeout(() => this.doubt("slow"), SLOW_AFTER);
  }

  /** A server on the same machine can still be reached, so the connection is kept and asked. */
  private readonly wentOffline = (): void => {
    if (!this.socket) return;
    this.ping();
    this.doubt("lost");
  };

  private doubt(connection: "slow" | "lost"): void {
    this.doubtful = true;
    this.listener.connection(connection);
  }

  private answered(): void {
    window.clearTimeout(this.slowTimer);
    this.slowTimer = 0;
    this.doubtful = false;
  }

  private send(message: object | null): boolean {
    if (!message || this.socket?.readyState !== 1) return false; // 1: WebSocket.OPEN
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private receive(message: FromServer): void {
    this.lastMessageAt = Date.now();
    if (this.doubtful && this.seq >= 0) this.listener.connection("open");
    this.answered();
    switch (message.t) {
      case "state":
        return this.receiveState(message);
      case "event":
        return this.receiveEvent(message);
      case "pong":
        if (message.seq > this.seq) this.send({ t: "sync" });
        return;
      case "ack":
        if (message.id === this.unanswered?.id) this.setUnanswered(null);
        if (message.seq > this.seq) this.send({ t: "sync" });
        return;
      case "refused":
        return this.receiveRefusal(message);
      case "presence":
        return this.listener.presence(message);
      case "thinking":
        return this.listener.thinking(message);
      case "hint":
        return this.listener.hint(message);
      case "bye":
        this.announcedDelay = message.retry;
        return;
      default:
        message satisfies never; // a newer server may send what this page does not know
    }
  }

  private receiveState(state: State): void {
    this.failures = 0;
    this.seq = state.status.seq;
    this.listener.state(state);
    this.listener.connection("open");
    this.send(this.unanswered);
  }

  private receiveEvent(message: Happened): void {
    if (message.event.seq <= this.seq) return;
    if (message.event.seq > this.seq + 1) {
      this.send({ t: "sync" });
      return;
    }
    this.seq = message.event.seq;
    this.listener.event(message);
  }

  private receiveRefusal(refusal: Refused): void {
    this.refusal = refusal;
    const action = this.unanswered?.id === refusal.id ? this.unanswered : null;
    if (action && TEMPORARY.includes(refusal.code)) {
      window.setTimeout(() => action === this.unanswered && this.send(action), PING_INTERVAL);
      return;
    }
    if (action) this.setUnanswered(null);
    if (refusal.state) {
      this.seq = refusal.state.status.seq;
      this.listener.state(refusal.state);
    }
    this.listener.refused(refusal, action);
  }

  /** Stores the unanswered action in the session, too, so that it survives a reload. */
  private setUnanswered(action: Action | null): void {
    this.unanswered = action;
    if (action) sessionStorage.setItem(this.key, JSON.stringify(action));
    else sessionStorage.removeItem(this.key);
    this.listener.pending(action);
  }

  private loadUnanswered(): Action | null {
    const stored = sessionStorage.getItem(this.key);
    return stored ? (JSON.parse(stored) as Action) : null;
  }

  private get key(): string {
    return `unanswered ${this.game}`;
  }
}
