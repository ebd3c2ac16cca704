// Values of IndexedDB as Playwright's state files hold them: as JSON if that says all, else with tags, such as
// `{ d: "2026-01-01T00:00:00.000Z" }` for a Date. These scripts run in an isolated world of an empty document, so that no
// page has replaced a global. Holes of arrays become undefined, and two references to one Date, RegExp or buffer two.
//
// Beyond Playwright's: Float16Array ("f16"), Blob and File ("blob"), and `{ d: null }` stays an invalid Date.

const MAX_DEPTH = 150; // levels of a value: each takes three of JSON, and Python's parser takes some 900

const VIEWS: Record<string, string> = {
  i8: "Int8Array",
  ui8: "Uint8Array",
  ui8c: "Uint8ClampedArray",
  i16: "Int16Array",
  ui16: "Uint16Array",
  i32: "Int32Array",
  ui32: "Uint32Array",
  f16: "Float16Array",
  f32: "Float32Array",
  f64: "Float64Array",
  bi64: "BigInt64Array",
  bui64: "BigUint64Array",
};
const ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];
const NOT_JSON: Record<string, undefined | number> = { undefined, NaN, Infinity, "-Infinity": -Infinity, "-0": -0 };

// The tags, and what each holds.
interface Tags {
  ref: number;
  v: string;
  d: string | null;
  bi: string;
  r: { p: string; f: string };
  e: { n: string; m: string; s: string };
  ab: { b: string };
  blob: { b: string; t: string; n?: string; m?: number };
  ta: { b: string; k: string };
  a: Encoded[];
  o: { k: string; v: Encoded }[];
  m: { k: Encoded; v: Encoded }[];
  s: Encoded[];
}
interface Tagged extends Partial<Tags> {
  id?: number;
}
type Encoded = null | undefined | string | number | boolean | Tagged;

type Encode = (item: unknown) => Encoded;
type Numbers = Map<unknown, number>;
type Made = Map<number, unknown>;

// What a state cannot hold; `kind` says what it is.
export class Refused {
  kind: string;
  declare database?: string;
  declare store?: string;
  declare key?: string;
  constructor(kind: string) {
    this.kind = kind;
  }
}

const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

// Returns `[name, packed]` for a record: `["value", …]` as JSON, or `["valueEncoded", …]`.
export function packed(name: string, value: unknown): [string, unknown] {
  const seen: Numbers = new Map();
  return isJson(value, new Set(), 0) ? [name, value] : [`${name}Encoded`, encoded(value, seen, 0)];
}

// Whether JSON says all of a value: what is shared or cyclic needs references.
function isJson(value: unknown, seen: Set<unknown>, depth: number): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || seen.has(value) || depth > MAX_DEPTH) return false;
  seen.add(value);
  const tag = tagOf(value);
  if (tag === "Array" ? Object.keys(value!).length !== (value as unknown[]).length : tag !== "Object") return false;
  return Object.values(value!).every((item) => isJson(item, seen, depth + 1));
}

function encoded(value: unknown, seen: Numbers, depth: number): Encoded {
  if (depth > MAX_DEPTH) throw new Refused(`a value deeper than ${MAX_DEPTH} levels`);
  if (value === null) return { v: "null" };
  if (typeof value === "bigint") return { bi: `${value}` };
  if (typeof value !== "object") return primitive(value);
  if (seen.has(value)) return { ref: seen.get(value)! };
  const tag = tagOf(value);
  return tag in CONTAINERS
    ? (CONTAINERS[tag as keyof Containers] as Container<object>)(value, numbered(value, seen), (item) =>
        encoded(item, seen, depth + 1),
      )
    : leaf(value, tag);
}

function primitive(value: unknown): Encoded {
  const name = Object.keys(NOT_JSON).find((name) => Object.is(NOT_JSON[name], value));
  return name === undefined ? (value as Encoded) : { v: name };
}

function numbered(value: unknown, seen: Numbers) {
  seen.set(value, seen.size + 1);
  return seen.size;
}

// What contains others, by the names that `tagOf` gives.
type Containers = {
  Array: unknown[];
  Object: Record<string, unknown>;
  Map: Map<unknown, unknown>;
  Set: Set<unknown>;
};
type Container<T> = (value: T, id: number, encode: Encode) => Encoded;

const CONTAINERS: { [Name in keyof Containers]: Container<Containers[Name]> } = {
  Array: (value, id, encode) => {
    if (Object.keys(value).some((key) => `${+key >>> 0}` !== key)) throw new Refused("an array with names");
    return { a: Array.from(value, encode), id };
  },
  Object: (value, id, encode) => ({ o: Object.entries(value).map(([k, v]) => ({ k, v: encode(v) })), id }),
  Map: (value, id, encode) => ({ m: Array.from(value, ([k, v]) => ({ k: encode(k), v: encode(v) })), id }),
  Set: (value, id, encode) => ({ s: Array.from(value, encode), id }),
};

