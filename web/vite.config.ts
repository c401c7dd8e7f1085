import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defaultClientConditions, type Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { fileOf, shells } from "./tools/screens";

/** Loads the page's own messages from a Fluent file, which the command line also uses. */
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

/** Adds the licence to the built files, since the page links to it. */
function licence(): Plugin {
  return {
    name: "licence",
    generateBundle() {
      const source = readFileSync("../LICENSE", "utf-8");
      this.emitFile({ type: "asset", fileName: "licence.txt", source });
    },
  };
}

const COMPRESSED = /\.(?:css|html|js|svg|txt|webmanifest)$/;

/** Writes a compressed copy of each file, if it is smaller, which the server sends unchanged. */
function compressed(): Plugin {
  let folder: string;
  return {
    name: "compressed",
    apply: "build",
    configResolved(config) {
      folder = config.build.outDir;
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf-8" })) {
        if (!COMPRESSED.test(name)) continue;
        const path = join(folder, name);
        const content = readFileSync(path);
        const brotli = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
        for (const [suffix, smaller] of [
          ["br", brotliCompressSync(content, brotli)],
          ["gz", gzipSync(content, { level: 9 })],
        ] as const) {
          if (smaller.length < content.length) writeFileSync(`${path}.${suffix}`, smaller);
        }
      }
    },
  };
}

export default defineConfig({
  plugins: [messages(), licence(), svelte(), shells(), compressed()],
  build: {
    outDir: "../src/patchwork/server/static",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content security policy forbids inline assets
    modulePreload: { polyfill: false },
    rollupOptions: { output: { manualChunks: fileOf } },
  },
  // Unit tests use the browser build of Svelte, in which effects run.
  test: { testTransformMode: { web: ["**/*.test.ts"] } },
  resolve: { conditions: [...defaultClientConditions] },
  server: {
    proxy: { "/api": { target: "http://127.0.0.1:8327", ws: true } },
  },
});
