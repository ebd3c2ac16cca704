type Encoded =
  null | string | number | boolean | [node: number] | [kind: "number" | "bigint", text: string] | [kind: "undefined"];

type Described =
  | [kind: "same", value: Encoded]
  | [kind: "array" | "map" | "set", items: Encoded[]]
  | [kind: "object", keysAndValues: unknown[]]
  | [kind: "date", ms: number | null]
  | [kind: "regexp", source: string, flags: string]
  | [kind: "error", name: string, message: string, stack: string]
  | [kind: "bytes", type: string, content: string]
  | [kind: "url", href: string];

type Method<Result = unknown> = (...args: never[]) => Result;
type Apply = <Result>(method: Method<Result>, on: unknown, args: ArrayLike<unknown>) => Result;
type Typed = { prototype: Record<string, Method> };
type Jsonable = { toJSON?: () => unknown };

export default function serialize(given: unknown) {
  // Runs in the main world on the result of the caller's script. The output is flat: a list of nodes that refer to each
  // other by number, so that neither cycles nor depth matter, and toJSON is not called on page objects with own properties.
  //
  // The page may have replaced any global or method. What syntax can do needs none of them; intrinsics come from
  // literals where there are some; and what is left is tried on values whose answer is known. A value that only a
  // broken method could read is refused: it is never read wrongly. `null as never` because types take the `__proto__` of a
  // literal for a property.
  const MAX_NODES = 10000000;
  const nodes: unknown[] = []; // values, and in the end what describes them
  const visited: unknown[] = []; // the values that `nodes` describes in the end
  let refusal: unknown = null;

  function refuse(text: string): never {
    try {
      refusal = new Error(text);
    } catch {
      refusal = text;
    }
    throw refusal;
  }
  const replaced: (name: string) => never = (name) =>
    refuse(`the page has replaced ${name}, so the value cannot be read; return a text instead`);
  const holds = (test: () => unknown) => {
    try {
      return test() === true;
    } catch {
      return false;
    }
  };

  if (
    !holds(() => {
      const all: number[] = [];
      all[0] = 1;
      all[1] = 2;
      return all[0] === 1 && all[1] === 2 && all.length === 2;
    })
  )
    replaced("Array.prototype");

  const apply = soundApply();
  const toString = {}.toString;
  const tagOf = (value: unknown) => apply(toString, value, []);
  if (
    !holds(() => tagOf([]) === "[object Array]" && tagOf({}) === "[object Object]" && tagOf(/x/) === "[object RegExp]")
  )
    replaced("Object.prototype.toString");
  const { isArray } = [].constructor as ArrayConstructor;
  const tellsArrays = holds(() => isArray([]) && !isArray({ length: 0 }));
  const sharedToJson = ({} as Jsonable).toJSON;
  const numbers = soundMap();

  function soundApply(): Apply {
    const self = {};
    const sound = (apply: Apply | null) =>
      holds(() =>
        apply!(
          function (this: unknown, one: number, two: number) {
            return this === self && one === 1 && two === 2;
          },
          self,
          [1, 2],
        ),
      );
    const ways: Record<string, Apply | null> = {
      reflect: holds(() => typeof Reflect.apply === "function") ? (Reflect.apply as Apply) : null,
      apply: (method, on, args) => method.apply(on, args as never[]),
      // Enough but for bytes, which look at their outcome.
      call: (method, on, args) => method.call(on, args[0] as never, args[1] as never),
    };
    for (const way in ways) if (sound(ways[way])) return ways[way]!;
    replaced("Function.prototype.call");
  }

  // Returns null if Map is broken; then a linear search replaces it.
  function soundMap(): Map<unknown, number> | null {
    try {
      const map = new Map<unknown, number>(),
        probe = {};
      map.set(probe, 1);
      return map.has(probe) && map.get(probe) === 1 && !map.has({}) && map.get({}) === undefined ? map : null;
    } catch {
      return null;
    }
  }

  function encoded(value: unknown): Encoded {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return numeral(value);
      case "bigint":
        return ["bigint", `${value}`];
      case "object":
        return value === null ? null : [numberOf(value)];
      default:
        return ["undefined"];
    }
  }

  function numeral(value: number): Encoded {
    if (value === 0) return 1 / value < 0 ? ["number", "-0"] : value;
    return value - value === 0 ? value : ["number", `${value}`];
  }

  function numberOf(value: object) {
    const known = numbers ? numbers.get(value) : searched(value);
    if (known !== undefined) return known;
    if (nodes.length >= MAX_NODES) refuse(`the value holds more than ${MAX_NODES} objects`);
    if (numbers) numbers.set(value, nodes.length);
    visited[nodes.length] = value;
    nodes[nodes.length] = value;
    return nodes.length - 1;
  }

  function searched(value: object): number | void {
    for (let at = 0; at < visited.length; at++) if (visited[at] === value) return at;
  }

  const add = (all: Encoded[], value: unknown) => {
    all[all.length] = encoded(value);
  };

  // The method of a built-in type, of the value's own constructor if the page has taken the type away.
  function method(type: unknown, value: object, name: string): Method {
    const has = (type: unknown): type is Typed => holds(() => typeof (type as Typed).prototype[name] === "function");
    return has(type)
      ? type.prototype[name]
      : has(value.constructor)
        ? value.constructor.prototype[name]
        : replaced(name);
  }

  function bytes(buffer: ArrayBufferLike, start: number, length: number) {
    const { fromCharCode } = "".constructor as StringConstructor;
    if (
      !holds(
        () => btoa(apply(fromCharCode, null, new Uint8Array(2))) === "AAA=" && btoa(fromCharCode(1, 255)) === "Af8=",
      )
    )
      replaced("btoa, Uint8Array or String");
    let text = "";
    for (let at = 0; at < length; at += 32768) {
      text += apply(fromCharCode, null, new Uint8Array(buffer, start + at, length - at < 32768 ? length - at : 32768));
    }
    return text.length === length ? btoa(text) : replaced("Uint8Array or String");
  }

  const buffer = (value: ArrayBufferLike): Described => ["bytes", "ArrayBuffer", bytes(value, 0, value.byteLength)];
  const view = (value: ArrayBufferView, kind: string): Described => [
    "bytes",
    kind,
    bytes(value.buffer, value.byteOffset, value.byteLength),
  ];
  const boxed = (value: object): Described => [
    "same",
    encoded(apply(method(value.constructor, value, "valueOf"), value, [])),
  ];

  function date(value: Date): Described {
    const ms = apply(method(typeof Date === "undefined" ? null : Date, value, "getTime"), value, []) as number,
      again = +value;
    if (ms !== again && !(ms !== ms && again !== again)) replaced("Date.prototype.getTime");
    return ["date", ms !== ms ? null : ms];
  }

  function map(value: Map<unknown, unknown>): Described {
    const all: Encoded[] = [];
    apply(method(typeof Map === "undefined" ? null : Map, value, "forEach"), value, [
      (item: unknown, key: unknown) => {
        add(all, key);
        add(all, item);
      },
    ]);
    return all.length === 2 * value.size ? ["map", all] : replaced("Map.prototype.forEach");
  }

  function set(value: Set<unknown>): Described {
    const all: Encoded[] = [];
    apply(method(typeof Set === "undefined" ? null : Set, value, "forEach"), value, [
      (item: unknown) => {
        add(all, item);
      },
    ]);
    return all.length === value.size ? ["set", all] : replaced("Set.prototype.forEach");
  }

  const error = (value: Error): Described => ["error", `${value.name}`, `${value.message}`, `${value.stack || ""}`];

  // By the tag that an object claims; the methods of that type then reject an impostor.
  const KINDS: Record<string, (value: never) => Described | null> = {
    __proto__: null as never,
    "[object Date]": date,
    "[object RegExp]": (value: RegExp) => ["regexp", value.source, value.flags],
    "[object Map]": map,
    "[object Set]": set,
    "[object Error]": error,
    "[object DOMException]": error,
    "[object URL]": (value: URL) =>
      typeof value.href === "string" && !own(value).length ? ["url", value.href] : plain(value),
    "[object SharedArrayBuffer]": buffer,
    "[object ArrayBuffer]": buffer,
    "[object String]": boxed,
    "[object Number]": boxed,
    "[object Boolean]": boxed,
    "[object BigInt]": boxed,
    "[object DataView]": (value: DataView) => (isView(value) ? view(value, "DataView") : null),
    "[object Window]": () => ["same", "ref: <Window>"],
  };
  const VIEWS = {
    __proto__: null,
    Int8Array: 1,
    Uint8Array: 1,
    Uint8ClampedArray: 1,
    Int16Array: 1,
    Uint16Array: 1,
    Int32Array: 1,
    Uint32Array: 1,
    BigInt64Array: 1,
    BigUint64Array: 1,
    Float16Array: 1,
    Float32Array: 1,
    Float64Array: 1,
  };
  for (const name in VIEWS)
    KINDS[`[object ${name}]`] = (value: ArrayBufferView) => (isView(value) ? view(value, name) : null);

  function isView(value: unknown) {
    const { isView } = ArrayBuffer;
    if (!holds(() => isView(new Uint8Array(1)) && !isView({}))) replaced("ArrayBuffer.isView");
    return isView(value);
  }

  function node(value: object): Described {
    try {
      return known(value) || plain(value);
    } catch (error) {
      if (error === refusal) throw error;
      return ["object", []]; // a proxy that throws, or a cross-origin object
    }
  }

  function known(value: object): Described | null {
    if (tellsArrays ? isArray(value) : tagOf(value) === "[object Array]") return list(value as unknown[]);
    const tag = tagOf(value);
    try {
      if (KINDS[tag]) return KINDS[tag](value as never);
      if (isNode(value, tag)) return ["same", (value as Node).nodeType === 9 ? "ref: <Document>" : "ref: <Node>"];
      return typeof Error === "function" && value instanceof Error ? error(value) : null;
    } catch (error) {
      if (error === refusal) throw error;
      return null; // the object is not of the type that its tag claims
    }
  }

  // Chrome itself throws if the argument of isSameNode is not a node, whatever the page has made of the name `Node`.
  function isNode(value: object, tag: string) {
    if (tag === "[object Object]" && !("nodeType" in value)) return false;
    const { isSameNode } = document;
    const accepts = (other: object) => {
      try {
        return typeof apply(isSameNode, document, [other]) === "boolean";
      } catch {
        return false;
      }
    };
    if (!accepts(document) || accepts({})) replaced("Node.prototype.isSameNode");
    return accepts(value);
  }

  function list(value: unknown[]): Described {
    if (value.length > MAX_NODES) refuse(`the value holds an array of more than ${MAX_NODES} items`);
    const all: Encoded[] = [];
    for (let at = 0; at < value.length; at++) all[at] = encoded(value[at]);
    return ["array", all];
  }

  // The enumerable own properties of an object, as a list of keys and values in turn.
  function own(value: object): unknown[] {
    const all: unknown[] = [];
    let copy: Record<string, unknown>;
    try {
      copy = { __proto__: null as never, ...value }; // needs no method of the page, and runs each getter once
    } catch {
      return ownThatCanBeRead(value);
    }
    for (const key in copy) {
      all[all.length] = key;
      all[all.length] = copy[key];
    }
    return all;
  }

  function ownThatCanBeRead(value: object): unknown[] {
    const { keys } = {}.constructor as ObjectConstructor,
      all: unknown[] = [];
    if (!holds(() => keys({ a: 1, b: 2 }).length === 2 && keys({ a: 1 })[0] === "a")) replaced("Object.keys");
    const names = keys(value);
    for (let at = 0; at < names.length; at++) {
      let item: unknown;
      try {
        item = (value as Record<string, unknown>)[names[at]];
      } catch {
        continue;
      }
      all[all.length] = names[at];
      all[all.length] = item;
    }
    return all;
  }

  function plain(value: Jsonable): Described {
    const all = own(value);
    for (let at = 1; at < all.length; at += 2) all[at] = encoded(all[at]);
    // Browser objects only have getters, and toJSON returns their content; one that all objects share does not.
    if (!all.length && typeof value.toJSON === "function" && value.toJSON !== sharedToJson)
      return ["same", encoded(value.toJSON())];
    return ["object", all];
  }

  const whole = encoded(given);
  if (!nodes.length) return [["same", whole]];
  for (let at = 0; at < nodes.length; at++) nodes[at] = node(nodes[at] as object);
  return nodes;
}
