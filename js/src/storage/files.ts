// Reads and makes the private files of an origin; only secure contexts have some.

import { base64, bytesOf } from "./packing.ts";

export async function readFiles() {
  const { storage } = navigator;
  return storage && storage.getDirectory ? filesIn(await storage.getDirectory(), "") : [];
}

async function filesIn(directory, within) {
  const all = [];
  for await (const [name, handle] of directory.entries()) {
    const path = within + name;
    if (handle.kind === "directory") all.push({ path, type: "directory" }, ...(await filesIn(handle, `${path}/`)));
    else
      all.push({
        path,
        type: "file",
        base64: base64(new Uint8Array(await (await handle.getFile()).arrayBuffer())),
      });
  }
  return all.sort((one, other) => (one.path < other.path ? -1 : 1));
}

export async function makeFiles(entries) {
  for (const entry of entries) {
    try {
      await makeFile(await navigator.storage.getDirectory(), entry);
    } catch (error) {
      throw new Error(`the file ${JSON.stringify(entry.path)}: ${error.message}`);
    }
  }
}

async function makeFile(root, { path, type, base64 }) {
  const parts = path.split("/"),
    name = parts.pop();
  let directory = root;
  for (const part of parts) directory = await directory.getDirectoryHandle(part, { create: true });
  if (type === "directory") {
    await directory.getDirectoryHandle(name, { create: true });
    return;
  }
  const writable = await (await directory.getFileHandle(name, { create: true })).createWritable();
  await writable.write(bytesOf(base64));
  await writable.close();
}
