/** Divides the built page into files so that a browser loads only what the current screen needs. */

import { extname } from "node:path";
import type { Plugin, Rollup } from "vite";

/** Screens that show a game; what they share with each other only is of no use to the rest. */
const GAMES = new Set(["Table", "Replay", "Tutorial"]);

/** Returns the file for a module that several screens need, or nothing if only one does.
 *
 * `start` is what the browser needs before anything else, `page` what most screens share, and
 * `board` what the screens with a game share.
 */
export function fileOf(id: string, graph: Rollup.ManualChunkMeta): string | undefined {
  const users = usersOf(id, graph);
  if (users.has("main") || id.includes("vite/preload-helper")) return "start";
  if (users.size === 1 && !users.has("begin")) return undefined;
  return [...users].every((user) => GAMES.has(user)) ? "board" : "page";
}

/** Returns the names of the modules from which loading starts and which lead to a module. */
function usersOf(id: string, graph: Rollup.ManualChunkMeta): Set<string> {
  const users = new Set<string>();
  const found = new Set([id]);
  for (const each of found) {
    const module = graph.getModuleInfo(each);
    if (!module) continue;
    if (module.isEntry) users.add("main");
    else if (module.dynamicImporters.length) users.add(/(\w+)\.\w+$/.exec(each)?.[1] ?? each);
    for (const importer of module.importers) found.add(importer);
  }
  return users;
}

/** How a page refers to its files, by their suffix. */
const RELATIONS: Record<string, string> = { ".css": "stylesheet", ".js": "modulepreload" };

/** Writes a shell for each screen, `screens/NAME.html`, that names all files the screen needs.
 *
 * So the browser requests them together, and not one after the other as the scripts import them.
 */
export function shells(): Plugin {
  return {
    name: "shells",
    apply: "build",
    generateBundle: {
      order: "post", // index.html is written by then
      handler(_, bundle) {
        const index = bundle["index.html"];
        if (index?.type !== "asset") throw new Error("there is no index.html");
        const page = String(index.source);
        for (const screen of Object.values(bundle)) {
          if (screen.type !== "chunk" || !screen.facadeModuleId?.endsWith(".svelte")) continue;
          const links = [...filesOf(screen, bundle)]
            .map((name) => `<link rel="${RELATIONS[extname(name)]}" crossorigin href="/${name}">`)
            .filter((link) => !page.includes(link));
          const source = page.replace("</head>", `  ${links.join("\n    ")}\n  </head>`);
          this.emitFile({ type: "asset", fileName: `screens/${screen.name}.html`, source });
        }
      },
    },
  };
}

/** Returns a script and everything it imports, with their styles. */
function filesOf(script: Rollup.OutputChunk, bundle: Rollup.OutputBundle): Set<string> {
  const found = new Set([script.fileName]);
  for (const name of found) {
    const file = bundle[name];
    if (file?.type !== "chunk") continue;
    for (const each of [...file.imports, ...(file.viteMetadata?.importedCss ?? [])]) found.add(each);
  }
  return found;
}
