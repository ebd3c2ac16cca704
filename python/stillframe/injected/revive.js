// Generated from js/src/values/revive.ts by js/build.mjs.
(() => {
"use strict";
// src/values/revive.ts
function revive(nodes, constants, objects) {
  const NUMBERS = {
    __proto__: null,
    NaN: 0 / 0,
    Infinity: 1 / 0,
    "-Infinity": -1 / 0,
    "-0": -0
  };
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const made = { __proto__: null };
  const replaced = (name) => {
    throw new Error(`the page has replaced ${name}, so the argument cannot be passed`);
  };
  const TAGGED = {
    __proto__: null,
    number: (text) => NUMBERS[text],
    constant: (at) => constants[at],
    object: (at) => objects[at],
    undefined: () => void 0
  };
  function value(encoded) {
    if (encoded === null || typeof encoded !== "object") return encoded;
    const kind = encoded[0];
    return typeof kind === "number" ? made[kind] : TAGGED[kind](encoded[1]);
  }
  function date(ms) {
    const made2 = new Date(ms);
    return +made2 === ms ? made2 : replaced("Date");
  }
  function regexp(source, flags) {
    const made2 = new RegExp(source, flags);
    return made2.flags === flags ? made2 : replaced("RegExp");
  }
  function bytes(text, length) {
    const sixBits = { __proto__: null }, made2 = new Uint8Array(length);
    if (made2.length !== length) replaced("Uint8Array");
    for (let at = 0; at < 64; at++) sixBits[LETTERS[at]] = at;
    for (let from = 0, to = 0; to < length; from += 4) {
      const four = sixBits[text[from]] << 18 | sixBits[text[from + 1]] << 12 | sixBits[text[from + 2]] << 6 | sixBits[text[from + 3]];
      made2[to++] = four >> 16;
      if (to < length) made2[to++] = four >> 8;
      if (to < length) made2[to++] = four;
    }
    return made2;
  }
  function error(name, message, stack) {
    const made2 = new Error(message);
    made2.name = name;
    made2.stack = stack;
    return made2.message === message ? made2 : replaced("Error");
  }
  function object(content, keys) {
    let made2 = content;
    for (let at = 0; at < keys.length; at++) made2 = { ...made2, [value(keys[at])]: null };
    return made2;
  }
  const MAKE = {
    __proto__: null,
    date,
    regexp,
    bytes,
    error,
    object,
    array: (content) => content,
    set: () => /* @__PURE__ */ new Set(),
    url: (href) => new URL(href)
  };
  for (let at = 0; at < nodes.length; at++) made[at] = MAKE[nodes[at][0]](nodes[at][1], nodes[at][2], nodes[at][3]);
  const FILL = {
    __proto__: null,
    array(array) {
      for (let at = 0; at < array.length; at++) array[at] = value(array[at]);
    },
    object(object2, content, keys, values, names) {
      for (let at = 0; at < names.length; at++) object2[names[at]] = value(content[names[at]]);
      for (let at = 0; at < keys.length; at++) object2[value(keys[at])] = value(values[at]);
    },
    set(set, items) {
      for (let at = 0; at < items.length; at++) set.add(value(items[at]));
      if (set.size !== items.length) replaced("Set");
    }
  };
  for (let at = 0; at < nodes.length; at++) {
    const fill = FILL[nodes[at][0]];
    if (fill) fill(made[at], nodes[at][1], nodes[at][2], nodes[at][3], nodes[at][4]);
  }
  return made[0];
}
return revive;
})()
