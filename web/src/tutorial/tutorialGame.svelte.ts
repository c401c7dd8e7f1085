/** The course of the lesson: where the learner is, and what lies on the table there. */

import { recall, remember } from "../browser/storage";
import type { Playing } from "../game/playableGame";
import type { Ending, PositionView, Reached, Status } from "../generated/wire";
import { say } from "../i18n/language.svelte";
import type { Wish } from "../net/tableSocket";
import { preferences } from "../settings/preferences.svelte";
import type { Played } from "../table/board/animationPlan";
import { judge, MOVES, STEPS, type Step } from "./steps";

const KEY = "lesson";
/** Milliseconds in which one sees what was played. */
const PAUSE = 900;

export class Lesson implements Playing {
  index = $state(0);
  position = $state.raw<PositionView | null>(null);
  ending = $state.raw<Ending | null>(null);
  /** The task of the step is done, and what follows from it is told. */
  done = $state(false);
  /** Another move was tried than the one asked for. */
  wrong = $state(false);
  trouble = $state<unknown>(null);
  waiting = $state.raw<object | null>(null);
  hint = $state.raw<{ move: string } | null>(null);
  moves = $state.raw<[number, string][]>([]);
  happened = $state.raw<Played[]>([]);

  readonly step = $derived(STEPS[this.index] as Step);
  readonly over = $derived(this.position?.phase === "over");
  readonly turn = $derived(this.over ? null : (this.position?.turn ?? null));
  readonly mine = $derived(this.turn === 0 && !this.done && this.step.task !== "read");
  /** Whether the learner may be shown how it is done: where the game is as it was written. */
  readonly helps = $derived(
    this.mine && !this.step.continues && this.moves.length === this.step.ply,
  );
  readonly status: Pick<Status, "seats" | "clocks"> = $derived({
    seats: [
      { name: "", taken: true, computer: false },
      { name: say("page-learn-opponent"), taken: true, computer: false },
    ],
    clocks: null,
  });
  readonly you = [0];
  readonly near = 0;
  readonly table = undefined;
  readonly presence = undefined;
  readonly toldAt = 0;
  readonly thinking = null;

  /** Whatever was under way for an earlier one is of no interest any more. */
  private attempt = 0;

  constructor(private readonly reach: (moves: readonly string[]) => Promise<Reached>) {
    this.begin(STEPS.findIndex(({ name }) => name === recall(KEY)));
  }

  act(wish: Wish): void {
    if (wish.t === "move") this.play(wish.move);
    else if (wish.t === "undo") this.back();
  }

  /** Shows how the task is done. */
  ask(): void {
    const move = MOVES[this.step.ply];
    if (this.helps && move) this.hint = { move };
  }

  next(): void {
    const following = STEPS[this.index + 1];
    const line = this.done && following?.continues ? this.line() : null;
    this.begin(this.index + 1, line);
  }

  back(): void {
    this.begin(this.done ? this.index : this.index - 1);
  }

  restart(): void {
    this.begin(0);
  }

  /** Tries again what the server did not answer. */
  retry(): void {
    this.begin(this.index);
  }

  close(): void {
    this.attempt += 1;
  }

  /** Begins a step, from a line of the learner's own or from the moves that were written for it. */
  private async begin(index: number, own: readonly string[] | null = null): Promise<void> {
    this.index = Math.min(Math.max(index, 0), STEPS.length - 1);
    const { name, ply, shown } = this.step;
    // Whoever comes back after the end begins anew.
    remember(KEY, this.index < STEPS.length - 1 ? name : "");
    this.done = this.wrong = false;
    this.hint = null;
    await this.busy(async (current) => {
      const reached = await this.reach(own ?? MOVES.slice(0, ply - shown));
      if (current()) this.stand(reached);
      for (let played = ply - shown + 1; !own && played <= ply && current(); played += 1) {
        await pause();
        const next = await this.reach(MOVES.slice(0, played));
        if (current()) this.follow(next);
      }
    });
  }

  private async play(move: string): Promise<void> {
    const before = this.position;
    if (!before || !this.mine || this.waiting) return;
    const line = [...this.line(), move];
    this.hint = null;
    await this.busy(async (current) => {
      const reached = await this.reach(line);
      if (!current()) return;
      const verdict = judge(this.step.task, move, before, reached.position);
      this.wrong = verdict === "wrong";
      if (this.wrong) {
        this.position = { ...before }; // the hand is empty again
        return;
      }
      this.follow(reached);
      this.done = verdict === "done";
      if (!this.done || this.step.done) return;
      await pause();
      if (current()) this.next();
    });
  }

  private line(): string[] {
    return this.moves.map(([, move]) => move);
  }

  /** Shows where a line leads, without a word of how it came to be. */
  private stand({ moves, position, ending }: Reached): void {
    this.happened = [];
    this.moves = moves;
    // Who is asked to advance is not tempted by patches.
    this.position = this.step.task === "advance" ? { ...position, offers: [] } : position;
    this.ending = ending;
  }

  /** Shows where a line leads that has one more move than what lies on the table. */
  private follow(reached: Reached): void {
    const before = this.position;
    this.stand(reached);
    const last = reached.moves.at(-1);
    if (!last) return;
    const [seat, data] = last;
    this.happened = [{ event: { kind: "move", seat, data }, before, after: reached.position }];
  }

  /** Lets nothing else be decided meanwhile; what comes later makes this void. */
  private async busy(work: (current: () => boolean) => Promise<void>): Promise<void> {
    const attempt = (this.attempt += 1);
    const current = () => attempt === this.attempt;
    this.waiting = {};
    this.trouble = null;
    try {
      await work(current);
    } catch (error) {
      if (current()) this.trouble = error;
    }
    if (current()) this.waiting = null;
  }
}

function pause(): Promise<void> {
  return new Promise((go) => setTimeout(go, preferences.motion === "off" ? 0 : PAUSE));
}
