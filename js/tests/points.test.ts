import assert from "node:assert/strict";
import { test } from "node:test";
import { meetOf } from "../src/elements/in_view.ts";

const box = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });

test("two boxes meet in what both cover", () => {
  assert.deepEqual(meetOf(box(0, 0, 10, 10), box(5, -5, 20, 5)), box(5, 0, 10, 5));
});

test("boxes that do not meet leave a box without an area", () => {
  const { left, right } = meetOf(box(0, 0, 10, 10), box(20, 0, 30, 10));
  assert.ok(right < left);
});
