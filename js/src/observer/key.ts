// The type of the events that the two worlds of a document use; the bundle is a function that takes it (build.mjs).
declare const given: string;

export const key = given;
