type Encoded =
  | null
  | string
  | number
  | boolean
  | [node: number]
  | [kind: "number", text: string]
  | [kind: "constant" | "object", at: number]
  | [kind: "undefined"];

// A node holds the parameters of the function for its kind.
type Encoding = [kind: string, ...parts: never[]];
type Calls = Record<string, (...parts: never[]) => unknown>;

export default function revive(nodes: Encoding[], constants: unknown[], objects: unknown[]) {
  // Decodes what `arguments.encode` made of Python values. As in `serialize.ts`, the page may have replaced any global or
  // method: arrays and objects come as literals and are filled in place, which needs none of them, and what a replaced
  // type has made is refused. `null as never` because types take the `__proto__` of a literal for a property.
  const NUMBERS: Record<string, number> = {
    __proto__: null as never,
    NaN: 0 / 0,
    Infinity: 1 / 0,
    "-Infinity": -1 / 0,
    "-0": -0,
  };
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const made: { __proto__: null; [node: number]: unknown } = { __proto__: null };
  const replaced = (name: string): never => {
    throw new Error(`the page has replaced ${name}, so the argument cannot be passed`);
  };

  const TAGGED: Calls = {
    __proto__: null as never,
    number: (text: string) => NUMBERS[text],
    constant: (at: number) => constants[at],
    object: (at: number) => objects[at],
    undefined: () => undefined,
  };

  function value(encoded: Encoded): unknown {
    if (encoded === null || typeof encoded !== "object") return encoded;
    const kind = encoded[0];
    return typeof kind === "number" ? made[kind] : TAGGED[kind](encoded[1] as never);
  }

  function date(ms: number) {
    const made = new Date(ms);
    return +made === ms ? made : replaced("Date");
  }

  function regexp(source: string, flags: string) {
    const made = new RegExp(source, flags);
    return made.flags === flags ? made : replaced("RegExp");
  }

  function bytes(text: string, length: number) {
    const sixBits: Record<string, number> = { __proto__: null as never },
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

  function error(name: string, message: string, stack: string) {
    const made = new Error(message);
    made.name = name;
    made.stack = stack;
    return made.message === message ? made : replaced("Error");
  }

  // The keys that a literal cannot hold are constants; spreading makes own properties of them.
  function object(content: object, keys: Encoded[]) {
    let made = content;
    for (let at = 0; at < keys.length; at++) made = { ...made, [value(keys[at]) as string]: null };
    return made;
  }

  const MAKE: Calls = {
    __proto__: null as never,
    date,
    regexp,
    bytes,
    error,
    object,
    array: (content: unknown[]) => content,
    set: () => new Set(),
    url: (href: string) => new URL(href),
  };

  for (let at = 0; at < nodes.length; at++) made[at] = MAKE[nodes[at][0]](nodes[at][1], nodes[at][2], nodes[at][3]);

  const FILL: Calls = {
    __proto__: null as never,
    array(array: unknown[]) {
      for (let at = 0; at < array.length; at++) array[at] = value(array[at] as Encoded);
    },
    object(
      object: Record<string, unknown>,
      content: Record<string, Encoded>,
      keys: Encoded[],
      values: Encoded[],
      names: string[],
    ) {
      for (let at = 0; at < names.length; at++) object[names[at]] = value(content[names[at]]);
      for (let at = 0; at < keys.length; at++) object[value(keys[at]) as string] = value(values[at]);
    },
    set(set: Set<unknown>, items: Encoded[]) {
      for (let at = 0; at < items.length; at++) set.add(value(items[at]));
      if (set.size !== items.length) replaced("Set");
    },
  };

  for (let at = 0; at < nodes.length; at++) {
    const fill = FILL[nodes[at][0]];
    if (fill) fill(made[at] as never, nodes[at][1], nodes[at][2], nodes[at][3], nodes[at][4]);
  }
  return made[0];
}
