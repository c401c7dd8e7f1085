/** A hint in three steps: where to look, which candidates there are, and where to place one. */

import type { Candidate, Hint } from "../generated/wire";

export class Advice {
  /** The server's hint; null without one. */
  hint = $state.raw<Hint | null>(null);
  /** 1: what to look for; 2: the candidates; 3: one of them is prepared. */
  step = $state<1 | 2 | 3>(1);
  /** The candidate that is prepared. */
  chosen = $state.raw<Candidate | null>(null);

  readonly candidates = $derived(this.hint?.candidates ?? []);

  begin(hint: Hint): void {
    this.hint = hint;
    this.step = 1;
    this.chosen = null;
  }

  /** Shows the next step; the last one prepares the best candidate. */
  next(): void {
    const [best] = this.candidates;
    if (this.step === 1) this.step = 2;
    else if (this.step === 2 && best) this.choose(best);
  }

  /** Prepares a candidate, even if it is prepared already and was changed since. */
  choose(candidate: Candidate): void {
    this.step = 3;
    this.chosen = { ...candidate };
  }

  end(): void {
    this.hint = null;
    this.chosen = null;
  }
}
