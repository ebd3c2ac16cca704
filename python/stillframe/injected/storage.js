// Generated from js/src/storage/index.ts by js/build.mjs.
() => {
"use strict";
// src/storage/packing.ts
var MAX_DEPTH = 150;
var VIEWS = {
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
  bui64: "BigUint64Array"
};
var ERRORS = ["EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError"];
var NOT_JSON = { undefined: void 0, NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity, "-0": -0 };
var Refused = class {
  kind;
  constructor(kind) {
    this.kind = kind;
  }
};
var tagOf = (value) => Object.prototype.toString.call(value).slice(8, -1);
function packed(name, value) {
  const seen = /* @__PURE__ */ new Map();
  return isJson(value, /* @__PURE__ */ new Set(), 0) ? [name, value] : [`${name}Encoded`, encoded(value, seen, 0)];
}
function isJson(value, seen, depth) {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || seen.has(value) || depth > MAX_DEPTH) return false;
  seen.add(value);
  const tag = tagOf(value);
  if (tag === "Array" ? Object.keys(value).length !== value.length : tag !== "Object") return false;
  return Object.values(value).every((item) => isJson(item, seen, depth + 1));
}
function encoded(value, seen, depth) {
  if (depth > MAX_DEPTH) throw new Refused(`a value deeper than ${MAX_DEPTH} levels`);
  if (value === null) return { v: "null" };
  if (typeof value === "bigint") return { bi: `${value}` };
  if (typeof value !== "object") return primitive(value);
  if (seen.has(value)) return { ref: seen.get(value) };
  const tag = tagOf(value);
  return tag in CONTAINERS ? CONTAINERS[tag](
    value,
    numbered(value, seen),
    (item) => encoded(item, seen, depth + 1)
  ) : leaf(value, tag);
}
function primitive(value) {
  const name = Object.keys(NOT_JSON).find((name2) => Object.is(NOT_JSON[name2], value));
  return name === void 0 ? value : { v: name };
}
function numbered(value, seen) {
  seen.set(value, seen.size + 1);
  return seen.size;
}
var CONTAINERS = {
  Array: (value, id, encode) => {
    if (Object.keys(value).some((key) => `${+key >>> 0}` !== key)) throw new Refused("an array with names");
    return { a: Array.from(value, encode), id };
  },
  Object: (value, id, encode) => ({ o: Object.entries(value).map(([k, v]) => ({ k, v: encode(v) })), id }),
  Map: (value, id, encode) => ({ m: Array.from(value, ([k, v]) => ({ k: encode(k), v: encode(v) })), id }),
  Set: (value, id, encode) => ({ s: Array.from(value, encode), id })
};
var reading = [];
function blob(value, tag) {
  const made = { t: value.type, b: "" };
  if (tag === "File") Object.assign(made, { n: value.name, m: value.lastModified });
  reading.push(
    new Response(value).arrayBuffer().then(
      (bytes) => {
        made.b = base64(new Uint8Array(bytes));
      },
      () => {
        throw new Refused(`a ${tag} whose bytes are gone`);
      }
    )
  );
  return { blob: made };
}
function leaf(value, tag) {
  if (tag === "Blob" || tag === "File") return blob(value, tag);
  if (tag === "Date") return { d: Number.isNaN(value.getTime()) ? null : value.toISOString() };
  if (tag === "RegExp") return { r: { p: value.source, f: value.flags } };
  if (tag === "ArrayBuffer") return { ab: { b: base64(new Uint8Array(value)) } };
  if (tag === "Error" && !("cause" in value)) {
    const { name, message, stack } = value;
    return { e: { n: name, m: message, s: stack || "" } };
  }
  const kind = Object.keys(VIEWS).find((kind2) => VIEWS[kind2] === tag);
  if (kind === void 0) throw new Refused(refusedKind(value, tag));
  const { buffer, byteOffset, byteLength } = value;
  return { ta: { b: base64(new Uint8Array(buffer, byteOffset, byteLength)), k: kind } };
}
function refusedKind(value, tag) {
  return tag === "CryptoKey" ? `a CryptoKey that is ${value.extractable ? "" : "not "}extractable` : `a value of type ${tag}`;
}
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}
function unpacked(name, record) {
  return name in record ? record[name] : decoded(record[`${name}Encoded`], /* @__PURE__ */ new Map());
}
var MAKERS = {
  ref: (id, _, made) => made.get(id),
  v: (name) => name === "null" ? null : name in NOT_JSON ? NOT_JSON[name] : unknown(name),
  d: (text) => new Date(text === null ? NaN : text),
  bi: BigInt,
  r: ({ p, f }) => new RegExp(p, f),
  e: ({ n, m, s }) => Object.assign(new (ERRORS.includes(n) ? globalThis[n] : Error)(m), { stack: s }),
  ab: ({ b }) => bytesOf(b).buffer,
  blob: ({ b, t: type, n, m: lastModified }) => n === void 0 ? new Blob([bytesOf(b)], { type }) : new File([bytesOf(b)], n, { type, lastModified }),
  ta: ({ b, k }) => new (globalThis[VIEWS[k]] || unknown(k))(bytesOf(b).buffer),
  a: (items, id, made) => filled(made, id, [], (all) => {
    for (const item of items) all.push(decoded(item, made));
  }),
  o: (items, id, made) => filled(made, id, {}, (all) => {
    for (const { k, v } of items) define(all, k, decoded(v, made));
  }),
  m: (items, id, made) => filled(made, id, /* @__PURE__ */ new Map(), (all) => {
    for (const { k, v } of items) all.set(decoded(k, made), decoded(v, made));
  }),
  s: (items, id, made) => filled(made, id, /* @__PURE__ */ new Set(), (all) => {
    for (const item of items) all.add(decoded(item, made));
  })
};
function decoded(value, made) {
  if (value === null || typeof value !== "object") return value;
  const tag = Object.keys(MAKERS).find((tag2) => tag2 in value) || unknown(Object.keys(value));
  return MAKERS[tag](value[tag], value.id, made);
}
function filled(made, id, container, fill) {
  made.set(id, container);
  fill(container);
  return container;
}
function define(object, name, value) {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
}
function unknown(name) {
  throw new TypeError(`no value is encoded as ${JSON.stringify(name)}`);
}
var bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

