// Returns the base URL of the document, and one attribute of each element that matches a CSS selector, in page order;
// those in open shadow trees come last.
export default function attributes(selector: string, attribute: string) {
  const trees = (root: Document | ShadowRoot): (Document | ShadowRoot)[] => [
    root,
    ...[...root.querySelectorAll("*")].flatMap(({ shadowRoot }) => (shadowRoot ? trees(shadowRoot) : [])),
  ];
  const found = trees(document).flatMap((tree: Document | ShadowRoot) => [...tree.querySelectorAll(selector)]);
  return { base: document.baseURI, values: found.map((element: Element) => element.getAttribute(attribute)) };
}
