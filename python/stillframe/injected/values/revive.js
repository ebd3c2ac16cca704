(nodes) => {
  // The way back: what `arguments_for` made of Python's values.
  const made = nodes.map(([kind]) => ({ array: [], object: {}, set: new Set() })[kind]);
  const value = (told) => {
    if (!Array.isArray(told)) return told;
    const [kind, text] = told;
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
