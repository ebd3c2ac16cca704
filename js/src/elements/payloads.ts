// Files from memory: the browser takes only paths, so the page gets `File` objects that are made here.

const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

type Payload = { name: string; mimeType: string; buffer: string };

function fileOf({ name, mimeType, buffer }: Payload) {
  return new File([bytesOf(buffer)], name, { type: mimeType, lastModified: Date.now() });
}

// Sets the files of an input and tells the page, as the browser does after a person has chosen files.
export function setPayloads(input: HTMLInputElement, payloads: Payload[]) {
  const data = new DataTransfer();
  for (const payload of payloads) data.items.add(fileOf(payload));
  input.files = data.files;
  input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  input.dispatchEvent(new Event("change", { bubbles: true }));
}
