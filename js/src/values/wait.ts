// Runs in the page's own world, on a function that reads the condition again. It has no timers: `clock` is a node outside
// of the document on which the isolated world ticks (`ticks.ts`). The page may have replaced Promise, so what is awaited
// is an object with the one method that a promise needs. `took` is the error of a script that takes no argument though it
// is given one.
export default async function waitUntilTrue(
  read: () => unknown,
  given: unknown[],
  stopped: string,
  clock: EventTarget,
  took: string,
) {
  let last: unknown,
    pending = false,
    over = false;

  const shown = () =>
    pending
      ? "a promise that is pending"
      : typeof last === "string"
        ? '""'
        : typeof last === "bigint"
          ? "0n"
          : `${last}`;

  return await {
    then(fulfil: (value: unknown) => void, reject: (reason: unknown) => void) {
      const end = (how: (value: unknown) => void, value: unknown) => {
        if (over) return;
        over = true;
        clock.removeEventListener("tick", look);
        how(value);
      };
      async function look() {
        if (pending || over) return;
        pending = true;
        try {
          let value = read();
          if (typeof value === "function") value = value(given[0]);
          else if (took) throw new TypeError(took);
          last = await value;
        } catch (error) {
          end(reject, error);
          return;
        }
        pending = false;
        if (last) end(fulfil, last);
      }
      clock.addEventListener("tick", look);
      clock.addEventListener("stop", () => end(reject, stopped + shown()));
      look();
    },
  };
}
