import { readFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defaultClientConditions, type Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Gives the messages of the page out of a Fluent file that the command line shares. */
function messages(): Plugin {
  return {
    name: "messages",
    load(id) {
      if (!id.endsWith(".ftl")) return null;
      const blocks = readFileSync(id, "utf-8").split(/\n(?=[a-z])/);
      const own = blocks.filter((block) => block.startsWith("page-"));
      return `export default ${JSON.stringify(own.join("\n"))};`;
    },
  };
}

/** Puts the licence beside the page, which names it. */
function licence(): Plugin {
  return {
    name: "licence",
    generateBundle() {
      const source = readFileSync("../LICENSE", "utf-8");
      this.emitFile({ type: "asset", fileName: "licence.txt", source });
    },
  };
}

export default defineConfig({
  plugins: [messages(), licence(), svelte()],
  build: {
    outDir: "../src/patchwork/server/static",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content policy allows nothing inline
    modulePreload: { polyfill: false },
  },
  // Tests, too, run what browsers run, with its effects.
  test: { testTransformMode: { web: ["**/*.test.ts"] } },
  resolve: { conditions: [...defaultClientConditions] },
  server: {
    proxy: { "/api": { target: "http://127.0.0.1:8327", ws: true } },
  },
});
