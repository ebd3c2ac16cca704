// Reads and makes the databases of an origin: each is read, and made, in one transaction.

import { Refused, packed, reading, unpacked } from "./packing.ts";

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

// A path in one of two forms, so that JSON tells a list from a text.
type Paths = { keyPath?: string; keyPathArray?: string[] };
type StoredIndex = Paths & { name: string; multiEntry: boolean; unique: boolean };
type StoredRecord = Record<string, unknown>;
type StoredStore = Paths & { name: string; autoIncrement: boolean; indexes: StoredIndex[]; records: StoredRecord[] };
export type StoredDatabase = { name: string; version: number; stores: StoredStore[] };
type Fail = (place: string, error: { message: string }) => void;

export async function readDatabases(): Promise<StoredDatabase[]> {
  const all: StoredDatabase[] = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await opened(name!);
    if (database === null) continue;
    try {
      all.push(await readDatabase(database));
    } finally {
      database.close();
    }
  }
  return all;
}

// Returns null for a database that was deleted meanwhile: to open it would make it again.
async function opened(name: string): Promise<IDBDatabase | null> {
  const request = indexedDB.open(name);
  let isNew = false;
  request.onupgradeneeded = () => {
    isNew = true;
    request.transaction!.abort();
  };
  try {
    return await done(request);
  } catch (error) {
    if (isNew) return null;
    throw error;
  }
}

async function readDatabase(database: IDBDatabase): Promise<StoredDatabase> {
  const { name, version } = database,
    names = [...database.objectStoreNames];
  if (!names.length) return { name, version, stores: [] };
  const transaction = database.transaction(names, "readonly");
  return {
    name,
    version,
    stores: await Promise.all(names.map((store) => readStore(name, transaction.objectStore(store)))),
  };
}

async function readStore(database: string, store: IDBObjectStore): Promise<StoredStore> {
  const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
  return {
    name: store.name,
    ...pathOf(store),
    autoIncrement: store.autoIncrement,
    indexes: Array.from(store.indexNames, (name) => readIndex(store.index(name))),
    records: await Promise.all(keys.map((key, at) => readRecord(database, store, key, values[at]))),
  };
}

function readIndex(index: IDBIndex): StoredIndex {
  return { name: index.name, ...pathOf(index), multiEntry: index.multiEntry, unique: index.unique };
}

const pathOf = ({ keyPath }: { keyPath: string | string[] | null }): Paths =>
  keyPath === null ? {} : typeof keyPath === "string" ? { keyPath } : { keyPathArray: [...keyPath] };

async function readRecord(
  database: string,
  store: IDBObjectStore,
  key: IDBValidKey,
  value: unknown,
): Promise<StoredRecord> {
  try {
    const parts = store.keyPath === null ? [packed("key", key), packed("value", value)] : [packed("value", value)];
    await Promise.all(reading.splice(0));
    return Object.fromEntries(parts);
  } catch (error) {
    if (error instanceof Refused)
      Object.assign(error, { database, store: store.name, key: JSON.stringify(packed("key", key)[1]) });
    throw error;
  }
}

export async function makeDatabases(databases: StoredDatabase[]): Promise<void> {
  for (const database of databases) {
    try {
      await makeDatabase(database);
    } catch (error) {
      throw new Error(`the database ${JSON.stringify(database.name)}: ${(error as Error).message}`);
    }
  }
}

async function makeDatabase({ name, version, stores }: StoredDatabase): Promise<void> {
  const request = indexedDB.open(name, version);
  let failure: Error | null = null,
    isNew = false;
  const fail: Fail = (place, error) => {
    failure = failure || new Error(`${place}: ${error.message}`);
  };
  request.onupgradeneeded = () => {
    isNew = true;
    try {
      for (const store of stores) makeStore(request.result, store, fail);
    } catch (error) {
      fail("its stores", error as Error);
    }
    if (failure) request.transaction!.abort();
  };
  try {
    (await done(request)).close();
  } catch (error) {
    throw failure || error;
  }
  if (!isNew) throw new Error("a page has made it meanwhile; close the pages of the origin first");
}

function makeStore(database: IDBDatabase, stored: StoredStore, fail: Fail): void {
  const { name, indexes, records, autoIncrement, ...paths } = stored;
  const store = database.createObjectStore(name, { keyPath: pathIn(paths), autoIncrement });
  for (const { name, multiEntry, unique, ...paths } of indexes)
    store.createIndex(name, pathIn(paths), { multiEntry, unique });
  records.forEach((record, at) => {
    const place = `record ${at} of the store ${JSON.stringify(name)}`;
    try {
      const request = store.add(unpacked("value", record), unpacked("key", record) as IDBValidKey);
      request.onerror = () => fail(place, request.error!);
    } catch (error) {
      fail(place, error as Error);
    }
  });
}

const pathIn = ({ keyPath, keyPathArray }: Paths): string | string[] => keyPathArray || keyPath!;
