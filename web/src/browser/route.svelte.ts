/** Which screen is shown: the address of the page says it. */

export type Route =
  | { screen: "home" }
  | { screen: "table"; game: string }
  | { screen: "replay"; game: string }
  | { screen: "carry" }
  | { screen: "learn" }
  | { screen: "rules" }
  | { screen: "privacy" }
  | { screen: "nowhere" };

function read(path: string): Route {
  const [, first = "", game = "", ...rest] = path.split("/");
  if (rest.length) return { screen: "nowhere" };
  if (first === "tables" && game) return { screen: "table", game };
  if (first === "replay") return { screen: "replay", game };
  if (first === "carry" && game) return { screen: first };
  if (game) return { screen: "nowhere" };
  if (first === "learn" || first === "rules" || first === "privacy") return { screen: first };
  return { screen: first === "" || first === "index.html" ? "home" : "nowhere" };
}

let current = $state.raw(read(location.pathname));

addEventListener("popstate", () => {
  current = read(location.pathname);
});

/** Returns the screen to show. */
export function route(): Route {
  return current;
}

/** Goes to an address of the page. */
export function go(path: string): void {
  history.pushState(null, "", path);
  current = read(path);
  scrollTo(0, 0);
}

/** Lets a link go to its address without loading the page again. */
export function link(event: MouseEvent & { currentTarget: HTMLAnchorElement }): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  go(new URL(event.currentTarget.href).pathname);
}
