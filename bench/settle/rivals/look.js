(() => {
  // Everything of a document that a reader could get, with what innerText lacks: shadow roots, values and labels.
  const told = [document.title, document.body ? document.body.innerText : ""];
  const walk = (root, shadow) => {
    for (const node of root.childNodes) {
      if (node.nodeType === 3 && shadow) told.push(node.data.trim());
      if (node.nodeType !== 1 || ["SCRIPT", "STYLE", "TEMPLATE", "NOSCRIPT"].includes(node.tagName)) continue;
      if (typeof node.value === "string") told.push(node.value);
      for (const name of ["aria-label", "alt", "title", "placeholder"]) told.push(node.getAttribute(name));
      if (node.shadowRoot) walk(node.shadowRoot, true);
      walk(node, shadow);
    }
  };
  if (document.documentElement) walk(document.documentElement, false);
  return told.filter(Boolean).join("\n");
})()
