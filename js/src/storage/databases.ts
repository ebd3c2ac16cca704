// Reads and makes the databases of an origin: each is read, and made, in one transaction.

import { Refused, packed, reading, unpacked } from "./packing.ts";

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

export async function readDatabases() {
  const all = [];
  for (const { name } of await indexedDB.databases()) {
    const database = await opened(name);
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
async function opened(name) {
  const request = indexedDB.open(name);
  let isNew = false;
  request.onupgradeneeded = () => {
    isNew = true;
    request.transaction.abort();
  };
  try {
    return await done(request);
  } catch (error) {
    if (isNew) return null;
    throw error;
  }
}

async function readDatabase(database) {
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

async function readStore(database, store) {
  const [keys, values] = await Promise.all([done(store.getAllKeys()), done(store.getAll())]);
  return {
    name: store.name,
    ...pathOf(store),
    autoIncrement: store.autoIncrement,
    indexes: Array.from(store.indexNames, (name) => readIndex(store.index(name))),
    records: await Promise.all(keys.map((key, at) => readRecord(database, store, key, values[at]))),
  };
}

function readIndex(index) {
  return { name: index.name, ...pathOf(index), multiEntry: index.multiEntry, unique: index.unique };
}

const pathOf = ({ keyPath }) =>
  keyPath === null ? {} : typeof keyPath === "string" ? { keyPath } : { keyPathArray: [...keyPath] };

async function readRecord(database, store, key, value) {
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

export async function makeDatabases(databases) {
  for (const database of databases) {
    try {
      await makeDatabase(database);
    } catch (error) {
      throw new Error(`the database ${JSON.stringify(database.name)}: ${error.message}`);
    }
  }
}

async function makeDatabase({ name, version, stores }) {
  const request = indexedDB.open(name, version);
  let failure = null,
    isNew = false;
  const fail = (place, error) => {
    failure = failure || new Error(`${place}: ${error.message}`);
  };
  request.onupgradeneeded = () => {
    isNew = true;
    try {
      for (const store of stores) makeStore(request.result, store, fail);
    } catch (error) {
      fail("its stores", error);
    }
    if (failure) request.transaction.abort();
  };
  try {
    (await done(request)).close();
  } catch (error) {
    throw failure || error;
  }
  if (!isNew) throw new Error("a page has made it meanwhile; close the pages of the origin first");
}

function makeStore(database, { name, indexes, records, autoIncrement, ...paths }, fail) {
  const store = database.createObjectStore(name, { keyPath: pathIn(paths), autoIncrement });
  for (const { name, multiEntry, unique, ...paths } of indexes)
    store.createIndex(name, pathIn(paths), { multiEntry, unique });
  records.forEach((record, at) => {
    const place = `record ${at} of the store ${JSON.stringify(name)}`;
    try {
      const request = store.add(unpacked("value", record), unpacked("key", record));
      request.onerror = () => fail(place, request.error);
    } catch (error) {
      fail(place, error);
    }
  });
}

const pathIn = ({ keyPath, keyPathArray }) => keyPathArray || keyPath;
