// Returns what a crawl records of the document: its URL, title, text, and links in page order without fragments.
(maxText, maxLinks) => {
  const root = document.body || document.documentElement;
  const text = root ? root.innerText || root.textContent || "" : "";
  const links = new Set();
  for (const {protocol, href} of document.links) {
    if (protocol === "http:" || protocol === "https:") links.add(href.split("#", 1)[0]);
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
