import assert from "node:assert/strict";
import { test } from "node:test";
import { compared, says, wantedOf } from "../src/elements/wanted.ts";
import { Prose, fold, inCase, visibleText } from "../src/elements/words.ts";

function prose(...texts: string[]): Prose {
  const made = new Prose();
  texts.forEach((text, i) => {
    made.starts[i] = made.length;
    made.say(text);
    made.ends[i] = made.length;
    made.gap = true;
  });
  return made;
}

const matching = (made: Prose, words: string, exact: boolean) => {
  const test = made.test(exact ? words : fold(words), exact);
  return made.starts.map((_, i) => i).filter(test);
};

test("folding keeps the length, so that places in a text stay", () => {
  assert.equal(fold("ÄPFEL"), "äpfel");
  assert.equal(fold("İstanbul").length, "İstanbul".length);
});

test("what nobody sees does not count", () => {
  assert.equal(visibleText("sil\u00adben\u200btren\ue000nung"), "silbentrennung");
});

test("text-transform changes letters", () => {
  assert.equal(inCase("to do", { textTransform: "uppercase" }), "TO DO");
  assert.equal(inCase("over the hill's edge", { textTransform: "capitalize" }), "Over The Hill's Edge");
  assert.equal(inCase("As Is", { textTransform: "none" }), "As Is");
});

test("prose finds the elements with a text, whole or in part", () => {
  const made = prose("Save all", "Save", "Unsaved", "save");
  assert.deepEqual(matching(made, "Save", true), [1]);
  assert.deepEqual(matching(made, "save", false), [0, 1, 2, 3]);
  assert.deepEqual(matching(made, "nothing", false), []);
});

test("white space between texts is one blank", () => {
  const made = prose("  two\n words ", "next");
  assert.equal(made.all(), "two words next");
  assert.equal(made.textOf(1), " next");
});

test("words that overlap themselves are found at every place", () => {
  const made = prose("aabaaabaaab");
  assert.deepEqual(matching(made, "aaab", false), [0]);
  assert.deepEqual(matching(prose("aab", "aaab"), "aaab", true), [1]);
});

test("a wanted text compares case only if it is exact", () => {
  assert.equal(compared("  Sign \u00adin ", true), "Sign in");
  assert.equal(compared("  Sign in ", false), "sign in");
  assert.ok(says("Sign in now", "sign IN", false));
  assert.ok(!says("Sign in now", "Sign in", true));
  assert.ok(!says(null, "Sign in", false));
});

test("a pattern is looked for in each part between walls", () => {
  const wanted = wantedOf({ text: "", exact: false, pattern: ["^b$", "i"] });
  const made = prose("a");
  made.put("\0");
  made.say("B");
  made.ends[0] = made.length;
  assert.ok(wanted.testOf(made)(0));
  assert.ok(wanted.says("B"));
  assert.ok(!wanted.says("ab"));
});
