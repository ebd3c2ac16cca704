// Generated from js/src/page/page_errors.ts by js/build.mjs.
(() => {
"use strict";
// src/page/page_errors.ts
function reportErrors(key) {
  const free = (method) => Function.prototype.call.bind(method);
  const listen = free(EventTarget.prototype.addEventListener);
  const unlisten = free(EventTarget.prototype.removeEventListener);
  const send = free(EventTarget.prototype.dispatchEvent);
  const describe = Object.getOwnPropertyDescriptor;
  const { apply } = Reflect;
  const OwnEvent = CustomEvent, OwnError = Error, quote = JSON.stringify, text = String;
  const target = performance, page = globalThis;
  const getter = (type, name) => free(describe(type.prototype, name).get);
  const messageOf = getter(ErrorEvent, "message"), fileOf = getter(ErrorEvent, "filename");
  const lineOf = getter(ErrorEvent, "lineno"), columnOf = getter(ErrorEvent, "colno"), errorOf = getter(ErrorEvent, "error");
  const reasonOf = getter(PromiseRejectionEvent, "reason");
  const ownStack = describe(new OwnError(), "stack").get;
  let taken = false;
  const onPresent = () => {
    taken = true;
  };
  listen(target, `${key}errors!`, onPresent);
  send(target, new OwnEvent(`${key}errors?`));
  unlisten(target, `${key}errors!`, onPresent);
  if (taken) return;
  function stackOf(error) {
    if (typeof error !== "object" || error === null || describe(OwnError, "prepareStackTrace")) return "";
    const found = describe(error, "stack");
    if (!found) return "";
    if (typeof found.value === "string") return found.value;
    return found.get && found.get === ownStack ? text(apply(ownStack, error, [])) : "";
  }
  function plain(reason) {
    if (typeof reason === "function") return "a function";
    if (typeof reason !== "object" || reason === null) return text(reason);
    const own = describe(reason, "message");
    return own && typeof own.value === "string" ? own.value : "an object";
  }
  function tell(message, stack, url, line, column) {
    send(
      target,
      new OwnEvent(key, {
        __proto__: null,
        detail: quote({ __proto__: null, kind: "error", message, stack, url, line, column })
      })
    );
  }
  const failed = (event) => {
    try {
      const [line, column] = [lineOf(event), columnOf(event)];
      tell(messageOf(event), stackOf(errorOf(event)), fileOf(event), line, column);
    } catch {
    }
  };
  const rejected = (event) => {
    try {
      const reason = reasonOf(event);
      tell(plain(reason), stackOf(reason), "", 0, 0);
    } catch {
    }
  };
  const present = () => send(target, new OwnEvent(`${key}errors!`));
  const stop = () => {
    unlisten(page, "error", failed);
    unlisten(page, "unhandledrejection", rejected);
    unlisten(target, `${key}errors?`, present);
    unlisten(target, `${key}errors-`, stop);
  };
  listen(page, "error", failed);
  listen(page, "unhandledrejection", rejected);
  listen(target, `${key}errors?`, present);
  listen(target, `${key}errors-`, stop);
}
return reportErrors;
})()
