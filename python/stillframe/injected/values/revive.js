(nodes) => {
  // Decodes what `javascript.nodes_of` encoded from Python values.
  const made = nodes.map(([kind]) => ({ array: [], object: {}, set: new Set() })[kind]);
  const value = (encoded) => {
    if (!Array.isArray(encoded)) return encoded;
    const [kind, text] = encoded;
    return typeof kind === "number" ? made[kind] : kind === "bigint" ? BigInt(text) : Number(text);
  };
  nodes.forEach(([kind, content], at) => {
    if (kind === "date") made[at] = new Date(content);
    if (kind === "bytes") made[at] = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  });
  nodes.forEach(([kind, content], at) => {
    if (kind === "array") content.forEach((item) => made[at].push(value(item)));
    if (kind === "set") content.forEach((item) => made[at].add(value(item)));
    if (kind === "object") {
      for (let i = 0; i < content.length; i += 2) Object.defineProperty(made[at], content[i], { value: value(content[i + 1]), writable: true, enumerable: true, configurable: true });
    }
  });
  return made[0];
}
