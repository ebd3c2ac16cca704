// Runs the tests of what is pure, in Node.js: `node test.mjs`. What needs a document is tested in Chromium (tests/ at the top).

import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const TESTS = fileURLToPath(new URL("./tests/", import.meta.url));
const made = mkdtempSync(join(tmpdir(), "stillframe-js-"));
try {
  await build({
    bundle: true,
    entryPoints: readdirSync(TESTS)
      .filter((file) => file.endsWith(".test.ts"))
      .map((file) => join(TESTS, file)),
    format: "esm",
    logLevel: "warning",
    outExtension: { ".js": ".mjs" },
    outdir: made,
    platform: "node",
    sourcemap: "inline",
  });
  const files = readdirSync(made).map((file) => join(made, file));
  const setUp = ["--enable-source-maps", "--import", new URL("./tests/no_dom.mjs", import.meta.url).href];
  process.exitCode = spawnSync(process.execPath, [...setUp, "--test", "--test-reporter=dot", ...files], {
    stdio: "inherit",
  }).status;
} finally {
  rmSync(made, { recursive: true });
}
