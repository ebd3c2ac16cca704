// What eslint looks for: mistakes, and what Chrome 74 lacks, the oldest engine that a page may run in (see build.mjs).
//
// Where a script uses something newer only after it has asked for it, a comment that disables the rule says so.

import esx from "eslint-plugin-es-x";
import tseslint from "typescript-eslint";
import { oldEngines } from "./old_engines.mjs";

const CHROME = 74;

// Of the language after ES2019, what Chrome 74 has.
const KNOWN = [
  "no-global-this",
  "no-class-instance-fields",
  "no-class-static-fields",
  "no-bigint",
  "no-string-prototype-matchall",
  "no-intl-relativetimeformat",
];

// Names of properties of our own where the types do not say so, and of what there is only where `getAnimations` is.
const OWN = ["at", "element", "identity", "node", "path", "released", "role", "since", "until", "where"];
const OF_ANIMATIONS = ["cancel", "effect", "finish", "getComputedTiming", "play", "playState", "playbackRate"];

// What a file uses only where it is, with a stand-in elsewhere. Private files of an origin are asked for by the caller.
const ASKED = {
  "dom/nodes.ts": ["postTask", "scheduler"],
  "dom/older.ts": ["checkVisibility", "getAnimations"],
  "elements/external.ts": ["destination", "navigation"],
  "elements/identity.ts": [":modal"],
  "elements/picture.ts": ["getAnimations", "popover", "showPopover"],
  "elements/point.ts": ["loading"],
  "elements/states.ts": [":open", ":popover-open", "popover"],
  "observer/colours.ts": ["colorScheme"],
  "observer/observer.ts": ["target"],
  "page/hooks.ts": ["ElementInternals", "deref", "postTask"],
  "storage/files.ts": [
    "arrayBuffer",
    "close",
    "createWritable",
    "entries",
    "getDirectory",
    "getDirectoryHandle",
    "getFile",
    "getFileHandle",
    "write",
  ],
  "storage/packing.ts": ["cause"],
};

const ENGINES = { chrome: CHROME, own: [...OWN, ...OF_ANIMATIONS] };

export default tseslint.config(
  { ignores: ["node_modules"] },
  ...tseslint.configs.recommended,
  {
    files: ["src/**/*.ts"],
    ...esx.configs["flat/restrict-to-es2019"],
  },
  {
    files: ["src/**/*.ts"],
    plugins: { old: { rules: { engines: oldEngines } } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    languageOptions: { parserOptions: { project: "./tsconfig.json" } },
    rules: {
      ...Object.fromEntries(KNOWN.map((name) => [`es-x/${name}`, "off"])),
      "old/engines": ["error", ENGINES],
      "no-restricted-globals": ["error", "event", "name", "status", "length", "parent", "closed", "origin"],
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-explicit-any": "error",
    },
  },
  ...Object.entries(ASKED).map(([file, asked]) => ({
    files: [`src/${file}`],
    rules: { "old/engines": ["error", { ...ENGINES, asked }] },
  })),
  // Its type says that it may be missing.
  { files: ["src/dom/older.ts", "src/page/hooks.ts"], rules: { "es-x/no-weakrefs": "off" } },
);
