// A rule of eslint: refuses what the oldest supported Chromium lacks of the DOM and of CSS selectors, by the data of MDN.
//
// It goes by names: a property counts as too new if no interface had one of that name in that version. eslint-plugin-es-x
// does the same for the language itself.

import bcd from "@mdn/browser-compat-data" with { type: "json" };

const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

// The first version of Chrome that has something, without a prefix or a flag; Infinity if there is none.
function since(compat) {
  const support = compat && compat.support && compat.support.chrome;
  const versions = (Array.isArray(support) ? support : [support])
    .filter((each) => each && !each.prefix && !each.flags && !each.alternative_name && !each.version_removed)
    .map(({ version_added: added }) => (typeof added === "string" ? parseFloat(added.replace("≤", "")) : Infinity));
  return Math.min(Infinity, ...versions.filter((version) => !Number.isNaN(version)));
}

// Name → the first version of Chrome in which anything of that name was there.
function firstVersions() {
  const members = new Map();
  const globals = new Map();
  const note = (table, name, version) =>
    table.set(name, Math.min(version, table.has(name) ? table.get(name) : Infinity));
  for (const [name, type] of Object.entries(bcd.api)) {
    note(globals, name, since(type.__compat));
    note(members, name, since(type.__compat));
    for (const [member, { __compat: compat }] of Object.entries(type)) {
      if (member === "__compat") continue;
      const short = member.replace(/_(event|static|permission)$/, "");
      note(members, short, since(compat));
      if (name === "Window" || name === "WorkerGlobalScope") note(globals, short, since(compat));
    }
  }
  const builtins = (group) => {
    for (const [name, { __compat: compat, ...inner }] of Object.entries(group)) {
      if (compat) for (const table of [members, globals]) note(table, name, since(compat));
      builtins(inner);
    }
  };
  builtins(bcd.javascript.builtins);
  for (const name of Object.keys(bcd.css.properties)) {
    const camel = name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
    note(members, camel, since(bcd.css.properties[name].__compat));
  }
  return { members, globals };
}

const { members, globals } = firstVersions();
const SELECTORS = new Map(Object.entries(bcd.css.selectors).map(([name, { __compat }]) => [name, since(__compat)]));
const PSEUDO_CLASS = /(?<!:):([a-z][a-z-]+)(?=\b)/g;
// `:not(a, b)`: a list came later than `:not(a)`.
const LIST_IN_NOT = /:not\([^()]*,/;
const LIST_IN_NOT_SINCE = 88;

export const oldEngines = {
  meta: {
    type: "problem",
    messages: { newer: "{{what}} came with Chrome {{version}}; ask whether it is there, or do without it" },
    schema: [{ type: "object", properties: { chrome: { type: "number" }, own: { type: "array" } } }],
  },
  create(context) {
    const { chrome, own = [] } = context.options[0];
    const ours = new Set(own);
    const report = (node, what, version) => {
      if (version > chrome) context.report({ node, messageId: "newer", data: { what, version: String(version) } });
    };
    const named = (node, name, table) => {
      if (table.has(name) && !ours.has(name) && !INHERITED.has(name)) report(node, name, table.get(name));
    };
    const selectors = (node, text) => {
      for (const [whole, name] of text.matchAll(PSEUDO_CLASS)) {
        if (SELECTORS.has(name)) report(node, whole, SELECTORS.get(name));
      }
      if (LIST_IN_NOT.test(text)) report(node, "a list in :not()", LIST_IN_NOT_SINCE);
    };
    return {
      MemberExpression({ property, computed }) {
        if (!computed && property.type === "Identifier") named(property, property.name, members);
      },
      // `const { x } = y`
      "ObjectPattern > Property"({ key, computed }) {
        if (!computed && key.type === "Identifier") named(key, key.name, members);
      },
      // `getter(Element.prototype, "x")`
      "CallExpression[callee.name=/^(getter|method)$/] > Literal"(node) {
        named(node, node.value, members);
      },
      // `"x" in y`
      "BinaryExpression[operator='in'] > Literal.left"(node) {
        named(node, node.value, members);
      },
      Literal(node) {
        if (typeof node.value === "string") selectors(node, node.value);
      },
      TemplateElement(node) {
        selectors(node, node.value.raw);
      },
      "Program:exit"(program) {
        for (const { identifier } of context.sourceCode.getScope(program).through)
          named(identifier, identifier.name, globals);
      },
    };
  },
};
