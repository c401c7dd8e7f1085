/**
 * Ideas: patches that the user tries on the own quilt, whoever's turn it is, and may keep there.
 *
 * Nothing here is ever sent as a move. Where a patch fits, what it costs and when it can be had,
 * the server says, taking the ideas kept before it for granted.
 */

import { untrack } from "svelte";
import { coveredCells, pickUp, placeAs, toMove } from "../../game/placement";
import type { PlayableGame } from "../../game/playableGame";
import type { Idea, Plan } from "../../generated/wire";
import { HeldPatch } from "../../game/heldPatch.svelte";

/** As many as the server answers for. */
const MAX_KEPT = 12;

export interface KeptIdea {
  patch: number;
  /** The purchase in the game's notation. */
  move: string;
  cells: number[];
  /** What it would cost, and when it can be had. */
  idea: Idea;
}

/** An idea that came to nothing. */
export interface DroppedIdea {
  patch: number;
  /** Somebody took it, its place is covered, it fits nowhere, or no time is left for it. */
  why: "taken" | "covered" | "nowhere" | "home";
}

export class Planning extends HeldPatch {
  /** The figures of the patch that is being tried. */
  tried = $state.raw<Idea | null>(null);
  /** The ideas that came to nothing since the user last did something. */
  dropped = $state.raw<DroppedIdea[]>([]);
  /** Whether the server did not answer the last question. */
  failed = $state(false);
  /** The ideas of each seat: two players may share the screen. */
  private ideas = $state.raw<Readonly<Record<number, KeptIdea[]>>>({});
  /** The seat whose quilt the patch is tried on. */
  private seat = -1;
  /** The answers about the current position. */
  private answers = new Map<string, Promise<Plan>>();
  /** Counts the attempts to try a patch; only the answer to the latest one matters. */
  private attempts = 0;

  /** Whether there is anything to plan. */
  readonly enabled = $derived.by(
    () => this.game.plan !== null && this.game.you.length > 0 && this.game.turn !== null,
  );

  constructor(private readonly game: PlayableGame) {
    super();
    $effect(() => {
      void game.position;
      untrack(() => void this.review());
    });
  }

  /** The ideas that were kept, in order. */
  get kept(): readonly KeptIdea[] {
    return this.ideas[this.game.near] ?? [];
  }

  get canKeep(): boolean {
    return this.fits && this.kept.length < MAX_KEPT;
  }

  /** The purchase being thought of, in the game's notation; null if it does not fit. */
  get move(): string | null {
    return this.ghost && toMove(this.ghost);
  }

  /** Returns the place thought of for a patch, as a move; null without one. */
  placeFor(patch: number): string | null {
    if (patch === this.patch) return this.move;
    return this.kept.find((each) => each.patch === patch)?.move ?? null;
  }

  /** Tries a patch beside the ideas that were kept; one of those is lifted again. */
  async try(patch: number): Promise<void> {
    if (!this.enabled || patch === this.patch) return;
    const before = this.kept.find((each) => each.patch === patch);
    this.ghost = null;
    if (before) this.replace(this.kept.filter((each) => each !== before));
    const attempt = (this.attempts += 1);
    const plan = await this.ask(patch);
    if (!plan || attempt !== this.attempts) return;
    const { tried, orientations } = plan;
    if (tried && !tried.refused) {
      const ghost = pickUp({ patch, orientations }, ...this.lastCentre);
      this.ghost = before ? placeAs(ghost, before.move) : ghost;
      this.placed = before !== undefined;
      this.blockedSteps = 0;
      this.tried = tried;
    } else if (tried) this.drop(cameToNothing([tried], "nowhere"));
  }

  /** Keeps the patch that is being tried where it is. */
  keep(): void {
    const { ghost, tried, move } = this;
    if (!ghost || !tried || !move || !this.canKeep) return;
    const idea = { patch: tried.patch, move, cells: coveredCells(ghost), idea: tried };
    this.stay();
    this.replace([...this.kept, idea]);
    this.cancel();
  }

  putDown(): void {
    this.stay();
  }

  cancel(): void {
    this.attempts += 1;
    this.ghost = null;
    this.tried = null;
    this.failed = false;
  }

  /** Puts all ideas away. */
  clear(): void {
    this.cancel();
    this.dropped = [];
    this.ideas = {};
  }

  private replace(ideas: KeptIdea[]): void {
    this.ideas = { ...this.ideas, [this.game.near]: ideas };
  }

  /** Looks at all ideas again, in a new position; those that came to nothing are dropped. */
  private async review(): Promise<void> {
    const { position, near } = this.game;
    this.answers.clear();
    if (!this.enabled) this.clear();
    if (this.seat !== near) this.cancel();
    this.seat = near;
    const { patch, kept } = this;
    if (patch === null && !kept.length) return;
    const plan = await this.ask(patch);
    if (!plan || position !== this.game.position) return;
    const ideas = new Map(kept.map((each, index) => [each, plan.kept[index] as Idea]));
    const own = position?.players[near as 0 | 1].layout ?? [];
    const missed = plan.kept.filter((idea) => !own.some(([sewn]) => sewn === idea.patch));
    this.drop(cameToNothing(missed, "covered"));
    const looked = this.kept.map((each) => ({ ...each, idea: ideas.get(each) ?? each.idea }));
    this.replace(looked.filter(({ idea }) => !idea.refused));
    if (!this.ghost || plan.tried?.patch !== this.patch) return;
    this.drop(cameToNothing([plan.tried], "nowhere"));
    this.tried = plan.tried;
    this.ghost = plan.tried.refused ? null : { ...this.ghost, orientations: plan.orientations };
  }

  private drop(ideas: DroppedIdea[]): void {
    this.dropped = [...this.dropped, ...ideas];
  }

  /** Asks the server about the ideas kept and a patch; null if there is no answer. */
  private async ask(patch: number | null): Promise<Plan | null> {
    if (!this.game.plan) return null;
    const moves = this.kept.map(({ move }) => move);
    const key = `${this.game.near} ${moves.join()} ${patch}`;
    const answer = this.answers.get(key) ?? this.game.plan(this.game.near, moves, patch);
    this.answers.set(key, answer);
    try {
      const plan = await answer;
      this.failed = false;
      return plan;
    } catch {
      this.answers.delete(key);
      this.failed = true;
      return null;
    }
  }
}

/** Returns those ideas that will never be possible, and why. */
function cameToNothing(
  ideas: readonly Idea[],
  overlaps: "covered" | "nowhere",
): DroppedIdea[] {
  return ideas.flatMap(({ patch, refused }) =>
    refused ? [{ patch, why: refused === "overlaps" ? overlaps : refused }] : [],
  );
}
