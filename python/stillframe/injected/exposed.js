// Generated from js/src/page/exposed.ts by js/build.mjs.
(() => {
"use strict";
// src/page/exposed.ts
function expose(key, name) {
  const shared = [Object.prototype, Array.prototype];
  const { apply } = typeof Reflect === "object" ? Reflect : {};
  const applies = () => typeof apply === "function" && apply(
    function(one) {
      return this === shared && one === 1;
    },
    shared,
    [1]
  ) === true;
  const free = (method) => applies() ? (self, ...args) => apply(method, self, args) : Function.prototype.call.bind(method);
  const listen = free(EventTarget.prototype.addEventListener);
  const unlisten = free(EventTarget.prototype.removeEventListener);
  const send = free(EventTarget.prototype.dispatchEvent);
  const detailOf = free(Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail").get);
  const { parse = () => "", stringify = () => "" } = typeof JSON === "object" ? JSON : {};
  const { isArray } = Array;
  const exposed = globalThis;
  const OwnEvent = CustomEvent, OwnPromise = Promise, OwnError = Error;
  const target = performance, topic = `${key}call ${name}`;
  if (stringify("a") !== '"a"' || parse('"a"') !== "a") {
    exposed[name] = async () => {
      throw new OwnError(`the page has replaced JSON, so ${name} cannot be called; load the page again`);
    };
    return;
  }
  let taken = false;
  const onPresent = () => {
    taken = true;
  };
  listen(target, `${topic}!`, onPresent);
  send(target, new OwnEvent(`${topic}?`));
  unlisten(target, `${topic}!`, onPresent);
  if (taken) return;
  listen(target, `${topic}?`, () => send(target, new OwnEvent(`${topic}!`)));
  const isShared = (method) => method === shared[0].toJSON || method === shared[1].toJSON;
  const isTouched = () => shared[0].toJSON !== void 0 || shared[1].toJSON !== void 0;
  function text(value) {
    if (typeof value !== "object" || value === null) return stringify(value);
    const { toJSON } = value;
    if (typeof toJSON === "function" && !isShared(toJSON)) return text(value.toJSON());
    let all = "";
    if (isArray(value)) {
      for (let at = 0; at < value.length; at++) all += `${at ? "," : ""}${text(value[at]) || "null"}`;
      return `[${all}]`;
    }
    const own = { __proto__: null, ...value };
    for (const name2 in own) {
      const item = text(own[name2]);
      if (item !== void 0) all += `${all && ","}${stringify(name2)}:${item}`;
    }
    return `{${all}}`;
  }
  const waiting = { __proto__: null };
  let calls = 0;
  listen(target, topic, (event) => {
    const { id, value, error } = parse(detailOf(event));
    const call = waiting[id];
    if (!call) return;
    delete waiting[id];
    if (error === null) call.resolve(value);
    else call.reject(new OwnError(error));
  });
  exposed[name] = {
    [name]: (...args) => new OwnPromise((resolve, reject) => {
      const id = ++calls;
      const given = isTouched() ? text(args) : stringify(args);
      waiting[id] = { __proto__: null, resolve, reject };
      send(
        target,
        new OwnEvent(key, {
          __proto__: null,
          detail: `{"kind":"call","name":${stringify(name)},"id":${id},"args":${given}}`
        })
      );
    })
  }[name];
}
return expose;
})()
