/** Rematches in which the user has changed seats, which the table must point out. */

import { SvelteSet } from "svelte/reactivity";

/** The ids of those games. */
export const swapped = new SvelteSet<string>();
