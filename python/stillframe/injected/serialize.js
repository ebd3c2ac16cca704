// Generated from js/src/values/serialize.ts by js/build.mjs.
(() => {
"use strict";
// src/values/serialize.ts
function serialize(given) {
  const MAX_NODES = 1e7;
  const nodes = [];
  const visited = [];
  let refusal = null;
  function refuse(text) {
    try {
      refusal = new Error(text);
    } catch {
      refusal = text;
    }
    throw refusal;
  }
  const replaced = (name) => refuse(`the page has replaced ${name}, so the value cannot be read; return a text instead`);
  const holds = (test) => {
    try {
      return test() === true;
    } catch {
      return false;
    }
  };
  if (!holds(() => {
    const all = [];
    all[0] = 1;
    all[1] = 2;
    return all[0] === 1 && all[1] === 2 && all.length === 2;
  }))
    replaced("Array.prototype");
  const apply = soundApply();
  const toString = {}.toString;
  const tagOf = (value) => apply(toString, value, []);
  if (!holds(() => tagOf([]) === "[object Array]" && tagOf({}) === "[object Object]" && tagOf(/x/) === "[object RegExp]"))
    replaced("Object.prototype.toString");
  const { isArray } = [].constructor;
  const tellsArrays = holds(() => isArray([]) && !isArray({ length: 0 }));
  const sharedToJson = {}.toJSON;
  const numbers = soundMap();
  function soundApply() {
    const self = {};
    const sound = (apply2) => holds(
      () => apply2(
        function(one, two) {
          return this === self && one === 1 && two === 2;
        },
        self,
        [1, 2]
      )
    );
    const ways = {
      reflect: holds(() => typeof Reflect.apply === "function") ? Reflect.apply : null,
      apply: (method2, on, args) => method2.apply(on, args),
      // Enough but for bytes, which look at their outcome.
      call: (method2, on, args) => method2.call(on, args[0], args[1])
    };
    for (const way in ways) if (sound(ways[way])) return ways[way];
    replaced("Function.prototype.call");
  }
  function soundMap() {
    try {
      const map2 = /* @__PURE__ */ new Map(), probe = {};
      map2.set(probe, 1);
      return map2.has(probe) && map2.get(probe) === 1 && !map2.has({}) && map2.get({}) === void 0 ? map2 : null;
    } catch {
      return null;
    }
  }
  function encoded(value) {
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
  function numeral(value) {
    if (value === 0) return 1 / value < 0 ? ["number", "-0"] : value;
    return value - value === 0 ? value : ["number", `${value}`];
  }
  function numberOf(value) {
    const known2 = numbers ? numbers.get(value) : searched(value);
    if (known2 !== void 0) return known2;
    if (nodes.length >= MAX_NODES) refuse(`the value holds more than ${MAX_NODES} objects`);
    if (numbers) numbers.set(value, nodes.length);
    visited[nodes.length] = value;
    nodes[nodes.length] = value;
    return nodes.length - 1;
  }
  function searched(value) {
    for (let at = 0; at < visited.length; at++) if (visited[at] === value) return at;
  }
  const add = (all, value) => {
    all[all.length] = encoded(value);
  };
  function method(type, value, name) {
    const has = (type2) => holds(() => typeof type2.prototype[name] === "function");
    return has(type) ? type.prototype[name] : has(value.constructor) ? value.constructor.prototype[name] : replaced(name);
  }
  function bytes(buffer2, start, length) {
    const { fromCharCode } = "".constructor;
    if (!holds(
      () => btoa(apply(fromCharCode, null, new Uint8Array(2))) === "AAA=" && btoa(fromCharCode(1, 255)) === "Af8="
    ))
      replaced("btoa, Uint8Array or String");
    let text = "";
    for (let at = 0; at < length; at += 32768) {
      text += apply(fromCharCode, null, new Uint8Array(buffer2, start + at, length - at < 32768 ? length - at : 32768));
    }
    return text.length === length ? btoa(text) : replaced("Uint8Array or String");
  }
  const buffer = (value) => ["bytes", "ArrayBuffer", bytes(value, 0, value.byteLength)];
  const view = (value, kind) => [
    "bytes",
    kind,
    bytes(value.buffer, value.byteOffset, value.byteLength)
  ];
  const boxed = (value) => [
    "same",
    encoded(apply(method(value.constructor, value, "valueOf"), value, []))
  ];
  function date(value) {
    const ms = apply(method(typeof Date === "undefined" ? null : Date, value, "getTime"), value, []), again = +value;
    if (ms !== again && !(ms !== ms && again !== again)) replaced("Date.prototype.getTime");
    return ["date", ms !== ms ? null : ms];
  }
  function map(value) {
    const all = [];
    apply(method(typeof Map === "undefined" ? null : Map, value, "forEach"), value, [
      (item, key) => {
        add(all, key);
        add(all, item);
      }
    ]);
    return all.length === 2 * value.size ? ["map", all] : replaced("Map.prototype.forEach");
  }
  function set(value) {
    const all = [];
    apply(method(typeof Set === "undefined" ? null : Set, value, "forEach"), value, [
      (item) => {
        add(all, item);
      }
    ]);
    return all.length === value.size ? ["set", all] : replaced("Set.prototype.forEach");
  }
  const error = (value) => ["error", `${value.name}`, `${value.message}`, `${value.stack || ""}`];
  const KINDS = {
    __proto__: null,
    "[object Date]": date,
    "[object RegExp]": (value) => ["regexp", value.source, value.flags],
    "[object Map]": map,
    "[object Set]": set,
    "[object Error]": error,
    "[object DOMException]": error,
    "[object URL]": (value) => typeof value.href === "string" && !own(value).length ? ["url", value.href] : plain(value),
    "[object SharedArrayBuffer]": buffer,
    "[object ArrayBuffer]": buffer,
    "[object String]": boxed,
    "[object Number]": boxed,
    "[object Boolean]": boxed,
    "[object BigInt]": boxed,
    "[object DataView]": (value) => isView(value) ? view(value, "DataView") : null,
    "[object Window]": () => ["same", "ref: <Window>"]
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
    Float64Array: 1
  };
  for (const name in VIEWS)
    KINDS[`[object ${name}]`] = (value) => isView(value) ? view(value, name) : null;
  function isView(value) {
    const { isView: isView2 } = ArrayBuffer;
    if (!holds(() => isView2(new Uint8Array(1)) && !isView2({}))) replaced("ArrayBuffer.isView");
    return isView2(value);
  }
  function node(value) {
    try {
      return known(value) || plain(value);
    } catch (error2) {
      if (error2 === refusal) throw error2;
      return ["object", []];
    }
  }
  function known(value) {
    if (tellsArrays ? isArray(value) : tagOf(value) === "[object Array]") return list(value);
    const tag = tagOf(value);
    try {
      if (KINDS[tag]) return KINDS[tag](value);
      if (isNode(value, tag)) return ["same", value.nodeType === 9 ? "ref: <Document>" : "ref: <Node>"];
      return typeof Error === "function" && value instanceof Error ? error(value) : null;
    } catch (error2) {
      if (error2 === refusal) throw error2;
      return null;
    }
  }
  function isNode(value, tag) {
    if (tag === "[object Object]" && !("nodeType" in value)) return false;
    const { isSameNode } = document;
    const accepts = (other) => {
      try {
        return typeof apply(isSameNode, document, [other]) === "boolean";
      } catch {
        return false;
      }
    };
    if (!accepts(document) || accepts({})) replaced("Node.prototype.isSameNode");
    return accepts(value);
  }
  function list(value) {
    if (value.length > MAX_NODES) refuse(`the value holds an array of more than ${MAX_NODES} items`);
    const all = [];
    for (let at = 0; at < value.length; at++) all[at] = encoded(value[at]);
    return ["array", all];
  }
  function own(value) {
    const all = [];
    let copy;
    try {
      copy = { __proto__: null, ...value };
    } catch {
      return ownThatCanBeRead(value);
    }
    for (const key in copy) {
      all[all.length] = key;
      all[all.length] = copy[key];
    }
    return all;
  }
  function ownThatCanBeRead(value) {
    const { keys } = {}.constructor, all = [];
    if (!holds(() => keys({ a: 1, b: 2 }).length === 2 && keys({ a: 1 })[0] === "a")) replaced("Object.keys");
    const names = keys(value);
    for (let at = 0; at < names.length; at++) {
      let item;
      try {
        item = value[names[at]];
      } catch {
        continue;
      }
      all[all.length] = names[at];
      all[all.length] = item;
    }
    return all;
  }
  function plain(value) {
    const all = own(value);
    for (let at = 1; at < all.length; at += 2) all[at] = encoded(all[at]);
    if (!all.length && typeof value.toJSON === "function" && value.toJSON !== sharedToJson)
      return ["same", encoded(value.toJSON())];
    return ["object", all];
  }
  const whole = encoded(given);
  if (!nodes.length) return [["same", whole]];
  for (let at = 0; at < nodes.length; at++) nodes[at] = node(nodes[at]);
  return nodes;
}
return serialize;
})()