// src/storage/databases.ts
var done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});
async function readDatabases() {
  const all = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await opened(name);
    if (database === null) continue;
    try {
      all.push(await readDatabase(database));
    } finally {
      database.close();
    }
  }
  return all;
}
async function opened(name) {
  const request = indexedDB.open(name);
  let isNew = false;
  request.onupgradeneeded = () => {
    isNew = true;
    request.transaction.abort();
  };
  try {
    return await done(request);
  } catch (error) {
    if (isNew) return null;
    throw error;
  }
}
async function readDatabase(database) {
  const { name, version } = database, names = [...database.objectStoreNames];
  if (!names.length) return { name, version, stores: [] };
  const transaction = database.transaction(names, "readonly");
  return {
    name,
    version,
    stores: await Promise.all(names.map((store) => readStore(name, transaction.objectStore(store))))
  };
}
async function readStore(database, store) {
  const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
  return {
    name: store.name,
    ...pathOf(store),
    autoIncrement: store.autoIncrement,
    indexes: Array.from(store.indexNames, (name) => readIndex(store.index(name))),
    records: await Promise.all(keys.map((key, at) => readRecord(database, store, key, values[at])))
  };
}
function readIndex(index) {
  return { name: index.name, ...pathOf(index), multiEntry: index.multiEntry, unique: index.unique };
}
var pathOf = ({ keyPath }) => keyPath === null ? {} : typeof keyPath === "string" ? { keyPath } : { keyPathArray: [...keyPath] };
async function readRecord(database, store, key, value) {
  try {
    const parts = store.keyPath === null ? [packed("key", key), packed("value", value)] : [packed("value", value)];
    await Promise.all(reading.splice(0));
    return Object.fromEntries(parts);
  } catch (error) {
    if (error instanceof Refused)
      Object.assign(error, { database, store: store.name, key: JSON.stringify(packed("key", key)[1]) });
    throw error;
  }
}
async function makeDatabases(databases) {
  for (const database of databases) {
    try {
      await makeDatabase(database);
    } catch (error) {
      throw new Error(`the database ${JSON.stringify(database.name)}: ${error.message}`);
    }
  }
}
async function makeDatabase({ name, version, stores }) {
  const request = indexedDB.open(name, version);
  let failure = null, isNew = false;
  const fail = (place, error) => {
    failure = failure || new Error(`${place}: ${error.message}`);
  };
  request.onupgradeneeded = () => {
    isNew = true;
    try {
      for (const store of stores) makeStore(request.result, store, fail);
    } catch (error) {
      fail("its stores", error);
    }
    if (failure) request.transaction.abort();
  };
  try {
    (await done(request)).close();
  } catch (error) {
    throw failure || error;
  }
  if (!isNew) throw new Error("a page has made it meanwhile; close the pages of the origin first");
}
function makeStore(database, stored, fail) {
  const { name, indexes, records, autoIncrement, ...paths } = stored;
  const store = database.createObjectStore(name, { keyPath: pathIn(paths), autoIncrement });
  for (const { name: name2, multiEntry, unique, ...paths2 } of indexes)
    store.createIndex(name2, pathIn(paths2), { multiEntry, unique });
  records.forEach((record, at) => {
    const place = `record ${at} of the store ${JSON.stringify(name)}`;
    try {
      const request = store.add(unpacked("value", record), unpacked("key", record));
      request.onerror = () => fail(place, request.error);
    } catch (error) {
      fail(place, error);
    }
  });
}
var pathIn = ({ keyPath, keyPathArray }) => keyPathArray || keyPath;

