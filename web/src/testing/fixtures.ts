/** Stand-ins for the browser and the server in tests. */

import { vi } from "vitest";
import type { Effect, Offer, PlayerView, PositionView, State, Status } from "../generated/wire";

/** A WebSocket that a test controls. */
export class FakeSocket {
  static all: FakeSocket[] = [];
  readyState = 1;
  sent: Record<string, unknown>[] = [];
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor() {
    FakeSocket.all.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(): void {
    this.readyState = 3;
  }
  receive(message: unknown): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  disconnect(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

/** Returns the latest socket. */
export function lastSocket(): FakeSocket {
  return FakeSocket.all.at(-1) as FakeSocket;
}

/** Returns the messages of a type that were sent over the latest socket. */
export function sentMessages(type: string): Record<string, unknown>[] {
  return lastSocket().sent.filter((message) => message["t"] === type);
}

class FakeStorage {
  private readonly items = new Map<string, string>();
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value);
  }
  removeItem(key: string): void {
    this.items.delete(key);
  }
}

/** Installs a browser with empty storage; `vi.unstubAllGlobals()` removes it. */
export function stubBrowser(): void {
  const target = new EventTarget();
  const bind = <T extends object>(part: T) =>
    Object.assign(part, {
      addEventListener: target.addEventListener.bind(target),
      removeEventListener: target.removeEventListener.bind(target),
      dispatchEvent: target.dispatchEvent.bind(target),
    });
  vi.stubGlobal("window", bind({ setInterval, clearInterval, setTimeout, clearTimeout }));
  vi.stubGlobal(
    "document",
    bind({ visibilityState: "visible", hidden: false, documentElement: { lang: "" } }),
  );
  vi.stubGlobal("matchMedia", () => bind({ matches: false }));
  vi.stubGlobal("location", { protocol: "http:", host: "here", pathname: "/" });
  vi.stubGlobal("navigator", { languages: [] });
  vi.stubGlobal("sessionStorage", new FakeStorage());
  vi.stubGlobal("localStorage", new FakeStorage());
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.all = [];
}

// Some modules use the browser while they are loaded, so tests import this one first.
stubBrowser();

export function effect(changes: Partial<Effect> = {}): Effect {
  return { space: 3, income: 0, buttons: 4, leather: false, next: 1, score: -150, ...changes };
}

/** Returns an offer of a patch that fits, as it is drawn, wherever its bounding box fits. */
export function offer(patch: number, rows: string[], changes: Partial<Offer> = {}): Offer {
  const width = rows[0]?.length ?? 0;
  const marks = [...Array(81).keys()].map((cell) =>
    Math.floor(cell / 9) + rows.length <= 9 && (cell % 9) + width <= 9 ? "1" : "0",
  );
  const orientations = [{ letter: "A", rows, places: marks.join(""), tile: null }];
  return { patch, refused: null, effect: effect(), orientations, ...changes };
}

export function player(changes: Partial<PlayerView> = {}): PlayerView {
  return { buttons: 5, income: 0, time: 0, score: -157, layout: [], ...changes };
}

/** Returns a position in which it is the turn of seat 0. */
export function position(changes: Partial<PositionView> = {}): PositionView {
  return {
    turn: 0,
    phase: "turn",
    players: [player(), player()],
    circle: [1, 2, 3, 4],
    leather: [20, 26],
    tile: null,
    first_home: null,
    text: "",
    advance: effect({ space: 1 }),
    offers: [offer(1, ["##", "#."]), offer(2, ["###"]), offer(3, ["##"], { refused: "cannot-afford" })],
    leather_choice: null,
    ...changes,
  };
}

export function status(changes: Partial<Status> = {}): Status {
  return {
    seq: 1,
    seats: [
      { name: "Ann", taken: true, computer: false },
      { name: "Bob", taken: true, computer: false },
    ],
    first: 0,
    asking: null,
    clocks: null,
    ending: null,
    rematch: [],
    next: null,
    ...changes,
  };
}

/** Returns the state that the server sends to seat 0 of a new game. */
export function state(changes: Partial<State> = {}): State {
  return {
    t: "state",
    table: {
      id: "game",
      opponent: "friend",
      edition: "classic",
      level: null,
      clock: null,
      created: 0,
      circle: [1, 2, 3, 4],
    },
    you: [0],
    status: status(),
    moves: [],
    position: position(),
    ...changes,
  };
}
