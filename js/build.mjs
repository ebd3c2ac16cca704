// Bundles the scripts of src/ into python/stillframe/injected/, where they are committed: `node build.mjs`.
//
// With `--check` it writes nothing and fails if a bundle is not what the sources make. A bundle is one expression, free of
// imports: a function that runs the modules and returns what the entry exports, or, where the entry has a default export,
// that one function. esbuild's own wrapper would take helpers and `Object.defineProperty` from the page.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const OUT = fileURLToPath(new URL("../python/stillframe/injected/", import.meta.url));

// The oldest Chromium that a page may run in; `eslint.config.mjs` refuses what it lacks.
const TARGET = "chrome74";

// Bundle → its entry, and the parameters of its function, which the modules see as globals.
const BUNDLES = {
  elements: { entry: "elements/index.ts" },
  observer: { entry: "observer/index.ts", given: ["given"] },
  storage: { entry: "storage/index.ts" },
  recorder: { entry: "recorder/index.ts" },
  hooks: { entry: "page/hooks.ts" },
  worker_hooks: { entry: "page/worker_hooks.ts" },
  console: { entry: "page/console.ts" },
  exposed: { entry: "page/exposed.ts" },
  never_restored: { entry: "page/never_restored.ts" },
  no_service_workers: { entry: "page/no_service_workers.ts" },
  page_errors: { entry: "page/page_errors.ts" },
  relay: { entry: "page/relay.ts" },
  sockets: { entry: "page/sockets.ts" },
  serialize: { entry: "values/serialize.ts" },
  append: { entry: "values/append.ts" },
  revive: { entry: "values/revive.ts" },
  wait: { entry: "values/wait.ts" },
  attributes: { entry: "crawl/attributes.ts" },
  content: { entry: "crawl/content.ts" },
  shown_frames: { entry: "crawl/shown_frames.ts" },
};

async function bundled(name, { entry, given = [] }) {
  const result = await build({
    absWorkingDir: HERE,
    entryPoints: [join("src", entry)],
    bundle: true,
    charset: "utf8",
    format: "esm",
    legalComments: "none",
    logLevel: "silent",
    target: TARGET,
    treeShaking: true,
    write: false,
  });
  if (result.warnings.length) throw new Error(result.warnings.map(({ text }) => text).join("\n"));
  const [head, names] = parts(name, result.outputFiles[0].text);
  const entryName = names.get("default");
  const returned = entryName || `{ ${[...names].map(([as, own]) => (as === own ? own : `${as}: ${own}`)).join(", ")} }`;
  const source = `(${given.join(", ")}) => {\n"use strict";\n${head.trimEnd()}\nreturn ${returned};\n}`;
  return `// Generated from js/src/${entry} by js/build.mjs.\n${entryName ? `(${source})()` : source}\n`;
}

// Returns what stands before the one list of exports at the end of a module, and that list.
function parts(name, text) {
  const found = /^export \{\n([^}]*)\n\};\s*$/m.exec(text);
  if (!found) throw new Error(`the bundle ${name} exports nothing`);
  const names = found[1].split(",").map((each) => each.trim().split(" as "));
  return [text.slice(0, found.index), new Map(names.map(([own, as = own]) => [as, own]))];
}

function stale(sources) {
  const wanted = new Set(Object.keys(sources));
  const left = readdirSync(OUT).filter((file) => file.endsWith(".js") && !wanted.has(basename(file, ".js")));
  const read = (name) => {
    try {
      return readFileSync(join(OUT, `${name}.js`), "utf8");
    } catch {
      return null;
    }
  };
  return [
    ...left,
    ...Object.keys(sources)
      .filter((name) => read(name) !== sources[name])
      .map((name) => `${name}.js`),
  ];
}

const sources = {};
for (const [name, options] of Object.entries(BUNDLES)) sources[name] = await bundled(name, options);
if (process.argv.includes("--check")) {
  const differing = stale(sources);
  for (const file of differing)
    console.error(`python/stillframe/injected/${file} is not what js/src makes; run make bundles`);
  process.exitCode = differing.length ? 1 : 0;
} else {
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(OUT, `${name}.js`), source);
}
