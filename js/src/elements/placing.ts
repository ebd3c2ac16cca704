// Where elements are, for pictures and for callers that hold one.

// Scrolls an element into view as little as possible, and returns its box.
export function boxNearest(element: Element): number[] {
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const { x, y, width, height } = element.getBoundingClientRect();
  return [x, y, width, height];
}

// Returns where the content of a frame element begins, without rotation and scaling.
export function contentPosition(element: Element): number[] {
  const box = element.getBoundingClientRect();
  const style = getComputedStyle(element);
  const left = box.x + element.clientLeft + parseFloat(style.paddingLeft);
  return [left, box.y + element.clientTop + parseFloat(style.paddingTop)];
}

export const showInMiddle = (element: Element) => element.scrollIntoView({ block: "center", behavior: "instant" });

// Returns "no" for a node that is not in this document, "text" for one that is not an element, and otherwise "yes".
export function presence(node: Node): string {
  if (node.ownerDocument !== document || !node.isConnected) return "no";
  return node.nodeType === Node.ELEMENT_NODE ? "yes" : "text";
}

// Returns the values of the options of a select at some places; null where it has none.
export function optionValuesAt(element: Element, places: number[]): (string | null)[] {
  const { options } = element as Partial<HTMLSelectElement>;
  return places.map((place) => (options && options[place] ? options[place].value : null));
}

// Takes the focus from an element, whatever it calls its own.
export const dropFocus = (element: Element) => HTMLElement.prototype.blur.call(element as HTMLElement);
