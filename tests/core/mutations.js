// Changes the page it runs in at random, and yields what another page needs to be in the same state: [html, controls].
(seed) => {
  let state = seed >>> 0;
  const random = (below) => {
    // mulberry32: the same numbers everywhere for the same seed.
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
  const pick = (list) => list[random(list.length)];
  const roots = [];
  // A radio that is checked takes the check from its group, wherever the node goes; each has a group of its own.
  let names = 0;

  // Tags that a parser leaves where they are, wherever that is.
  const make = () => {
    const tag = pick(["div", "div", "section", "span", "b", "input", "select", "template", "script", "pre", "comment"]);
    if (tag === "comment") return document.createComment("none of it counts");
    const element = document.createElement(tag);
    if (tag === "input") {
      element.type = pick(["text", "checkbox", "radio", "password"]);
      element.setAttribute("value", "at first");
      if (element.type === "radio") element.name = `group${++names}`;
    }
    if (tag === "select") element.innerHTML = "<option>one</option><option>two</option>";
    if (tag === "template") element.innerHTML = "<p>not there</p>";
    if (tag === "script") element.type = "text/plain";
    if (["div", "section", "span", "b", "pre", "script"].includes(tag)) element.textContent = words();
    return element;
  };
  const words = () => pick(["a", "b", "a  b", "Grüße \u{1f600}", "<&>\"'", "x\ty", "one\n two"]) + " " + random(100);
  const holders = () => [document.body, ...roots, ...every("div, section")];
  const every = (selector) => [document, ...roots].flatMap((root) => [...root.querySelectorAll(selector)])
    .filter((element) => !["HTML", "HEAD", "BODY", "TITLE", "META", "OPTION"].includes(element.tagName));
  const somewhere = (parent) => pick([null, ...parent.childNodes]);
  const changes = {
    insert() {
      const parent = pick(holders());
      const node = make();
      parent.insertBefore(node, somewhere(parent));
    },
    // Anywhere, so that some are in no slot: of those a capture leaves out the elements, but lists the documents.
    frame() {
      const frame = document.createElement("iframe");
      frame.srcdoc = `<p>inside ${random(9)}</p>`;
      const parent = pick(holders());
      if (every("iframe").length < 8) parent.insertBefore(frame, somewhere(parent));
    },
    remove() { if (every("*").length > 40) pick(every("*")).remove(); },
    move() {
      const node = pick(every("*"));
      if (node.tagName === "IFRAME") return;
      const inside = (at) => at !== null && (at === node || inside(at.parentNode ?? at.host ?? null));
      const parent = pick(holders().filter((one) => !inside(one)));
      parent.insertBefore(node, somewhere(parent));
    },
    attribute() { pick(every("*"))?.setAttribute(pick(["id", "class", "data-x", "aria-label", "title"]), pick(["", "p q", "q p", words()])); },
    unset() { pick(every("*"))?.removeAttribute(pick(["id", "class", "title"])); },
    text() { pick(every("div, section, span, b"))?.append(words()); },
    split() {
      const text = pick(every("span, b"))?.firstChild;
      if (text?.nodeType === 3 && text.length > 1) text.splitText(1);
    },
    html() { pick(every("section:not(:has(*)), div:not(:has(*))"))?.replaceChildren("new ", make()); },
    shadow() {
      const host = pick(every("section, div, span"));
      if (!host || host.shadowRoot) return;
      const root = host.attachShadow({ mode: "open", serializable: true });
      root.innerHTML = "<p>in the shadow</p><div></div>";
      roots.push(root);
    },
    state() {
      const control = pick(every("input, select"));
      if (!control) return;
      if (control.tagName === "SELECT") control.selectedIndex = random(2);
      else if (["checkbox", "radio"].includes(control.type)) control.checked = !control.checked;
      else control.value = words();
    },
  };
  for (let n = 0; n < 60; n++) changes.insert();
  for (let n = 0; n < 200; n++) {
    changes[pick(Object.keys(changes))]();
    for (let at = roots.length - 1; at >= 0; at--) if (!roots[at].isConnected) roots.splice(at, 1);
  }
  document.normalize();
  for (const root of roots) root.normalize();
  const controls = window.controls(document);
  const html = "<!doctype html>" + document.documentElement.outerHTML.replace(/<body[^]*$/, "")
    + "<body>" + document.body.getHTML({ serializableShadowRoots: true });
  return [html, controls];
}
