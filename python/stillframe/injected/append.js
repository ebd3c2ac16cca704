// Generated from js/src/values/append.ts by js/build.mjs.
(() => {
"use strict";
// src/values/append.ts
function append(...more) {
  for (let at = 0; at < more.length; at++) this[this.length] = more[at];
}
return append;
})()
