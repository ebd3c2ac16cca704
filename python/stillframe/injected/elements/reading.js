// Reading from an element, without making it ready for an action, and from the document.

// The same text as in the core's redactor.
const REDACTED = "••••";
const textShown = getter(HTMLElement.prototype, "innerText");
const markupOf = getter(Element.prototype, "outerHTML");
const innerMarkupOf = getter(Element.prototype, "innerHTML");
const doctypeOf = getter(Document.prototype, "doctype");
const importInto = method(Document.prototype, "importNode");
const VALUED = ["text", "editable", "picker", "select", "check", "file", "hidden"];

const unfit = (detail) => ({ fault: "unsuitable", detail, final: true });
const redacted = (text) => text && REDACTED;

// A field that hides its text only shows whether it is empty.
function valueRead(element) {
  const field = controlFor(element, VALUED).element;
  const isValued = isField(field) || field instanceof HTMLSelectElement || isEditable(field);
  if (!isValued) return unfit("has no value: it is not an input, a text area, a select or editable");
  if (hides(field)) return { read: redacted(valueOf(field)) };
  if (field instanceof HTMLInputElement) return { read: inputValue(field) };
  return { read: field instanceof HTMLSelectElement ? field.value : valueOf(field) };
}

function checkedRead(element) {
  const control = controlFor(element, ["check"]).element;
  return kindOf(control) === "check" ? { read: checkedness(control) === "on" } : unfit("cannot be checked");
}

// Frameworks keep the value attribute of a field equal to the typed text.
function attributeRead(element, name) {
  const value = writtenAttr(element, name);
  return { read: name.toLowerCase() === "value" && hides(element) ? redacted(value) : value };
}

// Returns the control of the label that an element is or is in, unless the element can be used by itself.
function labelledControl(element) {
  const label = kindOf(element) === "other" && !matches(element, INTERACTIVE) && closestAcross(element, "label");
  return label && label.control || element;
}

function boxRead(element) {
  const { x, y, width, height } = boxOf(element);
  return { read: isShown(element) && boxesOf(element).length ? [x, y, width, height] : null };
}

const READINGS = {
  text: (element) => ({ read: element instanceof HTMLElement ? textShown(element) : rawText(element) }),
  value: valueRead,
  attribute: attributeRead,
  enabled: (element) => ({ read: !isDisabled(labelledControl(element)) }),
  checked: checkedRead,
  box: boxRead,
  innerHTML: (element) => ({ read: markupWithin(element) }),
};

STAGES.read = ({ element, args, report }) => {
  const reading = READINGS[args.read](element, args.name);
  if (reading.fault) return reading;
  report.read = reading.read;
  return null;
};

// The frame's viewport, for boxes in it; unlike `spot` it never scrolls.
STAGES.placed = ({ element, report }) => {
  report.at = hold(element);
  report.view = [innerWidth, innerHeight, devicePixelRatio];
  return null;
};

// Returns how many elements match now, and whether the first of them is rendered.
function tally(target) {
  lookAgain();
  try {
    const found = isChain(target) ? search(target).found : [target].filter(isConnected);
    return { count: found.length, done: found.length > 0 && isRendered(found[0]), matches: found.slice(0, MAX_LISTED).map(listed) };
  } catch (error) {
    return { fault: "syntax", detail: String(error.message || error), final: true };
  }
}

// Returns the elements that match now.
function allFound(target) {
  lookAgain();
  return search(target).found;
}

// Reads from an element that a caller holds, attached or not.
function readHeld(node, what, name) {
  lookAgain();
  if (what === "textContent") return { read: rawText(typeOf(node) === 9 ? topOf(node) || node : node) };
  if (!isElement(node)) return unfit("is a node that is not an element");
  const view = [innerWidth, innerHeight, devicePixelRatio];
  return what === "visible" ? { done: isConnected(node) && isRendered(node) } : { view, ...READINGS[what](node, name) };
}

// Returns the document as HTML, without the content of hiding fields.
function markup() {
  const doctype = doctypeOf(document);
  const before = doctype ? new XMLSerializer().serializeToString(doctype) : "";
  const top = topOf(document);
  return top ? before + markupOf(withoutHidden(top)) : before;
}

const markupWithin = (element) => innerMarkupOf(withoutHidden(element));

// Returns an element, or a copy where a field in it hides its content. The copy is in a document that loads and runs nothing.
function withoutHidden(element) {
  recordHidingFields();
  const fields = [...inElement(element, "input, textarea")];
  const hiding = fields.map((field, at) => hides(field) && (attr(field, "value") || rawText(field)) ? at : -1).filter((at) => at >= 0);
  if (!hiding.length && !hides(element)) return element;
  const copy = importInto(document.implementation.createHTMLDocument(""), element, true);
  const copies = inElement(copy, "input, textarea");
  for (const at of hiding) {
    if (has(copies[at], "value")) copies[at].setAttribute("value", REDACTED);
    if (rawText(copies[at])) copies[at].textContent = REDACTED;
  }
  if (hides(element) && rawText(copy)) copy.textContent = REDACTED;
  return copy;
}
