// Generated from js/src/page/console.ts by js/build.mjs.
(() => {
"use strict";
// src/page/console.ts
function keepLogged(key, debug, undebug) {
  const KEPT = 64;
  const METHODS = ["log", "info", "debug", "warn", "error", "dir", "table", "trace"];
  const home = Object.getPrototypeOf(async function* () {
  });
  if (key in home) return;
  if (typeof debug !== "function" || !`${debug}`.endsWith("{ [native code] }") || !Error.isError) return;
  const { isError } = Error;
  const say = console.debug;
  const realm = Math.random();
  const kept = { __proto__: null };
  let count = 0;
  const isShown = (value) => typeof value === "object" && value !== null && !isError(value);
  const take = (args, from) => {
    for (let index = from; index < args.length; index += 1) {
      if (!isShown(args[index])) continue;
      kept[count] = args;
      delete kept[count - KEPT];
      say(`${key} ${realm},${count},${from},${args.length}`);
      count += 1;
      return;
    }
  };
  const give = (of, number, index) => {
    if (of !== realm) throw "the arguments of another document";
    const args = kept[number];
    if (index === args.length - 1) delete kept[number];
    return args[index];
  };
  const methods = METHODS.map((name) => console[name]);
  const { assert } = console;
  const stop = () => {
    for (const method of [...methods, assert]) undebug(method);
    delete home[key];
  };
  Object.defineProperty(home, key, {
    value: { __proto__: null, realm: `${realm}`, take, give, stop },
    configurable: true
  });
  const held = `(async function*() {}).${key}`;
  for (const method of methods) debug(method, `${held}.take(arguments, 0), false`);
  debug(assert, `arguments[0] || ${held}.take(arguments, 1), false`);
}
return keepLogged;
})()
