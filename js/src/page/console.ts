// Keeps the objects that a page logs until Python reads them. Runs in the main world or in a worker, before the page's
// own scripts and with the command line API, whose `debug` sets breakpoints. Their conditions are false, so nothing
// pauses.
// Sets a breakpoint in each call of a function; its condition is JavaScript.
type Breakpoint = (method: unknown, condition: string) => void;

export default function keepLogged(key: string, debug: Breakpoint, undebug: (method: unknown) => void) {
  const KEPT = 64; // calls whose arguments wait to be read
  const METHODS = ["log", "info", "debug", "warn", "error", "dir", "table", "trace"];
  // What the conditions reach: the prototype of a kind of functions that hardly any page uses. It outlives a document
  // that leaves its global object to the next one.
  const home = Object.getPrototypeOf(async function* () {});
  if (key in home) return;
  // A page may have a function of this name if its document is there already; that of the API is native.
  if (typeof debug !== "function" || !`${debug}`.endsWith("{ [native code] }") || !Error.isError) return;
  const { isError } = Error;
  const say = console.debug;
  const realm = Math.random();
  const kept: Record<number, ArrayLike<unknown>> = { __proto__: null } as never;
  let count = 0;
  // An error is described by its stack and its name, which a page would see being read.
  const isShown = (value: unknown) => typeof value === "object" && value !== null && !isError(value);
  const take = (args: ArrayLike<unknown>, from: number) => {
    for (let index = from; index < args.length; index += 1) {
      if (!isShown(args[index])) continue;
      kept[count] = args;
      delete kept[count - KEPT];
      say(`${key} ${realm},${count},${from},${args.length}`);
      count += 1;
      return;
    }
  };
  const give = (of: number, number: number, index: number) => {
    if (of !== realm) throw "the arguments of another document";
    const args = kept[number];
    if (index === args.length - 1) delete kept[number];
    return args[index];
  };
  const methods = METHODS.map((name) => (console as unknown as Record<string, unknown>)[name]);
  const { assert } = console;
  const stop = () => {
    for (const method of [...methods, assert]) undebug(method);
    delete home[key];
  };
  Object.defineProperty(home, key, {
    value: { __proto__: null, realm: `${realm}`, take, give, stop },
    configurable: true,
  });
  const held = `(async function*() {}).${key}`;
  for (const method of methods) debug(method, `${held}.take(arguments, 0), false`);
  debug(assert, `arguments[0] || ${held}.take(arguments, 1), false`);
}
