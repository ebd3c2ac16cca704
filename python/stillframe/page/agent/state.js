// Stages: what must hold before an action, one function each. A stage returns nothing when it holds, else a fault;
// `final` faults are not worth waiting for. ctx: element, at (what the pointer aims at), kind, args, round, report.

const PICKERS = new Set(["date", "time", "month", "week", "datetime-local", "color", "range"]);
const CHECK_ROLES = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"]);

function kindOf(element) {
  if (element instanceof HTMLSelectElement) return "select";
  if (element instanceof HTMLTextAreaElement) return "text";
  if (element instanceof HTMLInputElement) {
    const type = inputType(element);
    if (type === "checkbox" || type === "radio") return "check";
    if (type === "file" || type === "hidden") return type;
    return isButtonInput(element) ? "other" : PICKERS.has(type) ? "picker" : "text";
  }
  if (CHECK_ROLES.has(roleOf(element))) return "check";
  return isEditable(element) ? "editable" : "other";
}

const isEditable = (element) => element instanceof HTMLElement && element.isContentEditable;
const isDisabled = (element) => matches(element, ":disabled")
  || Boolean(closestAcross(element, "[aria-disabled=true], [inert]"));
const isOn = (element) => element instanceof HTMLInputElement ? element.checked : attr(element, "aria-checked") === "true";

const STAGES = {
  rendered: (ctx) => {
    if (isRendered(ctx.element)) return null;
    if (ctx.element instanceof HTMLOptionElement) return { fault: "kind", kind: "option", final: true };
    // Styled checkboxes hide the input and show its label, which is what a user clicks.
    const label = ctx.kind === "check" && [...(ctx.element.labels || [])].find(isRendered);
    if (!label) return { fault: "hidden", detail: whyHidden(ctx.element) };
    ctx.at = label;
    return null;
  },

  enabled: ({ element }) => {
    if (!isDisabled(element)) return null;
    const inert = closestAcross(element, "[inert]");
    const holder = inert || !matches(element, ":disabled") && closestAcross(element, "[aria-disabled=true]")
      || !has(element, "disabled") && closest(element, "fieldset:disabled");
    const word = inert ? "inert" : "disabled";
    return { fault: "disabled", detail: holder && holder !== element ? `${word} through ${describe(holder)}` : word };
  },

  editable: ({ element }) => {
    const readOnly = attr(element, "aria-readonly") === "true" || "readOnly" in element && element.readOnly;
    return readOnly ? { fault: "disabled", detail: "read-only" } : null;
  },

  // A value the field cannot hold is found out on a copy, before anything is touched.
  value: ({ element, args, kind }) => {
    const value = String(args.value);
    if (element.maxLength >= 0 && value.length > element.maxLength) {
      return { fault: "unsuitable", detail: `takes at most ${element.maxLength} characters`, final: true };
    }
    const type = element instanceof HTMLInputElement ? inputType(element) : "";
    if (kind !== "picker" && type !== "number" || value === "") return null;
    const copy = element.cloneNode();
    copy.value = value;
    const same = type === "color" ? copy.value === value.toLowerCase()
      : type === "range" ? Number(copy.value) === Number(value) : copy.value !== "";
    return same ? null : { fault: "unsuitable", detail: `takes ${FORMATS[type](element)}`, final: true };
  },

  option: ({ element, args }) => {
    const values = [].concat(args.value).map(String);
    if (values.length > 1 && !element.multiple) {
      return { fault: "unsuitable", detail: "takes one option, not several", final: true };
    }
    for (const [index, value] of values.entries()) {
      const option = optionFor(element, value);
      const shown = [...element.options].slice(0, 10).map((o) => o.label || o.value);
      if (!option) return { fault: "option", count: index, matches: shown };
      if (option.disabled || closest(option, "optgroup:disabled")) return { fault: "disabled", detail: "an option that is disabled" };
    }
    return null;
  },

  toggle: (ctx) => {
    const wanted = Boolean(ctx.args.on);
    if (isOn(ctx.element) === wanted) {
      ctx.report.done = true;
      return null;
    }
    const isRadio = /radio$/.test(ctx.element instanceof HTMLInputElement ? inputType(ctx.element) : roleOf(ctx.element));
    return isRadio && !wanted
      ? { fault: "unsuitable", detail: "is a radio button, which is unchecked by checking another one", final: true } : null;
  },

  multiple: ({ element, args }) => args.count > 1 && !element.multiple
    ? { fault: "unsuitable", detail: "takes one file, not several", final: true } : null,

  focus: ({ element }) => takeFocus(element),

  selectAll: ({ element }) => {
    const fault = takeFocus(element);
    if (fault) return fault;
    if (isEditable(element)) selectContents(element);
    else element.select();
    expectEdit(element);
    return null;
  },

  // Where a user who clicked behind the text would go on typing; a caret that is there already stays.
  caret: ({ element }) => {
    if (isInside(activeElement(), isEditable(element) ? editingHost(element) : element)) return null;
    const fault = takeFocus(element);
    if (fault) return fault;
    if (isEditable(element)) selectContents(element).collapseToEnd();
    else if (typeof element.selectionEnd === "number") element.setSelectionRange(1e9, 1e9);
    return null;
  },

  // For whoever wants to know the element before anything is done to it.
  identity: (ctx) => {
    try {
      ctx.report.identity = identityOf(ctx.element);
    } catch {
      ctx.report.identity = null; // an element that cannot be read is told apart by its selector
    }
    return null;
  },

  point: (ctx) => ctx.args.position ? aimWithin(ctx, ctx.args.position) : aim(ctx, () => freeSpot(ctx.at)),

  // For the end of a drag, when the dragged thing itself may lie between the pointer and the target, and for the owner of
  // a frame, where only the engine knows which point it is to be.
  spot: (ctx) => ctx.args.position ? aimWithin(ctx, ctx.args.position) : aim(ctx, () => centre(ctx.at)),
};

