function() {
  // Runs in the main world on the result of the caller's script. The output is flat: a list of nodes that refer to each
  // other by number, so that neither cycles nor depth matter, and toJSON is not called on page objects with own properties.
  const MAX_NODES = 10000000;
  const nodes = [];
  const visited = []; // the values that `nodes` describes in the end
  let tooMuch = null;
  // The page may have broken `call`, `apply` and the methods of String, Array and Map.
  const apply = globalThis.Reflect && Reflect.apply || ((method, self, args) => method.call(self, ...args));
  const numbers = soundMap();
  const tagOf = (value) => apply(Object.prototype.toString, value, []);
  const { get: viewKind } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag) || {};

  // Returns null if Map is broken; then a linear search replaces it.
  function soundMap() {
    try {
      const map = new Map(), probe = {};
      map.set(probe, 1);
      return map.has(probe) && map.get(probe) === 1 && !map.has({}) ? map : null;
    } catch {
      return null;
    }
  }

  function encoded(value) {
    switch (typeof value) {
      case "string": case "boolean": return value;
      case "number": return Number.isFinite(value) && !Object.is(value, -0) ? value : ["number", Object.is(value, -0) ? "-0" : `${value}`];
      case "bigint": return ["bigint", `${value}`];
      case "object": return value === null ? null : [numberOf(value)];
      default: return ["undefined"];
    }
  }

  function numberOf(value) {
    const known = numbers ? numbers.get(value) : searched(value);
    if (known !== undefined) return known;
    if (nodes.length >= MAX_NODES) throw (tooMuch = new RangeError(`the value holds more than ${MAX_NODES} objects`));
    if (numbers) numbers.set(value, nodes.length);
    visited[nodes.length] = value;
    nodes[nodes.length] = value;
    return nodes.length - 1;
  }

  function searched(value) {
    for (let at = 0; at < visited.length; at++) if (visited[at] === value) return at;
  }

  const add = (all, value) => { all[all.length] = encoded(value); };

  const bytes = (view) => {
    let text = "";
    for (let at = 0; at < view.length; at += 32768) text += apply(String.fromCharCode, null, view.subarray(at, at + 32768));
    return btoa(text);
  };

  // By the tag that an object claims; the methods of that type then reject an impostor.
  const KINDS = {
    __proto__: null,
    "[object Date]": (value) => { const ms = apply(Date.prototype.getTime, value, []); return ["date", Number.isNaN(ms) ? null : ms]; },
    "[object RegExp]": (value) => ["regexp", value.source, value.flags],
    "[object Map]": (value) => { const all = []; apply(Map.prototype.forEach, value, [(item, key) => { add(all, key); add(all, item); }]); return ["map", all]; },
    "[object Set]": (value) => { const all = []; apply(Set.prototype.forEach, value, [(item) => { add(all, item); }]); return ["set", all]; },
    "[object Error]": (value) => ["error", `${value.name}`, `${value.message}`, `${value.stack || ""}`],
    "[object DOMException]": (value) => ["error", `${value.name}`, `${value.message}`, `${value.stack || ""}`],
    "[object URL]": (value) => value instanceof URL ? ["url", value.href] : plain(value),
    "[object SharedArrayBuffer]": (value) => ["bytes", "ArrayBuffer", bytes(new Uint8Array(value))],
    "[object ArrayBuffer]": (value) => ["bytes", "ArrayBuffer", bytes(new Uint8Array(value))],
    "[object String]": (value) => ["same", encoded(apply(String.prototype.valueOf, value, []))],
    "[object Number]": (value) => ["same", encoded(apply(Number.prototype.valueOf, value, []))],
    "[object Boolean]": (value) => ["same", encoded(apply(Boolean.prototype.valueOf, value, []))],
    "[object BigInt]": (value) => ["same", encoded(apply(BigInt.prototype.valueOf, value, []))],
  };

  function node(value) {
    try {
      return known(value) || plain(value);
    } catch (error) {
      if (error === tooMuch) throw error;
      return ["object", []]; // a proxy that throws, or a cross-origin object
    }
  }

  function known(value) {
    if (Array.isArray(value)) return list(value);
    const tag = tagOf(value);
    const reference = referenceTo(value, tag);
    if (reference) return ["same", `ref: <${reference}>`];
    if (ArrayBuffer.isView(value)) return ["bytes", apply(viewKind, value, []) || "DataView", bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))];
    try {
      return KINDS[tag] ? KINDS[tag](value) : value instanceof Error ? KINDS["[object Error]"](value) : null;
    } catch (error) {
      if (error === tooMuch) throw error;
      return null; // the object is not of the type that its tag claims
    }
  }

  // Page objects that are not values; named as in Playwright.
  const referenceTo = (value, tag) => tag === "[object Window]" || value instanceof Window ? "Window"
    : value instanceof Document ? "Document" : value instanceof Node ? "Node" : "";

  function list(value) {
    if (value.length > MAX_NODES) throw (tooMuch = new RangeError(`the value holds an array of more than ${MAX_NODES} items`));
    const all = [];
    for (let at = 0; at < value.length; at++) all[at] = encoded(value[at]);
    return ["array", all];
  }

  function plain(value) {
    const all = [];
    for (const key of Object.keys(value)) {
      let item;
      try { item = value[key]; } catch { continue; }
      all[all.length] = key;
      add(all, item);
    }
    // Browser objects only have getters, and toJSON returns their content.
    if (!all.length && typeof value.toJSON === "function") return ["same", encoded(value.toJSON())];
    return ["object", all];
  }

  encoded(this);
  for (let at = 0; at < nodes.length; at++) nodes[at] = node(nodes[at]);
  return nodes;
}
