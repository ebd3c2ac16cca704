// Returns what the document asks of crawlers, and where it leads without a link: the contents of `<meta name=robots>`,
// the URL that it calls its own, that of a refresh, and the links that have `rel=nofollow` wherever they stand.
export function directives() {
  const contents = (selector: string) =>
    [...document.querySelectorAll<HTMLMetaElement>(selector)].map(({ content }) => content);
  const resolved = (url: string) => Object.assign(document.createElement("a"), { href: url }).href;
  // The HTML standard, "shared declarative refresh steps": seconds, then the URL with or without `url=` and quotes.
  const refresh = contents("meta[http-equiv=refresh i]")
    .map((content) => /^\s*[\d.]+[\s;,]+(?:url\s*=\s*|(?!url\s*=))(?:"([^"]*)|'([^']*)|([^"'].*))/is.exec(content))
    .map((found) => found && (found.slice(1).find(Boolean) || "").trim())
    .find(Boolean);
  const canonical = document.querySelector<HTMLLinkElement>("link[rel~=canonical i][href]");
  const isHtml = (link: Element) => link instanceof HTMLElement; // a link of SVG has no text in `href`
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href], area[href]")].filter(isHtml);
  const isMarked = ({ rel }: HTMLAnchorElement) => /(^|\s)nofollow(\s|$)/i.test(rel);
  const plain = new Set(links.filter((link) => !isMarked(link)).map(({ href }) => href));
  return {
    robots: contents("meta[name=robots i]"),
    canonical: canonical && resolved(canonical.getAttribute("href") || ""),
    refresh: refresh ? resolved(refresh) : null,
    nofollow: links.map(({ href }) => href).filter((href) => !plain.has(href)),
  };
}
