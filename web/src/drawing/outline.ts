/** The outline of a patch: the boundary of a set of spaces as one path with rounded corners. */

import { SIDE } from "../game/placement";

interface Corner {
  x: number;
  y: number;
  before: readonly [number, number];
  after: readonly [number, number];
}

/** The directions of an edge, clockwise: right, down, left, up. */
const DIRECTIONS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const;

/** Returns the path data of the boundary of some spaces, one closed loop for each part and hole. */
export function outline(cells: readonly number[], size: number, inset = 0, radius = 0): string {
  return loops(new Set(cells))
    .map((loop) => rounded(loop, size, inset, radius))
    .join("");
}

/** Moves spaces into the top-left corner of the quilt; returns them and where they were. */
export function moveToCorner(cells: readonly number[]): {
  cells: number[];
  row: number;
  column: number;
} {
  const row = Math.min(...cells.map((cell) => Math.floor(cell / SIDE)));
  const column = Math.min(...cells.map((cell) => cell % SIDE));
  return { cells: cells.map((cell) => cell - row * SIDE - column), row, column };
}

/** Returns the spaces of a shape on which its buttons are drawn: those with the most neighbours. */
export function buttonCells(cells: readonly number[], count: number): number[] {
  const covered = new Set(cells);
  const neighbours = (cell: number) =>
    DIRECTIONS.filter(([x, y]) => has(covered, (cell % SIDE) + x, Math.floor(cell / SIDE) + y))
      .length;
  return [...cells]
    .sort((one, other) => neighbours(other) - neighbours(one) || one - other)
    .slice(0, count);
}

function has(cells: Set<number>, x: number, y: number): boolean {
  return x >= 0 && y >= 0 && x < SIDE && y < SIDE && cells.has(y * SIDE + x);
}

/** Returns the corners of each loop, traced clockwise with the spaces on the right. */
function loops(cells: Set<number>): Corner[][] {
  const edges = new Set<string>();
  const key = (x: number, y: number, direction: number) => `${x} ${y} ${direction}`;
  for (const cell of cells) {
    const x = cell % SIDE;
    const y = Math.floor(cell / SIDE);
    if (!has(cells, x, y - 1)) edges.add(key(x, y, 0));
    if (!has(cells, x + 1, y)) edges.add(key(x + 1, y, 1));
    if (!has(cells, x, y + 1)) edges.add(key(x + 1, y + 1, 2));
    if (!has(cells, x - 1, y)) edges.add(key(x, y + 1, 3));
  }
  const found: Corner[][] = [];
  for (const first of edges) {
    let [x = 0, y = 0, direction = 0] = first.split(" ").map(Number);
    const start = direction;
    const loop: Corner[] = [];
    while (edges.delete(key(x, y, direction))) {
      const before = DIRECTIONS[direction] ?? DIRECTIONS[0];
      x += before[0];
      y += before[1];
      // Right turns come first, so that spaces which touch only at a corner stay separate.
      const turns = [(direction + 1) % 4, direction, (direction + 3) % 4];
      const next = turns.find((each) => edges.has(key(x, y, each))) ?? start;
      if (next !== direction) {
        loop.push({ x, y, before, after: DIRECTIONS[next] ?? DIRECTIONS[0] });
      }
      direction = next;
    }
    found.push(loop);
  }
  return found;
}

function rounded(loop: Corner[], size: number, inset: number, radius: number): string {
  const steps = loop.map(({ x, y, before: [ax, ay], after: [bx, by] }, index) => {
    // The inner side of a direction (dx, dy) is its right-hand side (-dy, dx).
    const px = x * size - inset * (ay + by);
    const py = y * size + inset * (ax + bx);
    const bend = radius ? `Q${px} ${py} ${px + radius * bx} ${py + radius * by}` : "";
    return `${index ? "L" : "M"}${px - radius * ax} ${py - radius * ay}${bend}`;
  });
  return `${steps.join("")}z`;
}
