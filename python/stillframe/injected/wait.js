// Generated from js/src/values/wait.ts by js/build.mjs.
(() => {
"use strict";
// src/values/wait.ts
async function waitUntilTrue(read, given, stopped, clock, took) {
  let last, pending = false, over = false;
  const shown = () => pending ? "a promise that is pending" : typeof last === "string" ? '""' : typeof last === "bigint" ? "0n" : `${last}`;
  return await {
    then(fulfil, reject) {
      const end = (how, value) => {
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
    }
  };
}
return waitUntilTrue;
})()
