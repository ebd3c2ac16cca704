// Checks the types of src/ as `tsc --strict` does: `node types.mjs`.
//
// tsconfig.json lists under `notYetStrict` the files whose types are not written yet, and why. Of those, only what no type
// is needed for is an error: a name that nothing declares or exports. A file that has become strict must leave the list.

import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const CONFIG = fileURLToPath(new URL("./tsconfig.json", import.meta.url));
const HERE = dirname(CONFIG);

// Cannot find name; no exported member; did you mean; cannot find module.
const NAMES = new Set([2304, 2305, 2306, 2307, 2552, 2551, 2724, 2694]);

const { config, error } = ts.readConfigFile(CONFIG, ts.sys.readFile);
if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, "\n"));
const { fileNames, options, errors } = ts.parseJsonConfigFileContent(config, ts.sys, HERE);
const listed = new Map(Object.entries(config.notYetStrict || {}));
const program = ts.createProgram(fileNames, options);
const met = new Set();
const found = [];
for (const diagnostic of [...errors, ...ts.getPreEmitDiagnostics(program)]) {
  const file = diagnostic.file ? relative(HERE, diagnostic.file.fileName).replaceAll("\\", "/") : "";
  met.add(file);
  if (!listed.has(file) || NAMES.has(diagnostic.code)) found.push(diagnostic);
}
const host = { getCurrentDirectory: () => HERE, getCanonicalFileName: (name) => name, getNewLine: () => "\n" };
if (found.length) process.stderr.write(ts.formatDiagnostics(found, host));
for (const file of listed.keys()) {
  if (!met.has(file)) console.error(`js/${file} has all its types: take it off the list in js/tsconfig.json`);
}
process.exitCode = found.length || [...listed.keys()].some((file) => !met.has(file)) ? 1 : 0;
