// The localStorage and the sessionStorage of the document, without a script of the page.

const METHODS: Record<string, (storage: Storage, ...texts: string[]) => unknown> = {
  // By number: an item with the name of a method is not a property.
  items: (storage) =>
    Array.from({ length: storage.length }, (_, at) => storage.key(at)!).map((name) => ({
      name,
      value: storage.getItem(name),
    })),
  get: (storage, name) => storage.getItem(name),
  set: (storage, name, value) => storage.setItem(name, value),
  remove: (storage, name) => storage.removeItem(name),
  clear: (storage) => storage.clear(),
};

// As JSON both ways, which escapes halves of characters; the protocol would replace them.
export function webStorage(kind: string, method: string, given: string): string | undefined {
  const storage = kind === "localStorage" ? localStorage : sessionStorage;
  return JSON.stringify(METHODS[method](storage, ...JSON.parse(given)));
}
