// Written by web/tools/messages.py from src/patchwork/server/wire. Do not edit.

export interface Abort {
  id: string;
  seq: number;
  t: "abort";
}

export interface Accept {
  id: string;
  seq: number;
  t: "accept";
}

export interface Ack {
  t: "ack";
  v?: 1;
  id: string;
  seq: number;
}

export interface Action {
  id: string;
  seq: number;
}

export interface AskHint {
  t: "hint";
  id: string;
}

export interface Begin {
  id: string;
  seq: number;
  t: "begin";
  first: number;
}

export interface Branch {
  comment: string;
  moves: [number, string][];
  notes: Note[];
}

export interface Bye {
  t: "bye";
  v?: 1;
  retry: number;
}

export interface Candidate {
  move: string;
  win: number;
  margin: number;
  why: Why | null;
}

export interface CarryLink {
  url: string;
  qr: string;
  expires: number;
}

export interface Claim {
  id: string;
  seq: number;
  t: "claim";
}

export interface ClockTerms {
  minutes?: number | null;
  increment?: number;
  days?: number | null;
}

export interface Clocks {
  left: [number, number];
  running: number | null;
  grace: Grace | null;
}

export type Code = "stale" | "malformed" | "not-seated" | "not-your-turn" | "illegal-move" | "not-begun" | "already-begun" | "over" | "not-over" | "nothing-to-undo" | "already-asked" | "not-asked" | "too-late-to-abort" | "not-gone" | "time-left" | "seats-taken" | "no-help" | "busy" | "too-many" | "unavailable" | "no-such-table" | "not-found" | "no-such-ply" | "version" | "forbidden" | "opponents" | "reserved-name" | "bad-circle";

export interface Data {
  player: string | null;
  merges: Merge[];
  names: string[];
  games: OwnGame[];
}

export interface Decline {
  id: string;
  seq: number;
  t: "decline";
}

export interface Effect {
  space: number;
  income: number;
  buttons: number;
  leather: boolean;
  next: number | null;
  score: number;
}

export interface Ending {
  reason: Termination;
  winner: number | null;
  scores: [number, number] | null;
  tie_break: boolean;
}

export interface EventView {
  seq: number;
  kind: Kind;
  seat: number;
  at: number;
  data: string;
}

export interface Flag {
  id: string;
  seq: number;
  t: "flag";
}

export interface Forgotten {
  player: string | null;
}

export interface GameCounts {
  running: number;
  finished: number;
}

export interface Games {
  games: Summary[];
  more: number | null;
}

export interface Grace {
  seat: number;
  left: number;
}

export interface Happened {
  t: "event";
  v?: 1;
  event: EventView;
  status: Status;
  position: PositionView | null;
}

export interface Health {
  status: "ok";
  version: string;
  engine: "ready" | "warming";
}

export interface Hint {
  t: "hint";
  v?: 1;
  id: string;
  seq: number;
  thought: Thought;
  candidates: Candidate[];
}

export interface Idea {
  patch: number;
  refused: "taken" | "overlaps" | "home" | null;
  purchases: number;
  after: number[];
  short: number;
  space: number;
  buttons: number;
  income: number;
  leather: boolean;
}

export interface Join {
  name?: string;
}

export interface Keeping {
  unfinished: number | null;
  finished: number | null;
}

export interface KeptRecord {
  record: string;
}

export type Kind = "join" | "begin" | "move" | "ask" | "decline" | "takeback" | "resign" | "flag" | "claim" | "abort" | "rematch" | "next" | "forget";

export interface LeatherChoice {
  places: string;
  tile: string | null;
  next: number;
}

export interface Leave {
  t: "leave";
}

export interface Line {
  edition?: "classic" | "revised";
  circle: number[];
  first?: number;
  moves?: string[];
  since?: number | null;
}

export interface LocalNetwork {
  offered: boolean;
  open: boolean;
  addresses: string[];
  qr: string | null;
}

export interface Me {
  player: string;
}

export interface Merge {
  player: string;
  into: string;
  at: number;
}

export interface Merged {
  players: number;
  undo: number | null;
  until: number | null;
}

export interface Move {
  id: string;
  seq: number;
  t: "move";
  move: string;
}

export interface NewTable {
  opponent: Opponent;
  level?: number;
  seat?: number | "random";
  first?: number | "random" | "needle";
  edition?: "classic" | "revised";
  seed?: number | null;
  circle?: number[] | null;
  clock?: ClockTerms | null;
  name?: string;
  other_name?: string;
}

export interface Note {
  move: number;
  annotations: number[];
  comment: string;
  variations: Branch[];
}

