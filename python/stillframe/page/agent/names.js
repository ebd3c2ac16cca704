// Roles and accessible names, near enough to the browser's own to find things by; and short descriptions.

const INPUT_ROLES = {
  button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio",
  range: "slider", number: "spinbutton", search: "searchbox", text: "textbox", email: "textbox", tel: "textbox",
  url: "textbox", password: "textbox",
};
const TAG_ROLES = {
  article: "article", aside: "complementary", blockquote: "blockquote", button: "button", caption: "caption",
  code: "code", datalist: "listbox", dd: "definition", del: "deletion", details: "group", dfn: "term", dialog: "dialog",
  dt: "term", em: "emphasis", fieldset: "group", figure: "figure", h1: "heading", h2: "heading", h3: "heading",
  h4: "heading", h5: "heading", h6: "heading", hr: "separator", iframe: "iframe", ins: "insertion", li: "listitem",
  main: "main", math: "math", menu: "list", meter: "meter", nav: "navigation", ol: "list", optgroup: "group",
  option: "option", output: "status", p: "paragraph", progress: "progressbar", search: "search", strong: "strong",
  sub: "subscript", summary: "button", sup: "superscript", table: "table", tbody: "rowgroup", td: "cell",
  textarea: "textbox", tfoot: "rowgroup", thead: "rowgroup", time: "time", tr: "row", ul: "list",
};
const SECTIONING = "article, aside, main, nav, section";
const SPECIAL_ROLES = {
  a: (e) => (has(e, "href") ? "link" : ""),
  area: (e) => (has(e, "href") ? "link" : ""),
  footer: (e) => (closest(e, SECTIONING) ? "" : "contentinfo"),
  header: (e) => (closest(e, SECTIONING) ? "" : "banner"),
  form: (e) => (ownName(e) ? "form" : ""),
  section: (e) => (ownName(e) ? "region" : ""),
  img: (e) => (attr(e, "alt") === "" ? "presentation" : "img"),
  input: (e) => (has(e, "list") && "textbox searchbox".includes(INPUT_ROLES[inputType(e)] || "-")
    ? "combobox" : INPUT_ROLES[inputType(e)] || ""),
  select: (e) => (has(e, "multiple") || Number(attr(e, "size")) > 1 ? "listbox" : "combobox"),
  td: (e) => (closest(e, "[role=grid], [role=treegrid]") ? "gridcell" : "cell"),
  th: (e) => (attr(e, "scope") === "row" || attr(e, "scope") === "rowgroup" ? "rowheader" : "columnheader"),
};

function roleOf(element) {
  const [given] = (attr(element, "role") || "").trim().toLowerCase().split(/\s+/);
  if (given) return given;
  const tag = tagOf(element);
  const role = tag in SPECIAL_ROLES ? SPECIAL_ROLES[tag](element) : TAG_ROLES[tag] || "";
  return role || (isEditingHost(element) ? "textbox" : "");
}

const isEditingHost = (element) => has(element, "contenteditable") && matches(element, ":read-write")
  && !(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement);

const NAMED_BY_CONTENT = new Set(["button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link",
  "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "tooltip",
  "treeitem", "term", "listitem", "caption"]);
const CONTROLS = new Set([...NAMED_BY_CONTENT, "combobox", "listbox", "searchbox", "slider", "spinbutton", "textbox",
  "img", "dialog"]);
for (const role of ["cell", "row", "listitem", "term", "caption"]) CONTROLS.delete(role);

function byIds(element, attribute) {
  const ids = (attr(element, attribute) || "").split(/\s+/).filter(Boolean);
  const root = rootOf(element);
  return ids.map((id) => root.getElementById?.(id)).filter(Boolean);
}

// The name an author wrote for the element, as opposed to the one made of its content.
function ownName(element) {
  const labelled = collapse(byIds(element, "aria-labelledby").map((e) => attr(e, "aria-label") || content(e)).join(" "));
  return labelled || collapse(attr(element, "aria-label") || "");
}

