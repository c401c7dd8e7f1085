/** The screen that is shown, which depends on the address of the page alone. */

export type Route =
  | { screen: "home" }
  | { screen: "table"; game: string }
  | { screen: "replay"; game: string; record: string }
  | { screen: "transfer" }
  | { screen: "learn" }
  | { screen: "rules" }
  | { screen: "privacy" }
  | { screen: "not-found" };

function parse(path: string): Route {
  const [, first = "", game = "", ...rest] = path.split("/");
  const [record = ""] = rest;
  if (first === "replay" && game === "record" && record && rest.length === 1) {
    return { screen: "replay", game: "", record };
  }
  if (rest.length) return { screen: "not-found" };
  if (first === "tables" && game) return { screen: "table", game };
  if (first === "replay") return { screen: "replay", game, record: "" };
  if (first === "carry" && game) return { screen: "transfer" };
  if (game) return { screen: "not-found" };
  if (first === "learn" || first === "rules" || first === "privacy") return { screen: first };
  return { screen: first === "" || first === "index.html" ? "home" : "not-found" };
}

let current = $state.raw(parse(location.pathname));
let search = $state(location.search);

function update(): void {
  current = parse(location.pathname);
  search = location.search;
}

addEventListener("popstate", update);

/** Returns the screen to show. */
export function route(): Route {
  return current;
}

/** Returns a value from the part of the address after the question mark, or null. */
export function query(name: string): string | null {
  return new URLSearchParams(search).get(name);
}

/** Changes such a value in place, without a new entry in the history; null removes it. */
export function replaceQuery(name: string, value: string | null): void {
  const url = new URL(location.href);
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  if (url.href === location.href) return;
  history.replaceState(history.state, "", url);
  search = url.search;
}

/** Returns the screen that an address on this page leads to. */
export function screenOf(address: string): Route["screen"] {
  return parse(new URL(address, location.href).pathname).screen;
}

/** Shows the screen of another address, without loading the page again. */
export function navigate(path: string): void {
  history.pushState(null, "", path);
  update();
  scrollTo(0, 0);
}

/** Handles a click on a link to another screen without loading the page again. */
export function followLink(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  const { pathname, search } = new URL(event.currentTarget.href);
  navigate(pathname + search);
}
