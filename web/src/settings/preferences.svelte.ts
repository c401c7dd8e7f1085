/** How the reader likes the page: looks, motion, sound, confirming. Remembered by the browser. */

import { recall, remember } from "../browser/storage";
import { LOOKS } from "../generated/art";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export type Motion = "fast" | "off";
/** The sides of the time board. */
export type Look = keyof typeof LOOKS;
export const LOOK_NAMES = Object.keys(LOOKS) as Look[];
/** Whose colours tokens and frames have: those of the game's edition, or always of one of them. */
export const TOKENS = ["edition", "classic", "revised"] as const;
export type Tokens = (typeof TOKENS)[number];

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

function recalled<T extends string>(key: string, allowed: readonly T[], otherwise: T): T {
  const found = recall(key);
  return allowed.find((value) => value === found) ?? otherwise;
}

let theme = $state<Theme>(recalled("theme", THEMES, "system"));
let look = $state<Look>(recalled("look", LOOK_NAMES, "rug"));
let tokens = $state<Tokens>(recalled("tokens", TOKENS, "edition"));
let motion = $state<Motion>(recalled("motion", ["fast", "off"], "fast"));
let calm = $state(still.matches);
let confirm = $state(recalled("confirm", ["on", "off"], "on") === "on");
let sound = $state(recalled("sound", ["on", "off"], "off") === "on");

/** What the reader chose; whatever is set here is remembered. */
export const preferences = {
  get theme(): Theme {
    return theme;
  },
  set theme(value) {
    theme = value;
    remember("theme", value);
    paint();
  },

  /** The side of the time board that lies up. */
  get look(): Look {
    return look;
  },
  set look(value) {
    look = value;
    remember("look", value);
  },

  get tokens(): Tokens {
    return tokens;
  },
  set tokens(value) {
    tokens = value;
    remember("tokens", value);
    paint();
  },

  /** How fast tokens walk and buttons fly; "off": they do not. The device has the last word. */
  get motion(): Motion {
    return calm ? "off" : motion;
  },
  set motion(value) {
    motion = value;
    remember("motion", value);
  },

  /** Whether a move is played only after it was confirmed. */
  get confirm(): boolean {
    return confirm;
  },
  set confirm(value) {
    confirm = value;
    remember("confirm", value ? "on" : "off");
  },

  /** Whether the device asks for no motion. */
  get calm(): boolean {
    return calm;
  },

  get sound(): boolean {
    return sound;
  },
  set sound(value) {
    sound = value;
    remember("sound", value ? "on" : "off");
  },
};

/** The edition of the game on the page. */
let edition = "classic";

/** Gives tokens and frames the colours of an edition; returns what undoes it. */
export function dress(game: string): () => void {
  edition = game;
  paint();
  return () => dress("classic");
}

/** Gives the page its colours, and the bars that the browser draws round it. */
export function paint(): void {
  const shown = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  const root = document.documentElement;
  root.dataset["theme"] = shown;
  root.dataset["tokens"] = tokens === "edition" ? edition : tokens;
  const colour = getComputedStyle(root).getPropertyValue("--page").trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", colour);
}

dark.addEventListener("change", paint);
still.addEventListener("change", () => (calm = still.matches));