export interface Offer {
  patch: number;
  refused: Reason | null;
  effect: Effect | null;
  orientations: Orientation[];
}

export type Opponent = "computer" | "screen" | "friend";

export interface Orientation {
  letter: string;
  rows: string[];
  places: string;
  tile: string | null;
}

export interface OwnGame {
  id: string;
  created: number;
  opponent: Opponent;
  level: number | null;
  edition: string;
  clock: ClockTerms | null;
  you: number[];
  names: [string, string];
  ending: Ending | null;
  events: EventView[];
  record: string;
}

export type Phase = "turn" | "leather" | "over";

export interface Ping {
  t: "ping";
}

export interface Plan {
  seq: number;
  kept: Idea[];
  tried: Idea | null;
  orientations: Orientation[];
}

export interface PlayerView {
  buttons: number;
  income: number;
  time: number;
  score: number;
  layout: ([number | null, number[]])[];
}

export interface Pong {
  t: "pong";
  v?: 1;
  seq: number;
}

export interface PositionView {
  turn: number;
  phase: Phase;
  players: [PlayerView, PlayerView];
  circle: number[];
  leather: number[];
  tile: number | null;
  first_home: number | null;
  text: string;
  advance: Effect | null;
  offers: Offer[];
  leather_choice: LeatherChoice | null;
}

export interface Presence {
  t: "presence";
  v?: 1;
  present: [boolean, boolean];
  claim: [number | null, number | null];
  watchers: number;
}

export interface Prospect {
  outcome: "adopt" | "merge" | "same" | "opponents";
  own: GameCounts;
  maker: GameCounts;
  against: Summary[];
}

export interface Reached {
  moves: [number, string][];
  position: PositionView;
  ending: Ending | null;
  positions: PositionView[];
}

export type Reason = "game-over" | "not-in-this-phase" | "not-on-offer" | "cannot-afford" | "off-the-board" | "not-that-shape" | "overlaps" | "cell-taken";

export interface Refused {
  t: "refused";
  v?: 1;
  id: string | null;
  code: Code;
  detail: string;
  reason?: Reason | null;
  state?: State | null;
}

export interface Rematch {
  id: string;
  seq: number;
  t: "rematch";
  circle?: "same" | "new";
}

export interface Replay {
  names: [string, string];
  edition: string;
  circle: number[];
  first: number;
  ending: Ending | null;
  comment: string;
  moves: [number, string][];
  notes: Note[];
  positions: PositionView[];
}

export interface Resign {
  id: string;
  seq: number;
  t: "resign";
}

export interface Revoke {
  id: string;
}

export interface RunningGames {
  games: Summary[];
  more: string | null;
}

export interface SeatView {
  name: string;
  taken: boolean;
  computer: boolean;
}

export interface State {
  t: "state";
  v?: 1;
  table: TableView;
  you: number[];
  status: Status;
  moves: [number, string][];
  position: PositionView | null;
}

export interface Status {
  seq: number;
  seats: [SeatView, SeatView];
  first: number | null;
  asking: number | null;
  clocks: Clocks | null;
  ending: Ending | null;
  rematch: number[];
  next: string | null;
}

export interface Summary {
  id: string;
  opponent: Opponent;
  level: number | null;
  edition: string;
  you: number[];
  names: [string, string];
  turn: number | null;
  ending: Ending | null;
  left: number | null;
  created: number;
  updated: number;
}

export interface Sync {
  t: "sync";
}

export interface TableView {
  id: string;
  opponent: Opponent;
  edition: string;
  level: number | null;
  clock: ClockTerms | null;
  created: number;
  circle: number[];
}

export type Termination = "played out" | "resigned" | "time" | "left" | "aborted" | "unfinished";

export interface Thinking {
  t: "thinking";
  v?: 1;
  waiting: number;
  part?: number | null;
}

export interface Thought {
  seat: number;
  move: string;
  win: number;
  margin: number;
  exact: boolean;
  lines: Variation[];
}

export interface Token {
  token: string;
  player: string;
}

export interface Undo {
  id: string;
  seq: number;
  t: "undo";
}

export interface Variation {
  moves: string[];
  win: number;
  margin: number;
}

export interface Why {
  code: "tile" | "hole" | "leather" | "again" | "income" | "line";
  figure: number;
}

export type FromClient = Move | Begin | Undo | Accept | Decline | Resign | Abort | Claim | Flag | Rematch | Ping | Sync | Leave | AskHint;

export type FromServer = State | Happened | Ack | Refused | Presence | Thinking | Hint | Pong | Bye;
