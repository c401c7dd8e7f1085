/** Patches and quilts as text, for screen readers. */

import { SIDE } from "../../game/placement";
import { PATCHES } from "../../generated/art";
import type { Offer, PlayerView } from "../../generated/wire";
import { say } from "../../i18n/language.svelte";

/** Returns the size, the prices and the income of a patch. */
export function patchInWords(patch: number): string {
  const { cost, time, income } = PATCHES[patch] ?? PATCHES[0];
  return say("page-table-patch", { patch, cells: sizeOf(patch), cost, time, income });
}

/** Returns how many spaces a patch covers. */
export function sizeOf(patch: number): number {
  return (PATCHES[patch]?.rows ?? []).join("").replaceAll(".", "").length;
}

/** Returns why a patch cannot be bought; empty if it can. */
export function refusalInWords(refused: Offer["refused"] | undefined): string {
  if (!refused) return "";
  return refused === "overlaps" ? say("page-table-fits-nowhere") : say("page-table-cannot-afford");
}

/** Returns the filled columns of a shape, row by row. */
export function shapeInWords(rows: readonly string[]): string {
  const lines = rows.map((row, index) => {
    const filled = runs([...row]).filter(({ value }) => value === "#");
    const content = filled.map(({ from, to }) => span(from + 1, to + 1)).join(", ");
    return say("page-table-words-row", { row: index + 1, content });
  });
  const width = rows[0]?.length ?? 0;
  return say("page-table-words-shape", { width, height: rows.length, rows: lines.join("; ") });
}

/** Returns what is on each row of a quilt. */
export function quiltInWords({ layout }: PlayerView): string[] {
  const sewn = new Map(layout.flatMap(([patch, cells]) => cells.map((cell) => [cell, patch])));
  const columns = [..."abcdefghi"];
  return columns.map((_, row) => {
    const spaces = columns.map((_, column) => sewn.get(row * SIDE + column));
    const parts = runs(spaces).map(({ from, to, value: patch }) => {
      const cell = span(columns[from], columns[to]);
      if (patch === undefined) return say("page-table-cell-empty", { cell });
      if (patch === null) return say("page-table-cell-leather", { cell });
      return say("page-table-cell-patch", { cell, patch });
    });
    return say("page-table-words-row", { row: row + 1, content: parts.join("; ") });
  });
}

/** Returns the runs of equal values. */
export function runs<T>(values: readonly T[]): { from: number; to: number; value: T }[] {
  const found: { from: number; to: number; value: T }[] = [];
  values.forEach((value, index) => {
    const last = found.at(-1);
    if (last && last.value === value) last.to = index;
    else found.push({ from: index, to: index, value });
  });
  return found;
}

function span<T>(from: T, to: T): string {
  return from === to ? String(from) : `${from}–${to}`;
}