const limitsOf = (element) => ["min", "max", "step"].filter((name) => has(element, name))
  .map((name) => `${name} ${attr(element, name)}`).join(", ");
const FORMATS = {
  number: () => "a number",
  range: (element) => `a number it can stand on (${limitsOf(element) || "min 0, max 100"})`,
  color: () => "a color such as #1a2b3c",
  date: () => "a date such as 2025-12-31",
  time: () => "a time such as 23:59",
  month: () => "a month such as 2025-12",
  week: () => "a week such as 2025-W52",
  "datetime-local": () => "a date and time such as 2025-12-31T23:59",
};

function whyHidden(element) {
  if (!isShown(element)) {
    const holder = closestAcross(element, "[hidden], dialog:not([open]), details:not([open])");
    return holder && holder !== element ? `not rendered (inside ${describe(holder)})` : "not rendered (display: none)";
  }
  if (!isShown(element, { visibilityProperty: true })) return "visibility: hidden";
  return "without any area";
}

function optionFor(select, value) {
  const options = [...select.options];
  return options.find((option) => option.value === value)
    || options.find((option) => collapse(option.label || option.text) === collapse(value));
}

// The focus is not for a part of an editable element but for the whole, which also receives the events.
function editingHost(element) {
  let host = element;
  while (host.parentElement?.isContentEditable) host = host.parentElement;
  return host;
}

function takeFocus(element) {
  if (isEditable(element)) return takeFocusItself(editingHost(element));
  if (element !== bodyOf(document)) return takeFocusItself(element);
  activeElement()?.blur();
  return null;
}

function takeFocusItself(element) {
  element.focus();
  if (isInside(activeElement(), element)) return null;
  const focusable = element.tabIndex >= 0 || has(element, "tabindex");
  return focusable ? { fault: "focus" } : { fault: "unsuitable", detail: "cannot take the keyboard focus", final: true };
}

function selectContents(element) {
  const selection = rootOf(element).getSelection?.() || getSelection();
  selection.selectAllChildren(element);
  return selection;
}
