// A rule of eslint: refuses what the oldest supported Chromium lacks of the DOM and of CSS selectors, by the data of MDN.
//
// The types tell which interface a property is of, and that it is one of our own. Where they do not, its name decides: it
// counts as too new if no interface had one of that name. eslint-plugin-es-x looks after the language itself.

import bcd from "@mdn/browser-compat-data" with { type: "json" };

const INHERITED = new Set(Object.getOwnPropertyNames(Object.prototype));

// The first version of Chrome that has something, without a prefix or a flag; Infinity if there is none.
function since(compat) {
  const support = compat && compat.support && compat.support.chrome;
  const versions = (Array.isArray(support) ? support : [support])
    .filter((each) => each && !each.prefix && !each.flags && !each.alternative_name)
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

const isOfLibrary = (declaration) =>
  /[\\/]typescript[\\/]lib[\\/]lib\.[\w.]+\.d\.ts$/.test(declaration.getSourceFile().fileName);

// Returns the first version that has the property of an interface of the library; the name decides where MDN has no such.
function sinceDeclared(declaration, name) {
  const owner = declaration.parent && declaration.parent.name && declaration.parent.name.text;
  const member = owner && bcd.api[owner] && (bcd.api[owner][name] || bcd.api[owner][`${name}_static`]);
  if (member && member.__compat) return since(member.__compat);
  return members.has(name) ? members.get(name) : 0;
}
const SELECTORS = new Map(Object.entries(bcd.css.selectors).map(([name, { __compat }]) => [name, since(__compat)]));
const PSEUDO_CLASS = /(?<!:):([a-z][a-z-]+)(?=\b)/g;
// `:not(a, b)`: a list came later than `:not(a)`.
const LIST_IN_NOT = /:not\([^()]*,/;
const LIST_IN_NOT_SINCE = 88;

export const oldEngines = {
  meta: {
    type: "problem",
    messages: {
      newer:
        "{{what}} came with Chrome {{version}}; ask whether it is there, and list it in eslint.config.mjs, or do without it",
      unused: "{{what}} is in the table of eslint.config.mjs, but this file does not use it",
    },
    schema: [
      { type: "object", properties: { chrome: { type: "number" }, own: { type: "array" }, asked: { type: "array" } } },
    ],
  },
  create(context) {
    const { chrome, own = [], asked = [] } = context.options[0];
    const ours = new Set(own);
    const unmet = new Set(asked);
    const report = (node, what, version) => {
      if (version <= chrome || ours.has(what)) return;
      unmet.delete(what);
      if (asked.includes(what)) return;
      context.report({ node, messageId: "newer", data: { what, version: String(version) } });
    };
    const services = context.sourceCode.parserServices;
    const property = (node, name) => {
      const symbol = services.getSymbolAtLocation && services.getSymbolAtLocation(node);
      const declarations = (symbol && symbol.declarations) || [];
      if (!declarations.length) named(node, name, members);
      else if (declarations.every(isOfLibrary)) {
        report(node, name, Math.min(...declarations.map((each) => sinceDeclared(each, name))));
      }
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
      MemberExpression({ property: node, computed }) {
        if (!computed && node.type === "Identifier") property(node, node.name);
      },
      // `const { x } = y`
      "ObjectPattern > Property"({ key, value, computed }) {
        if (!computed && key.type === "Identifier") property(value.type === "Identifier" ? value : key, key.name);
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
        const { through } = context.sourceCode.getScope(program);
        for (const { identifier } of through) named(identifier, identifier.name, globals);
        for (const what of unmet) context.report({ node: program, messageId: "unused", data: { what } });
      },
    };
  },
};
