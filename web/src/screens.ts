/** The screens of the page. Each is loaded when it is first needed, or a moment before. */

import type { Component } from "svelte";
import type { Route } from "./browser/route.svelte";
import NotFound from "./home/NotFound.svelte";

/** The component of a screen, whose properties are the fields of its route. */
export type Screen = Component<any>;

const SCREENS: Record<Route["screen"], () => Promise<{ default: Screen }>> = {
  home: () => import("./home/Home.svelte"),
  table: () => import("./table/Table.svelte"),
  replay: () => import("./replay/Replay.svelte"),
  transfer: () => import("./home/AcceptTransfer.svelte"),
  learn: () => import("./tutorial/Tutorial.svelte"),
  rules: () => import("./rules/Rules.svelte"),
  privacy: () => import("./privacy/Privacy.svelte"),
  "not-found": async () => ({ default: NotFound }), // the table needs it at once, too
};

/** Loads the component of a screen. */
export async function loadScreen(name: Route["screen"]): Promise<Screen> {
  return (await SCREENS[name]()).default;
}
