/** Rematches: their seats are swapped, of which those who come from the game before are told. */

import { SvelteSet } from "svelte/reactivity";

/** The games in which the reader sits on the other side than before, and may not know it. */
export const swapped = new SvelteSet<string>();
