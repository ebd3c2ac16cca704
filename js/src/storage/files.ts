// Reads and makes the private files of an origin; only secure contexts have some.

import { base64, bytesOf } from "./packing.ts";

export async function readFiles() {
  const { storage } = navigator;
  return storage && storage.getDirectory ? filesIn(await storage.getDirectory(), "") : [];
}

export type StoredFile = { path: string; type: "file" | "directory"; base64?: string };

async function filesIn(directory: FileSystemDirectoryHandle, within: string): Promise<StoredFile[]> {
  const all: StoredFile[] = [];
  for await (const [name, handle] of directory.entries()) {
    const path = within + name;
    if (handle.kind === "directory")
      all.push({ path, type: "directory" }, ...(await filesIn(handle as FileSystemDirectoryHandle, `${path}/`)));
    else
      all.push({
        path,
        type: "file",
        base64: base64(new Uint8Array(await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer())),
      });
  }
  return all.sort((one, other) => (one.path < other.path ? -1 : 1));
}

export async function makeFiles(entries: StoredFile[]): Promise<void> {
  for (const entry of entries) {
    try {
      await makeFile(await navigator.storage.getDirectory(), entry);
    } catch (error) {
      throw new Error(`the file ${JSON.stringify(entry.path)}: ${(error as Error).message}`);
    }
  }
}

async function makeFile(root: FileSystemDirectoryHandle, { path, type, base64 }: StoredFile) {
  const parts = path.split("/"),
    name = parts.pop()!;
  let directory = root;
  for (const part of parts) directory = await directory.getDirectoryHandle(part, { create: true });
  if (type === "directory") {
    await directory.getDirectoryHandle(name, { create: true });
    return;
  }
  const writable = await (await directory.getFileHandle(name, { create: true })).createWritable();
  await writable.write(bytesOf(base64!));
  await writable.close();
}
