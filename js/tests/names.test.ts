import assert from "node:assert/strict";
import { test } from "node:test";
import { run, tidy, tidyContent } from "../src/elements/names.ts";
import { roleFacts } from "../src/elements/roles.ts";
import type { Computing } from "../src/elements/types.ts";

test("a name has single blanks and none at its ends", () => {
  assert.equal(tidy(" Save\n\tall  "), "Save all");
  assert.equal(tidy("\u00a0Save"), "\u00a0Save");
});

test("no-break spaces count inside a name and not at the ends of a content", () => {
  assert.equal(tidyContent("\u00a0 Save\u00a0all \u00a0"), "Save\u00a0all");
  assert.equal(tidyContent("\u00a0"), "");
});

test("steps of a computation run on a stack of their own, however deep they are", () => {
  function* depth(left: number): Computing<number> {
    return left ? 1 + ((yield depth(left - 1)) as number) : 0;
  }
  assert.equal(run(depth(100000)), 100000);
});

test("the core's table says what a role is", () => {
  assert.equal(roleFacts("button").control, true);
  assert.equal(roleFacts("no such role").control, undefined);
});
