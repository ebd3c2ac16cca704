// What several parts of the observer read and set.

export const shared = {
  // how many changes this document has had, noise included: see page_version.ts
  changes: 0,
  // the last change of all
  mutatedAt: -Infinity,
  // the last change, except those of `loneChange`
  movedAt: -Infinity,
  // no actions run
  learning: true,
  // controls that were disabled since armed
  disabledSince: new WeakSet(),
  // when the first fence of the wait began: a scroll that was asked for before is done
  awaitedFrom: -Infinity,
  // how many messages were announced since armed
  announcedMessages: 0,
  // whether there is an element with ElementInternals: see internals.ts
  anyInternals: false,
};
