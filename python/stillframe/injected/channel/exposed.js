// Exposes a Python function in the main world; it returns a promise of the function's result.
((key, name) => {
  "use strict";
  const free = (method) => Function.prototype.call.bind(method);
  const listen = free(EventTarget.prototype.addEventListener);
  const unlisten = free(EventTarget.prototype.removeEventListener);
  const send = free(EventTarget.prototype.dispatchEvent);
  const detailOf = free(Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail").get);
  const { parse, stringify } = JSON;
  const OwnEvent = CustomEvent, OwnPromise = Promise, OwnError = Error;
  const target = performance, topic = `${key}call ${name}`;

  // The next document may reuse the window of this one.
  let taken = false;
  const onPresent = () => { taken = true; };
  listen(target, `${topic}!`, onPresent);
  send(target, new OwnEvent(`${topic}?`));
  unlisten(target, `${topic}!`, onPresent);
  if (taken) return;
  listen(target, `${topic}?`, () => send(target, new OwnEvent(`${topic}!`)));

  const waiting = { __proto__: null };
  let calls = 0;
  listen(target, topic, (event) => {
    const { id, value, error } = parse(detailOf(event));
    const call = waiting[id];
    if (!call) return;
    delete waiting[id];
    if (error === undefined) call.resolve(value);
    else call.reject(new OwnError(error));
  });
  globalThis[name] = { [name]: (...args) => new OwnPromise((resolve, reject) => {
    const id = ++calls;
    const detail = stringify({ kind: "call", name, id, args });
    waiting[id] = { resolve, reject };
    send(target, new OwnEvent(key, { detail }));
  }) }[name];
})