export const reading: Promise<void>[] = []; // the Blobs of what was packed last: their bytes come later

function blob(value: Blob, tag: string): Encoded {
  const made: Tags["blob"] = { t: value.type, b: "" };
  if (tag === "File") Object.assign(made, { n: (value as File).name, m: (value as File).lastModified });
  reading.push(
    new Response(value).arrayBuffer().then(
      (bytes) => {
        made.b = base64(new Uint8Array(bytes));
      },
      () => {
        throw new Refused(`a ${tag} whose bytes are gone`);
      },
    ),
  );
  return { blob: made };
}

// The tag tells the type of the value: nothing here has been made by a page.
function leaf(value: object, tag: string): Encoded {
  if (tag === "Blob" || tag === "File") return blob(value as Blob, tag);
  if (tag === "Date") return { d: Number.isNaN((value as Date).getTime()) ? null : (value as Date).toISOString() };
  if (tag === "RegExp") return { r: { p: (value as RegExp).source, f: (value as RegExp).flags } };
  if (tag === "ArrayBuffer") return { ab: { b: base64(new Uint8Array(value as ArrayBuffer)) } };
  if (tag === "Error" && !("cause" in value)) {
    const { name, message, stack } = value as Error;
    return { e: { n: name, m: message, s: stack || "" } };
  }
  const kind = Object.keys(VIEWS).find((kind) => VIEWS[kind] === tag);
  if (kind === undefined) throw new Refused(refusedKind(value, tag));
  const { buffer, byteOffset, byteLength } = value as ArrayBufferView;
  return { ta: { b: base64(new Uint8Array(buffer, byteOffset, byteLength)), k: kind } };
}

function refusedKind(value: object, tag: string) {
  return tag === "CryptoKey"
    ? `a CryptoKey that is ${(value as CryptoKey).extractable ? "" : "not "}extractable`
    : `a value of type ${tag}`;
}

export function base64(bytes: Uint8Array) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}

// Returns what a record holds under a name: as JSON, or encoded; undefined if it has neither.
export function unpacked(name: string, record: Record<string, unknown>): unknown {
  return name in record ? record[name] : decoded(record[`${name}Encoded`] as Encoded, new Map());
}

type Maker<T> = (content: T, id: number, made: Made) => unknown;

const MAKERS: { [Tag in keyof Tags]: Maker<Tags[Tag]> } = {
  ref: (id, _, made) => made.get(id),
  v: (name) => (name === "null" ? null : name in NOT_JSON ? NOT_JSON[name] : unknown(name)),
  d: (text) => new Date(text === null ? NaN : text),
  bi: BigInt,
  r: ({ p, f }) => new RegExp(p, f),
  e: ({ n, m, s }) => Object.assign(new (ERRORS.includes(n) ? globalThis[n as "TypeError"] : Error)(m), { stack: s }),
  ab: ({ b }) => bytesOf(b).buffer,
  blob: ({ b, t: type, n, m: lastModified }) =>
    n === undefined ? new Blob([bytesOf(b)], { type }) : new File([bytesOf(b)], n, { type, lastModified }),
  ta: ({ b, k }) => new (globalThis[VIEWS[k] as "Int8Array"] || unknown(k))(bytesOf(b).buffer),
  a: (items, id, made) =>
    filled<unknown[]>(made, id, [], (all) => {
      for (const item of items) all.push(decoded(item, made));
    }),
  o: (items, id, made) =>
    filled<object>(made, id, {}, (all) => {
      for (const { k, v } of items) define(all, k, decoded(v, made));
    }),
  m: (items, id, made) =>
    filled(made, id, new Map(), (all) => {
      for (const { k, v } of items) all.set(decoded(k, made), decoded(v, made));
    }),
  s: (items, id, made) =>
    filled(made, id, new Set(), (all) => {
      for (const item of items) all.add(decoded(item, made));
    }),
};

function decoded(value: Encoded, made: Made): unknown {
  if (value === null || typeof value !== "object") return value;
  const tag = Object.keys(MAKERS).find((tag) => tag in value) || unknown(Object.keys(value));
  return (MAKERS[tag as keyof Tags] as Maker<unknown>)(value[tag as keyof Tags], value.id!, made);
}

function filled<T>(made: Made, id: number, container: T, fill: (all: T) => void): T {
  made.set(id, container);
  fill(container);
  return container;
}

// An assignment to `__proto__` would not make a property.
function define(object: object, name: string, value: unknown) {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}

function unknown(name: unknown): never {
  throw new TypeError(`no value is encoded as ${JSON.stringify(name)}`);
}

export const bytesOf = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
