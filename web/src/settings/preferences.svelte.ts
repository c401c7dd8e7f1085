/** The user's preferences: appearance, motion, sound, confirmation. Stored in the browser. */

import { loadSetting, saveSetting } from "../browser/storage";
import { LOOKS } from "../generated/art";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export type Motion = "fast" | "off";
/** The designs of the time board. */
export type Look = keyof typeof LOOKS;
export const LOOK_NAMES = Object.keys(LOOKS) as Look[];
/** The colours of tokens and frames: those of the game's edition, or always of one edition. */
export const TOKENS = ["edition", "classic", "revised"] as const;
export type Tokens = (typeof TOKENS)[number];

const dark = matchMedia("(prefers-color-scheme: dark)");
const reduced = matchMedia("(prefers-reduced-motion: reduce)");

function load<T extends string>(key: string, allowed: readonly T[], otherwise: T): T {
  const found = loadSetting(key);
  return allowed.find((value) => value === found) ?? otherwise;
}

let theme = $state<Theme>(load("theme", THEMES, "system"));
let look = $state<Look>(load("look", LOOK_NAMES, "rug"));
let tokens = $state<Tokens>(load("tokens", TOKENS, "edition"));
let motion = $state<Motion>(load("motion", ["fast", "off"], "fast"));
let reducedMotion = $state(reduced.matches);
let confirm = $state(load("confirm", ["on", "off"], "on") === "on");
let sound = $state(load("sound", ["on", "off"], "off") === "on");

/** The current preferences; setting one stores it. */
export const preferences = {
  get theme(): Theme {
    return theme;
  },
  set theme(value) {
    theme = value;
    saveSetting("theme", value);
    applyTheme();
  },

  /** The design of the time board. */
  get look(): Look {
    return look;
  },
  set look(value) {
    look = value;
    saveSetting("look", value);
  },

  get tokens(): Tokens {
    return tokens;
  },
  set tokens(value) {
    tokens = value;
    saveSetting("tokens", value);
    applyTheme();
  },

  /** Whether moves are animated; always "off" where the device asks for reduced motion. */
  get motion(): Motion {
    return reducedMotion ? "off" : motion;
  },
  set motion(value) {
    motion = value;
    saveSetting("motion", value);
  },

  /** Whether a move is played only after a confirmation. */
  get confirm(): boolean {
    return confirm;
  },
  set confirm(value) {
    confirm = value;
    saveSetting("confirm", value ? "on" : "off");
  },

  /** Whether the device asks for reduced motion. */
  get reducedMotion(): boolean {
    return reducedMotion;
  },

  get sound(): boolean {
    return sound;
  },
  set sound(value) {
    sound = value;
    saveSetting("sound", value ? "on" : "off");
  },
};

/** The edition of the game that is shown. */
let edition = "classic";

/** Shows tokens and frames in the colours of an edition; returns a function that resets them. */
export function showEdition(name: string): () => void {
  edition = name;
  applyTheme();
  return () => showEdition("classic");
}

/** Applies the colours to the page and to the browser's own bars. */
export function applyTheme(): void {
  const shown = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  const root = document.documentElement;
  root.dataset["theme"] = shown;
  root.dataset["tokens"] = tokens === "edition" ? edition : tokens;
  const colour = getComputedStyle(root).getPropertyValue("--page").trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", colour);
}

dark.addEventListener("change", applyTheme);
reduced.addEventListener("change", () => (reducedMotion = reduced.matches));
