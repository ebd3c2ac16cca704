export default function revive(nodes, constants, objects) {
  // Decodes what `arguments.encode` made of Python values. As in `serialize.ts`, the page may have replaced any global or
  // method: arrays and objects come as literals and are filled in place, which needs none of them, and what a replaced
  // type has made is refused.
  const NUMBERS = { __proto__: null, NaN: 0 / 0, Infinity: 1 / 0, "-Infinity": -1 / 0, "-0": -0 };
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
    undefined: () => undefined,
  };

  function value(encoded) {
    if (encoded === null || typeof encoded !== "object") return encoded;
    const kind = encoded[0];
    return typeof kind === "number" ? made[kind] : TAGGED[kind](encoded[1]);
  }

  function date(ms) {
    const made = new Date(ms);
    return made - 0 === ms ? made : replaced("Date");
  }

  function regexp(source, flags) {
    const made = new RegExp(source, flags);
    return made.flags === flags ? made : replaced("RegExp");
  }

  function bytes(text, length) {
    const sixBits = { __proto__: null },
      made = new Uint8Array(length);
    if (made.length !== length) replaced("Uint8Array");
    for (let at = 0; at < 64; at++) sixBits[LETTERS[at]] = at;
    for (let from = 0, to = 0; to < length; from += 4) {
      const four =
        (sixBits[text[from]] << 18) |
        (sixBits[text[from + 1]] << 12) |
        (sixBits[text[from + 2]] << 6) |
        sixBits[text[from + 3]];
      made[to++] = four >> 16;
      if (to < length) made[to++] = four >> 8;
      if (to < length) made[to++] = four;
    }
    return made;
  }

  function error(name, message, stack) {
    const made = new Error(message);
    made.name = name;
    made.stack = stack;
    return made.message === message ? made : replaced("Error");
  }

  // The keys that a literal cannot hold are constants; spreading makes own properties of them.
  function object(content, keys) {
    let made = content;
    for (let at = 0; at < keys.length; at++) made = { ...made, [value(keys[at])]: null };
    return made;
  }

  const MAKE = {
    __proto__: null,
    date,
    regexp,
    bytes,
    error,
    object,
    array: (content) => content,
    set: () => new Set(),
    url: (href) => new URL(href),
  };

  for (let at = 0; at < nodes.length; at++) made[at] = MAKE[nodes[at][0]](nodes[at][1], nodes[at][2], nodes[at][3]);

  const FILL = {
    __proto__: null,
    array(array) {
      for (let at = 0; at < array.length; at++) array[at] = value(array[at]);
    },
    object(object, content, keys, values, names) {
      for (let at = 0; at < names.length; at++) object[names[at]] = value(content[names[at]]);
      for (let at = 0; at < keys.length; at++) object[value(keys[at])] = value(values[at]);
    },
    set(set, items) {
      for (let at = 0; at < items.length; at++) set.add(value(items[at]));
      if (set.size !== items.length) replaced("Set");
    },
  };

  for (let at = 0; at < nodes.length; at++) {
    const fill = FILL[nodes[at][0]];
    if (fill) fill(made[at], nodes[at][1], nodes[at][2], nodes[at][3], nodes[at][4]);
  }
  return made[0];
}
