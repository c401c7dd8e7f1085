/** A patch dragged from the circle to the quilt. */

import type { Offer } from "../../generated/wire";
import type { Choosing } from "./moveSelection.svelte";

const FAR = 8; // pixels that make a drag of a press

/** The quilt that it is dragged to. */
interface Target {
  over(event: PointerEvent): boolean;
  follow(event: PointerEvent): void;
}

export class Drag {
  /** Where the patch was gripped in the circle. */
  private grip: { offer: Offer; x: number; y: number; moved: boolean } | null = null;

  constructor(
    private readonly choosing: Choosing,
    private readonly choose: (offer: Offer) => void,
    private readonly target: () => Target | undefined,
  ) {}

  readonly begin = (offer: Offer, event: PointerEvent): void => {
    if (!this.choosing.open || offer.refused || event.button !== 0) return;
    this.grip = { offer, x: event.clientX, y: event.clientY, moved: false };
  };

  readonly move = (event: PointerEvent): void => {
    const { grip } = this;
    const target = this.target();
    if (!grip || !target) return;
    if (!grip.moved && Math.hypot(event.clientX - grip.x, event.clientY - grip.y) < FAR) return;
    if (!grip.moved) this.choose(grip.offer);
    grip.moved = true;
    if (target.over(event)) target.follow(event);
  };

  readonly end = (event: PointerEvent): void => {
    if (this.grip?.moved && this.target()?.over(event)) this.choosing.drop();
    this.grip = null;
  };

  readonly cancel = (): void => {
    this.grip = null;
  };
}
