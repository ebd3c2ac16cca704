// Exposes a Python function in the main world; it returns a promise of the function's result. It captures what it needs
// before the page's first script, and texts of JSON are free of what the page gives to the prototypes that all share.
export default function expose(key: string, name: string) {
  type ToJson = { toJSON?: () => unknown };
  const shared = [Object.prototype, Array.prototype] as ToJson[];
  const { apply } = (typeof Reflect === "object" ? Reflect : {}) as Partial<typeof Reflect>;
  const applies = () =>
    typeof apply === "function" &&
    apply(
      function (this: unknown, one: unknown) {
        return this === shared && one === 1;
      },
      shared,
      [1],
    ) === true;
  type Method = (...args: never[]) => unknown;
  type Free = (self: unknown, ...args: unknown[]) => unknown;
  const free = (method: Method): Free =>
    applies()
      ? (self, ...args) => apply!(method as Free, self, args)
      : (Function.prototype.call.bind(method as () => unknown) as Free);
  const listen = free(EventTarget.prototype.addEventListener);
  const unlisten = free(EventTarget.prototype.removeEventListener);
  const send = free(EventTarget.prototype.dispatchEvent);
  const detailOf = free(Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail")!.get!);
  const { parse = () => "", stringify = () => "" } = (typeof JSON === "object" ? JSON : {}) as Partial<JSON>;
  const { isArray } = Array;
  const exposed = globalThis as unknown as Record<string, unknown>;
  const OwnEvent = CustomEvent,
    OwnPromise = Promise,
    OwnError = Error;
  const target = performance,
    topic = `${key}call ${name}`;

  // A page that was there before may have replaced JSON.
  if (stringify("a") !== '"a"' || parse('"a"') !== "a") {
    exposed[name] = async () => {
      throw new OwnError(`the page has replaced JSON, so ${name} cannot be called; load the page again`);
    };
    return;
  }

  // The next document may reuse the window of this one.
  let taken = false;
  const onPresent = () => {
    taken = true;
  };
  listen(target, `${topic}!`, onPresent);
  send(target, new OwnEvent(`${topic}?`));
  unlisten(target, `${topic}!`, onPresent);
  if (taken) return;
  listen(target, `${topic}?`, () => send(target, new OwnEvent(`${topic}!`)));

  // Libraries and pages put a toJSON on the prototypes that all objects share: JSON.stringify would ask it.
  const isShared = (method: unknown) => method === shared[0].toJSON || method === shared[1].toJSON;
  const isTouched = () => shared[0].toJSON !== undefined || shared[1].toJSON !== undefined;

  function text(value: unknown): string | undefined {
    if (typeof value !== "object" || value === null) return stringify(value);
    const { toJSON } = value as ToJson;
    if (typeof toJSON === "function" && !isShared(toJSON)) return text((value as Required<ToJson>).toJSON());
    let all = "";
    if (isArray(value)) {
      for (let at = 0; at < value.length; at++) all += `${at ? "," : ""}${text(value[at]) || "null"}`;
      return `[${all}]`;
    }
    const own = { __proto__: null, ...value } as Record<string, unknown>;
    for (const name in own) {
      const item = text(own[name]);
      if (item !== undefined) all += `${all && ","}${stringify(name)}:${item}`;
    }
    return `{${all}}`;
  }

  type Call = { resolve: (value: unknown) => void; reject: (reason: Error) => void };
  const waiting = { __proto__: null } as unknown as Record<number, Call>;
  let calls = 0;
  listen(target, topic, (event: CustomEvent<string>) => {
    const { id, value, error } = parse(detailOf(event) as string) as {
      id: number;
      value: unknown;
      error: string | null;
    };
    const call = waiting[id];
    if (!call) return;
    delete waiting[id];
    if (error === null) call.resolve(value);
    else call.reject(new OwnError(error));
  });
  exposed[name] = {
    [name]: (...args: unknown[]) =>
      new OwnPromise((resolve, reject) => {
        const id = ++calls;
        const given = isTouched() ? text(args) : stringify(args);
        waiting[id] = { __proto__: null, resolve, reject } as Call;
        send(
          target,
          new OwnEvent(key, {
            __proto__: null,
            detail: `{"kind":"call","name":${stringify(name)},"id":${id},"args":${given}}`,
          } as CustomEventInit),
        );
      }),
  }[name];
}