// src/storage/files.ts
async function readFiles() {
  const { storage } = navigator;
  return storage && storage.getDirectory ? filesIn(await storage.getDirectory(), "") : [];
}
async function filesIn(directory, within) {
  const all = [];
  for await (const [name, handle] of directory.entries()) {
    const path = within + name;
    if (handle.kind === "directory")
      all.push({ path, type: "directory" }, ...await filesIn(handle, `${path}/`));
    else
      all.push({
        path,
        type: "file",
        base64: base64(new Uint8Array(await (await handle.getFile()).arrayBuffer()))
      });
  }
  return all.sort((one, other) => one.path < other.path ? -1 : 1);
}
async function makeFiles(entries) {
  for (const entry of entries) {
    try {
      await makeFile(await navigator.storage.getDirectory(), entry);
    } catch (error) {
      throw new Error(`the file ${JSON.stringify(entry.path)}: ${error.message}`);
    }
  }
}
async function makeFile(root, { path, type, base64: base642 }) {
  const parts = path.split("/"), name = parts.pop();
  let directory = root;
  for (const part of parts) directory = await directory.getDirectoryHandle(part, { create: true });
  if (type === "directory") {
    await directory.getDirectoryHandle(name, { create: true });
    return;
  }
  const writable = await (await directory.getFileHandle(name, { create: true })).createWritable();
  await writable.write(bytesOf(base642));
  await writable.close();
}

// src/storage/storage.ts
async function readStorage({ databases, files }) {
  const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at));
  const state = { localStorage: names.map((name) => ({ name, value: localStorage.getItem(name) })) };
  try {
    if (databases) state.indexedDB = await readDatabases();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return JSON.stringify({ refused: { ...error } });
  }
  if (files) state.opfs = await readFiles();
  return JSON.stringify({ state });
}
async function writeStorage(text) {
  const state = JSON.parse(text);
  localStorage.clear();
  for (const { name, value } of state.localStorage) localStorage.setItem(name, value);
  try {
    await makeDatabases(state.indexedDB || []);
    await makeFiles(state.opfs || []);
  } catch (error) {
    return error.message;
  }
  return null;
}
return { readStorage, writeStorage };
}
