// Returns what a crawl records of the document: its URL, title, text, and links in page order. Of fragments, only those
// stay that are routes of an application, as `#/guide` and `#!guide`. What open shadow trees hold comes last.
export default function content(maxText: number, maxLinks: number) {
  const isRoute = (fragment: string) => /^[/!]+[^/!]/.test(fragment) && document.getElementById(fragment) === null;
  const pageOf = (href: string) => {
    const at = href.indexOf("#");
    return at < 0 || isRoute(href.slice(at + 1)) ? href : href.slice(0, at);
  };
  const shadows = (root: Document | ShadowRoot): ShadowRoot[] =>
    [...root.querySelectorAll("*")].flatMap(({ shadowRoot }) =>
      shadowRoot ? [shadowRoot, ...shadows(shadowRoot)] : [],
    );
  const parentOf = (node: Element): Element =>
    node.assignedSlot || node.parentElement || (node.getRootNode() as ShadowRoot).host;
  // An element with `display: contents` is not visible itself, and what it holds is if its parent is.
  const isShown = (node: Element): boolean =>
    node.getClientRects().length > 0 || (getComputedStyle(node).display === "contents" && isShown(parentOf(node)));
  // innerText is the whole source of what is not shown, styles included.
  const isText = (node: Node): node is Text => node.nodeType === Node.TEXT_NODE;
  const textOf = (node: Node): string => {
    if (isText(node)) return node.data;
    const { innerText } = node as HTMLElement;
    return innerText && isShown(node as Element) ? innerText : "";
  };
  const root = document.body || document.documentElement;
  const trees = shadows(document);
  const texts = trees.filter(({ host }) => isShown(host)).flatMap((tree) => [...tree.childNodes].map(textOf));
  const text = [root ? root.innerText || root.textContent || "" : "", ...texts.filter((each) => each.trim())].join(
    "\n",
  );
  const links = new Set<string>();
  const listed = [
    ...document.links,
    ...trees.flatMap((tree) => [...tree.querySelectorAll<HTMLAnchorElement>("a[href], area[href]")]),
  ];
  for (const { protocol, href } of listed) {
    if (protocol === "http:" || protocol === "https:") links.add(pageOf(href));
    if (links.size > maxLinks) break;
  }
  return {
    url: location.href,
    title: document.title || "",
    text: text.slice(0, maxText),
    links: [...links].slice(0, maxLinks),
    textTruncated: text.length > maxText,
    linksTruncated: links.size > maxLinks,
  };
}
