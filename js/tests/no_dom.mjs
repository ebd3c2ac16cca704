// Stands in for the DOM where only what is pure is tested: the modules take methods and getters from prototypes when they
// load, and nothing here may call one.

const refuse = () => {
  throw new Error("a test of what is pure has asked the DOM");
};
const prototype = new Proxy(
  {},
  {
    get: () => refuse,
    has: () => true,
    getOwnPropertyDescriptor: () => ({ get: refuse, set: refuse, configurable: true }),
  },
);
const OF_THE_DOM = [
  "CustomEvent",
  "Document",
  "DocumentFragment",
  "Element",
  "Event",
  "EventTarget",
  "HTMLAreaElement",
  "HTMLButtonElement",
  "HTMLDetailsElement",
  "HTMLElement",
  "HTMLIFrameElement",
  "HTMLInputElement",
  "HTMLLabelElement",
  "HTMLMeterElement",
  "HTMLOptionElement",
  "HTMLProgressElement",
  "HTMLSelectElement",
  "HTMLSlotElement",
  "HTMLTextAreaElement",
  "Node",
  "SVGElement",
  "ShadowRoot",
];
for (const name of OF_THE_DOM) {
  Object.defineProperty(globalThis, name, { value: { prototype }, configurable: true });
}
globalThis.document = { addEventListener: refuse };
