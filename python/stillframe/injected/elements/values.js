// Effects that no input event has: these run once and are never tried again.

const tell = (element, ...types) => {
  for (const type of types) element.dispatchEvent(new Event(type, { bubbles: true, composed: type === "input" }));
};

function choose(token, values) {
  const select = get(token);
  const wanted = values.map((value) => optionFor(select, value));
  const before = [...select.options].map((option) => option.selected);
  for (const option of select.options) option.selected = wanted.includes(option);
  if ([...select.options].some((option, i) => option.selected !== before[i])) tell(select, "input", "change");
}

const setInputValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;

// Pickers are drawn by the browser and differ by locale, so they cannot be typed into with a sure outcome.
function put(token, value) {
  const input = get(token);
  input.focus();
  if (inputValue(input) === value) return;
  setInputValue.call(input, value);
  tell(input, "input", "change");
}

// What became of a drag: a trusted `dragstart` that the page did not cancel means that the browser drags data;
// without one it is mouse events only. The event tells its fate only when all listeners are through.
let dragStart = null;
addEventListener("dragstart", (event) => { if (event.isTrusted) dragStart = event; }, true);

function takeDragged() {
  const was = dragStart;
  dragStart = null;
  return was === null ? "none" : was.defaultPrevented ? "prevented" : "started";
}
