/** Dragging a patch from the circle to the quilt. */

import type { HeldPatch } from "../../game/heldPatch.svelte";

/** Pixels that the pointer must move until a press becomes a drag; a finger on a tap moves less. */
export const DRAG_THRESHOLD = 8;

/** The quilt, to which patches are dragged. */
interface DropTarget {
  contains(event: PointerEvent): boolean;
  dragTo(event: PointerEvent): void;
}

export class PatchDrag {
  /** The pressed patch, and where in the window it was pressed. */
  private pressed: { patch: number; x: number; y: number; moved: boolean } | null = null;

  constructor(
    private readonly hand: () => HeldPatch,
    private readonly choose: (patch: number) => void,
    private readonly target: () => DropTarget | undefined,
  ) {}

  readonly start = (patch: number, event: PointerEvent): void => {
    if (event.button !== 0) return;
    this.pressed = { patch, x: event.clientX, y: event.clientY, moved: false };
  };

  readonly move = (event: PointerEvent): void => {
    const { pressed } = this;
    const target = this.target();
    if (!pressed || !target) return;
    const distance = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y);
    if (!pressed.moved && distance < DRAG_THRESHOLD) return;
    if (!pressed.moved) this.choose(pressed.patch);
    pressed.moved = true;
    if (target.contains(event)) target.dragTo(event);
  };

  readonly end = (event: PointerEvent): void => {
    const target = this.target();
    if (this.pressed?.moved && target?.contains(event)) {
      target.dragTo(event); // its places may have arrived after the last movement
      this.hand().putDown();
    }
    this.pressed = null;
  };

  readonly cancel = (): void => {
    this.pressed = null;
  };
}
