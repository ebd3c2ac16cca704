// The whole storage of an origin, as JSON, which escapes halves of characters; the protocol would replace them.

import { makeDatabases, readDatabases } from "./databases.ts";
import type { StoredFile } from "./files.ts";
import { makeFiles, readFiles } from "./files.ts";
import { Refused } from "./packing.ts";

type State = {
  localStorage: { name: string; value: string }[];
  indexedDB?: Awaited<ReturnType<typeof readDatabases>>;
  opfs?: StoredFile[];
};

export async function readStorage({ databases, files }: { databases: boolean; files: boolean }): Promise<string> {
  // By number: an item with the name of a method is not a property.
  const names = Array.from({ length: localStorage.length }, (_, at) => localStorage.key(at)!);
  const state: State = { localStorage: names.map((name) => ({ name, value: localStorage.getItem(name)! })) };
  try {
    if (databases) state.indexedDB = await readDatabases();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return JSON.stringify({ refused: { ...error } });
  }
  if (files) state.opfs = await readFiles();
  return JSON.stringify({ state });
}

// Replaces the storage, once the caller has deleted databases and files; returns what the browser did not take.
export async function writeStorage(text: string): Promise<string | null> {
  const state: State = JSON.parse(text);
  localStorage.clear();
  for (const { name, value } of state.localStorage) localStorage.setItem(name, value);
  try {
    await makeDatabases(state.indexedDB || []);
    await makeFiles(state.opfs || []);
  } catch (error) {
    return (error as Error).message;
  }
  return null;
}
