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

// Names of our own properties, which something newer in the DOM is called, too.
const OWN = [];

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
    settings: { "es-x": { aggressive: true } },
    rules: {
      ...Object.fromEntries(KNOWN.map((name) => [`es-x/${name}`, "off"])),
      "old/engines": ["error", { chrome: CHROME, own: OWN }],
      "no-restricted-globals": ["error", "event", "name", "status", "length", "top", "parent", "closed", "origin"],
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/no-explicit-any": "error",
    },
  },
);
