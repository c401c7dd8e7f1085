/** The game of the tutorial: the current step, and the position at the table. */

import { loadSetting, saveSetting } from "../browser/storage";
import type { GameEvent, PlayableGame } from "../game/playableGame";
import type { Ending, PositionView, Reached, Status } from "../generated/wire";
import { say } from "../i18n/language.svelte";
import type { NewAction } from "../net/tableSocket";
import { preferences } from "../settings/preferences.svelte";
import { judgeMove, MOVES, STEPS, type Step } from "./steps";

const KEY = "lesson";
/** Milliseconds between a move and what follows; longer than in a game, for beginners. */
const MOVE_PAUSE = 900;

export class TutorialGame implements PlayableGame {
  index = $state(0);
  position = $state.raw<PositionView | null>(null);
  ending = $state.raw<Ending | null>(null);
  /** Whether the task of the step is done, and its closing text is shown. */
  done = $state(false);
  /** Whether the last move did not fulfil the task. */
  wrong = $state(false);
  error = $state<unknown>(null);
  pending = $state.raw<object | null>(null);
  hint = $state.raw<{ move: string } | null>(null);
  moves = $state.raw<[number, string][]>([]);
  recentEvents = $state.raw<GameEvent[]>([]);

  readonly step = $derived(STEPS[this.index] as Step);
  readonly over = $derived(this.position?.phase === "over");
  readonly turn = $derived(this.over ? null : (this.position?.turn ?? null));
  readonly myTurn = $derived(this.turn === 0 && !this.done && this.step.task !== "read");
  /** Whether the task can be demonstrated: only while the user follows the written game. */
  readonly canDemonstrate = $derived(
    this.myTurn && !this.step.continues && this.moves.length === this.step.ply,
  );
  readonly status: Pick<Status, "seats" | "clocks" | "asking"> = $derived({
    seats: [
      { name: "", taken: true, computer: false },
      { name: say("page-learn-opponent"), taken: true, computer: false },
    ],
    clocks: null,
    asking: null,
  });
  readonly you = [0];
  readonly near = 0;
  readonly table = undefined;
  readonly presence = undefined;
  readonly clocksAt = 0;
  readonly thinking = null;
  readonly plan = null;

  /** Counts the tasks started by `run`; only the latest one may change the state. */
  private latestTask = 0;

  /** `fetchPosition` asks the server where a sequence of moves leads. */
  constructor(private readonly fetchPosition: (moves: readonly string[]) => Promise<Reached>) {
    this.begin(STEPS.findIndex(({ name }) => name === loadSetting(KEY)));
  }

  act(action: NewAction): void {
    if (action.t === "move") this.play(action.move);
    else if (action.t === "undo") this.back();
  }

  /** Demonstrates how the task is done. */
  endHint(): void {
    this.hint = null;
  }

  requestHint(): void {
    const move = MOVES[this.step.ply];
    if (this.canDemonstrate && move) this.hint = { move };
  }

  next(): void {
    const following = STEPS[this.index + 1];
    const own = this.done && following?.continues ? this.ownMoves() : null;
    this.begin(this.index + 1, own);
  }

  back(): void {
    this.begin(this.done ? this.index : this.index - 1);
  }

  restart(): void {
    this.begin(0);
  }

  /** Begins the step again after a failed request. */
  retry(): void {
    this.begin(this.index);
  }

  close(): void {
    this.latestTask += 1;
  }

  /** Begins a step, after the user's own moves or after those of the written game. */
  private async begin(index: number, own: readonly string[] | null = null): Promise<void> {
    this.index = Math.min(Math.max(index, 0), STEPS.length - 1);
    const { name, ply, shown } = this.step;
    // After the last step, the next visit starts from the beginning.
    saveSetting(KEY, this.index < STEPS.length - 1 ? name : "");
    this.done = this.wrong = false;
    this.hint = null;
    await this.run(async (isCurrent) => {
      const reached = await this.fetchPosition(own ?? MOVES.slice(0, ply - shown));
      if (isCurrent()) this.show(reached);
      for (let played = ply - shown + 1; !own && played <= ply && isCurrent(); played += 1) {
        await pause();
        const next = await this.fetchPosition(MOVES.slice(0, played));
        if (isCurrent()) this.showMove(next);
      }
    });
  }

  private async play(move: string): Promise<void> {
    const before = this.position;
    if (!before || !this.myTurn || this.pending) return;
    const moves = [...this.ownMoves(), move];
    this.hint = null;
    await this.run(async (isCurrent) => {
      const reached = await this.fetchPosition(moves);
      if (!isCurrent()) return;
      const verdict = judgeMove(this.step.task, move, before, reached.position);
      this.wrong = verdict === "wrong";
      if (this.wrong) {
        this.position = { ...before }; // a new object clears the selection
        return;
      }
      this.showMove(reached);
      this.done = verdict === "done";
      if (!this.done || this.step.done) return;
      await pause();
      if (isCurrent()) this.next();
    });
  }

  private ownMoves(): string[] {
    return this.moves.map(([, move]) => move);
  }

  /** Shows a position without the moves that led to it. */
  private show({ moves, position, ending }: Reached): void {
    this.recentEvents = [];
    this.moves = moves;
    // While the task is to advance, no patch is on offer.
    this.position = this.step.task === "advance" ? { ...position, offers: [] } : position;
    this.ending = ending;
  }

  /** Shows a position with the move that led to it from the current one. */
  private showMove(reached: Reached): void {
    const before = this.position;
    this.show(reached);
    const last = reached.moves.at(-1);
    if (!last) return;
    const [seat, data] = last;
    this.recentEvents = [{ event: { kind: "move", seat, data }, before, after: reached.position }];
  }

  /** Runs a task during which the user cannot act; a later task cancels it. */
  private async run(task: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    const number = (this.latestTask += 1);
    const isCurrent = () => number === this.latestTask;
    this.pending = {};
    this.error = null;
    try {
      await task(isCurrent);
    } catch (error) {
      if (isCurrent()) this.error = error;
    }
    if (isCurrent()) this.pending = null;
  }
}

function pause(): Promise<void> {
  const duration = preferences.motion === "off" ? 0 : MOVE_PAUSE;
  return new Promise((resolve) => setTimeout(resolve, duration));
}
