/**
 * The line to a table: a socket that comes back by itself, and an action that is never lost.
 *
 * What `docs/protocol.md` asks of a client is kept here, so that the rest of the page hears of a
 * table as if it were never away.
 */

import type { FromServer, Happened, Hint, Presence, Refused, State, Thinking } from "../generated/wire";

export type Connection = "connecting" | "open" | "lost" | "refused";

/** What a player wishes to do; its id and number are put on here. */
export type Wish =
  | { t: "move"; move: string }
  | { t: "begin"; first: number }
  | { t: "rematch"; circle: "same" | "new" }
  | { t: "undo" | "accept" | "decline" | "resign" | "abort" | "claim" | "flag" };
export type Action = Wish & { id: string; seq: number };

export interface Listener {
  state(state: State): void;
  event(event: Happened): void;
  presence(presence: Presence): void;
  thinking(thinking: Thinking): void;
  hint(hint: Hint): void;
  /** The action that waits for its answer, if any. */
  waiting(action: Action | null): void;
  refused(refusal: Refused, action: Action | null): void;
  connection(connection: Connection): void;
}

export const PING = 2500;
export const DEAD = 9000;
export const RETRY = 3500;
const LONGEST = 30000;
/** Refusals after which the same action may succeed. */
const AGAIN = ["unavailable", "busy", "too-many"];

export class Live {
  private socket: WebSocket | null = null;
  private seq = -1;
  private failures = 0;
  private heard = 0;
  private refusal: Refused | null = null;
  private retry = 0;
  private pause: number | null = null;
  private unanswered: Action | null;
  private closed = false;
  private readonly ticking: number;

  constructor(
    private readonly game: string,
    private readonly listener: Listener,
  ) {
    this.unanswered = this.recall();
    listener.waiting(this.unanswered);
    this.ticking = window.setInterval(this.tick, PING);
    window.addEventListener("online", this.hurry);
    document.addEventListener("visibilitychange", this.hurry);
    this.connect();
  }

  /** Sends an action, now or as soon as there is a connection; false: another one still waits. */
  act(wish: Wish): boolean {
    if (this.unanswered || this.seq < 0) return false;
    this.keep({ ...wish, id: crypto.randomUUID?.() ?? String(Math.random()), seq: this.seq });
    this.send(this.unanswered);
    return true;
  }

  /** Asks for a hint; false: there is no connection. */
  ask(): boolean {
    return this.send({ t: "hint", id: String(Math.random()) });
  }

  /** Connects anew, for instance as a player who was a visitor before. */
  reconnect(): void {
    this.drop();
    this.connect();
  }

  close(): void {
    this.closed = true;
    window.clearInterval(this.ticking);
    window.clearTimeout(this.retry);
    window.removeEventListener("online", this.hurry);
    document.removeEventListener("visibilitychange", this.hurry);
    this.drop();
  }

  private connect(): void {
    window.clearTimeout(this.retry);
    this.retry = 0;
    this.refusal = null;
    this.heard = Date.now();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/tables/${this.game}/live?v=1`);
    this.socket = socket;
    socket.onmessage = ({ data }) => {
      if (socket === this.socket) this.hear(JSON.parse(String(data)) as FromServer);
    };
    socket.onclose = ({ code }) => {
      if (socket === this.socket) this.lost(code);
    };
  }

  private drop(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  private lost(code: number): void {
    this.socket = null;
    if (code === 1008 && this.refusal?.code !== "too-many") {
      this.listener.connection("refused");
      return;
    }
    this.listener.connection("lost");
    const wait = this.pause ?? Math.min(RETRY * 1.6 ** this.failures, LONGEST);
    this.pause = null;
    this.failures += 1;
    this.retry = window.setTimeout(() => this.connect(), wait * (0.8 + 0.4 * Math.random()));
  }

  /** Comes back at once when the browser is online or looked at again. */
  private readonly hurry = (): void => {
    if (this.retry && document.visibilityState === "visible") this.connect();
    else this.tick();
  };

  private readonly tick = (): void => {
    if (!this.socket || this.closed) return;
    if (Date.now() - this.heard > DEAD) {
      this.drop();
      this.lost(0);
    } else {
      this.send({ t: "ping" });
    }
  };

  private send(message: object | null): boolean {
    if (!message || this.socket?.readyState !== 1) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  private hear(message: FromServer): void {
    this.heard = Date.now();
    switch (message.t) {
      case "state":
        return this.stand(message);
      case "event":
        return this.follow(message);
      case "pong":
        if (message.seq > this.seq) this.send({ t: "sync" });
        return;
      case "ack":
        if (message.id === this.unanswered?.id) this.keep(null);
        if (message.seq > this.seq) this.send({ t: "sync" });
        return;
      case "refused":
        return this.refuse(message);
      case "presence":
        return this.listener.presence(message);
      case "thinking":
        return this.listener.thinking(message);
      case "hint":
        return this.listener.hint(message);
      case "bye":
        this.pause = message.retry;
    }
  }

  private stand(state: State): void {
    this.failures = 0;
    this.seq = state.status.seq;
    this.listener.state(state);
    this.listener.connection("open");
    this.send(this.unanswered);
  }

  private follow(message: Happened): void {
    if (message.event.seq <= this.seq) return;
    if (message.event.seq > this.seq + 1) {
      this.send({ t: "sync" });
      return;
    }
    this.seq = message.event.seq;
    this.listener.event(message);
  }

  private refuse(refusal: Refused): void {
    this.refusal = refusal;
    const action = this.unanswered?.id === refusal.id ? this.unanswered : null;
    if (action && AGAIN.includes(refusal.code)) {
      window.setTimeout(() => action === this.unanswered && this.send(action), PING);
      return;
    }
    if (action) this.keep(null);
    if (refusal.state) {
      this.seq = refusal.state.status.seq;
      this.listener.state(refusal.state);
    }
    this.listener.refused(refusal, action);
  }

  /** Keeps what was not answered through a reload as well. */
  private keep(action: Action | null): void {
    this.unanswered = action;
    if (action) sessionStorage.setItem(this.key, JSON.stringify(action));
    else sessionStorage.removeItem(this.key);
    this.listener.waiting(action);
  }

  private recall(): Action | null {
    const kept = sessionStorage.getItem(this.key);
    return kept ? (JSON.parse(kept) as Action) : null;
  }

  private get key(): string {
    return `unanswered ${this.game}`;
  }
}
