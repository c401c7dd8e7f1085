/** The screen that is shown, which depends on the address of the page alone. */

export type Route =
  | { screen: "home" }
  | { screen: "table"; game: string }
  | { screen: "replay"; game: string }
  | { screen: "transfer" }
  | { screen: "learn" }
  | { screen: "rules" }
  | { screen: "privacy" }
  | { screen: "not-found" };

function parse(path: string): Route {
  const [, first = "", game = "", ...rest] = path.split("/");
  if (rest.length) return { screen: "not-found" };
  if (first === "tables" && game) return { screen: "table", game };
  if (first === "replay") return { screen: "replay", game };
  if (first === "carry" && game) return { screen: "transfer" };
  if (game) return { screen: "not-found" };
  if (first === "learn" || first === "rules" || first === "privacy") return { screen: first };
  return { screen: first === "" || first === "index.html" ? "home" : "not-found" };
}

let current = $state.raw(parse(location.pathname));

addEventListener("popstate", () => {
  current = parse(location.pathname);
});

/** Returns the screen to show. */
export function route(): Route {
  return current;
}

/** Shows the screen of another address, without loading the page again. */
export function navigate(path: string): void {
  history.pushState(null, "", path);
  current = parse(path);
  scrollTo(0, 0);
}

/** Handles a click on a link to another screen without loading the page again. */
export function followLink(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  navigate(new URL(event.currentTarget.href).pathname);
}