// Text of the content with images and labelled parts standing in by their names; slots show what is put into them.
function content(element) {
  const parts = [];
  const stack = [element];
  while (stack.length && parts.length < 2000) {
    const node = stack.pop();
    if (node.nodeType === Node.TEXT_NODE) { parts.push(node.data); continue; }
    if (!(node instanceof Element) || SILENT.has(tagOf(node)) || attr(node, "aria-hidden") === "true") continue;
    if (node !== element && matches(node, "input, select, textarea")) continue;
    const label = node !== element && (attr(node, "aria-label") || (tagOf(node) === "img" && attr(node, "alt")));
    if (label) { parts.push(` ${label} `); continue; }
    const slotted = tagOf(node) === "slot" ? node.assignedNodes() : [];
    const children = slotted.length ? slotted : childNodesOf(shadowOf(node) || node);
    if (!/^inline|contents/.test(getComputedStyle(node).display)) parts.push(" ");
    for (let i = children.length - 1; i >= 0; i--) stack.push(children[i]);
  }
  return collapse(parts.join(""));
}

const labelsOf = (element) => collapse([...(element.labels || [])].map(content).join(" "));
const childText = (element, tag) => {
  const child = [...childrenOf(element)].find((e) => tagOf(e) === tag);
  return child ? plainText(child) : "";
};

function nameOf(element, role = roleOf(element)) {
  const own = ownName(element);
  if (own) return own;
  const tag = tagOf(element);
  if (element instanceof HTMLInputElement && isButtonInput(element)) {
    return collapse(inputValue(element) || attr(element, "alt") || attr(element, "title")
      || { submit: "Submit", reset: "Reset" }[inputType(element)] || "");
  }
  const native = "labels" in element && element.labels ? labelsOf(element)
    : tag === "img" || tag === "area" ? attr(element, "alt")
    : tag === "fieldset" ? childText(element, "legend")
    : tag === "table" ? childText(element, "caption")
    : tag === "figure" ? childText(element, "figcaption")
    : tag === "optgroup" ? attr(element, "label")
    : "";
  if (native) return collapse(native);
  const inner = NAMED_BY_CONTENT.has(role) || tag === "button" || tag === "summary" ? content(element) : "";
  return inner || collapse(attr(element, "title") || attr(element, "placeholder") || "");
}

const ARIA_STATES = { checked: "aria-checked", selected: "aria-selected", expanded: "aria-expanded",
  pressed: "aria-pressed" };

function stateOf(element, state) {
  if (state === "disabled") return isDisabled(element);
  if (state === "level") return Number(attr(element, "aria-level") || (/^h([1-6])$/.exec(tagOf(element)) || [])[1] || 0);
  if (state === "checked" && element instanceof HTMLInputElement) return element.checked;
  if (state === "selected" && element instanceof HTMLOptionElement) return element.selected;
  if (state === "expanded" && element instanceof HTMLDetailsElement) return element.open;
  return attr(element, ARIA_STATES[state]) === "true";
}

// -- words about an element ---------------------------------------------------------------------------

const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy"];
const ID_ATTRIBUTES = ["id", "name", "content-desc", "resource-id", "accessibility-id", ...TEST_IDS];

// Never a value: it may be a secret.
function describe(element) {
  const id = attr(element, "id");
  const mark = id ? `#${id}` : ["name", "data-testid", "type", "role"]
    .filter((name) => attr(element, name)).slice(0, 1).map((name) => `[${name}=${JSON.stringify(attr(element, name))}]`).join("");
  const first = id || mark ? "" : (attr(element, "class") || "").trim().split(/\s+/).filter(Boolean).slice(0, 2)
    .map((name) => `.${name}`).join("");
  const name = nameOf(element) || (isEditingHost(element) || tagOf(element) === "select" ? "" : plainText(element));
  return `${tagOf(element)}${shorten(mark, 80)}${first}${name ? ` ${JSON.stringify(shorten(name))}` : ""}`;
}

const listed = (element) => describe(element) + (isRendered(element) ? "" : " (not rendered)");
