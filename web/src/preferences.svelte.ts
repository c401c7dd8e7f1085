/** How the reader likes the page: colours, motion, sound, confirming. Remembered by the browser. */

import { recall, remember } from "./storage";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];
export type Motion = "fast" | "off";

const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

function recalled<T extends string>(key: string, allowed: readonly T[], otherwise: T): T {
  const found = recall(key);
  return allowed.find((value) => value === found) ?? otherwise;
}

let theme = $state<Theme>(recalled("theme", THEMES, "system"));
let motion = $state<Motion>(recalled("motion", ["fast", "off"], still.matches ? "off" : "fast"));
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

  /** How fast tokens walk and buttons fly; "off": they do not. */
  get motion(): Motion {
    return motion;
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

  get sound(): boolean {
    return sound;
  },
  set sound(value) {
    sound = value;
    remember("sound", value ? "on" : "off");
  },
};

/** Gives the page its colours, and the bars that the browser draws round it. */
export function paint(): void {
  const shown = theme === "system" ? (dark.matches ? "dark" : "light") : theme;
  const root = document.documentElement;
  root.dataset["theme"] = shown;
  const colour = getComputedStyle(root).getPropertyValue("--page").trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", colour);
}

dark.addEventListener("change", paint);
