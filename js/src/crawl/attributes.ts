// Returns the base URL of the document, and one attribute of each element that matches a CSS selector, in page order;
// those in open shadow trees come last.
export default function attributes(selector, attribute) {
  const trees = (root) => [
    root,
    ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? trees(shadowRoot) : [])),
  ];
  const found = trees(document).flatMap((tree) => [...tree.querySelectorAll(selector)]);
  return { base: document.baseURI, values: found.map((element) => element.getAttribute(attribute)) };
}
