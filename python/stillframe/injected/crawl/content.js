// Returns what a crawl records of the document: its URL, title, text, and links in page order. Of fragments, only those
// stay that are routes of an application, as `#/guide` and `#!guide`.
(maxText, maxLinks) => {
  const isRoute = fragment => /^[/!]+[^/!]/.test(fragment) && document.getElementById(fragment) === null;
  const pageOf = href => {
    const at = href.indexOf("#");
    return at < 0 || isRoute(href.slice(at + 1)) ? href : href.slice(0, at);
  };
  const root = document.body || document.documentElement;
  const text = root ? root.innerText || root.textContent || "" : "";
  const links = new Set();
  for (const {protocol, href} of document.links) {
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
