/** Dragging a patch from the circle to the quilt. */

import type { Offer } from "../../generated/wire";
import type { MoveSelection } from "./moveSelection.svelte";

/** Pixels that the pointer must move until a press becomes a drag; a finger on a tap moves less. */
export const DRAG_THRESHOLD = 8;

/** The quilt, to which patches are dragged. */
interface DropTarget {
  contains(event: PointerEvent): boolean;
  dragTo(event: PointerEvent): void;
}

export class PatchDrag {
  /** The pressed patch, and where in the window it was pressed. */
  private pressed: { offer: Offer; x: number; y: number; moved: boolean } | null = null;

  constructor(
    private readonly selection: MoveSelection,
    private readonly select: (offer: Offer) => void,
    private readonly target: () => DropTarget | undefined,
  ) {}

  readonly start = (offer: Offer, event: PointerEvent): void => {
    if (!this.selection.enabled || offer.refused || event.button !== 0) return;
    this.pressed = { offer, x: event.clientX, y: event.clientY, moved: false };
  };

  readonly move = (event: PointerEvent): void => {
    const { pressed } = this;
    const target = this.target();
    if (!pressed || !target) return;
    const distance = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    if (!pressed.moved && distance < DRAG_THRESHOLD) return;
    if (!pressed.moved) this.select(pressed.offer);
    pressed.moved = true;
    if (target.contains(event)) target.dragTo(event);
  };

  readonly end = (event: PointerEvent): void => {
    if (this.pressed?.moved && this.target()?.contains(event)) this.selection.putDown();
    this.pressed = null;
  };

  readonly cancel = (): void => {
    this.pressed = null;
  };
}
