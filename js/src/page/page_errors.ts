// Reports uncaught errors. Runs in the main world before the page's first script: error events are not
// dispatched to listeners of other worlds. It captures what it needs, leaves no global and calls no code of the page.
export default function reportErrors(key: string) {
  type Free = (self: unknown, ...args: unknown[]) => unknown;
  const free = (method: unknown) => Function.prototype.call.bind(method as () => unknown) as Free;
  const listen = free(EventTarget.prototype.addEventListener);
  const unlisten = free(EventTarget.prototype.removeEventListener);
  const send = free(EventTarget.prototype.dispatchEvent);
  const describe = Object.getOwnPropertyDescriptor;
  const { apply } = Reflect;
  const OwnEvent = CustomEvent,
    OwnError = Error,
    quote = JSON.stringify,
    text = String;
  const target = performance,
    page = globalThis;
  const getter = (type: { prototype: object }, name: string) => free(describe(type.prototype, name)!.get);
  const messageOf = getter(ErrorEvent, "message"),
    fileOf = getter(ErrorEvent, "filename");
  const lineOf = getter(ErrorEvent, "lineno"),
    columnOf = getter(ErrorEvent, "colno"),
    errorOf = getter(ErrorEvent, "error");
  const reasonOf = getter(PromiseRejectionEvent, "reason");
  const ownStack = describe(new OwnError(), "stack")!.get!;

  // The next document may reuse the window of this one: the first run of this script stays active.
  let taken = false;
  const onPresent = () => {
    taken = true;
  };
  listen(target, `${key}errors!`, onPresent);
  send(target, new OwnEvent(`${key}errors?`));
  unlisten(target, `${key}errors!`, onPresent);
  if (taken) return;

  // A page that formats stacks itself would notice the read.
  function stackOf(error: unknown) {
    if (typeof error !== "object" || error === null || describe(OwnError, "prepareStackTrace")) return "";
    const found = describe(error, "stack");
    if (!found) return "";
    if (typeof found.value === "string") return found.value;
    return found.get && found.get === ownStack ? text(apply(ownStack, error, [])) : "";
  }

  function plain(reason: unknown) {
    if (typeof reason === "function") return "a function";
    if (typeof reason !== "object" || reason === null) return text(reason);
    const own = describe(reason, "message");
    return own && typeof own.value === "string" ? own.value : "an object";
  }

  function tell(message: string, stack: string, url: string, line: number, column: number) {
    send(
      target,
      new OwnEvent(key, {
        __proto__: null,
        detail: quote({ __proto__: null, kind: "error", message, stack, url, line, column }),
      } as CustomEventInit),
    );
  }

  const failed = (event: Event) => {
    try {
      const [line, column] = [lineOf(event), columnOf(event)] as number[];
      tell(messageOf(event) as string, stackOf(errorOf(event)), fileOf(event) as string, line, column);
    } catch {
      // Another event of the same type, such as an image that fails to load.
    }
  };
  const rejected = (event: Event) => {
    try {
      const reason = reasonOf(event);
      tell(plain(reason), stackOf(reason), "", 0, 0);
    } catch {
      // An event that the page created itself.
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
