// What Python asks of a document as a whole.

import { postTask } from "../dom/nodes.ts";

// Resolves when the document has reached DOMContentLoaded or `load`.
export function reached(until: string): Promise<void> {
  const states = until === "load" ? ["complete"] : ["interactive", "complete"];
  return new Promise((done) => {
    const look = () => {
      if (states.includes(document.readyState)) done();
    };
    document.addEventListener("readystatechange", look);
    look();
  });
}

// Adds a script or a style sheet, and resolves when it is loaded. A URL or the content is null.
export function addTag(kind: string, url: string | null, content: string | null, type: string): Promise<boolean> {
  return new Promise((done, failed) => {
    const isLink = kind === "style" && url;
    const element = document.createElement(isLink ? "link" : kind) as HTMLLinkElement & HTMLScriptElement;
    if (kind === "script" && type) element.type = type;
    if (isLink) element.rel = "stylesheet";
    if (url) {
      element[isLink ? "href" : "src"] = url;
      element.onload = () => done(true);
      element.onerror = () => failed(new Error(`it could not be loaded from ${url}`));
    } else {
      element.textContent = content;
    }
    let error = "";
    const note = (event: SecurityPolicyViolationEvent) => {
      error = error || event.violatedDirective;
    };
    document.addEventListener("securitypolicyviolation", note);
    (document.head || document.documentElement).append(element);
    if (url) return;
    // A violation is reported in a task of its own.
    setTimeout(() => {
      document.removeEventListener("securitypolicyviolation", note);
      if (error) failed(new Error(`the Content-Security-Policy of the page forbids it (${error})`));
      else done(true);
    });
  });
}

// Adds a frame, and resolves when it has loaded.
export function addFrame(url: string): Promise<void> {
  const frame = document.createElement("iframe");
  const loaded = new Promise<void>((done) => {
    frame.onload = () => done();
  });
  frame.src = url;
  document.documentElement.append(frame);
  return loaded;
}

// Resolves after all due tasks, or before Chrome 94 after those that are due at the moment. Not a timer: all worlds of a
// window share one source of timer ids, so the page could see the gap.
export const nextTask = (): Promise<void> =>
  new Promise((done) => {
    if (postTask) return void postTask(() => done(), { priority: "background" });
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(0);
  });

export const frameDrawn = (): Promise<void> => new Promise((done) => requestAnimationFrame(() => done()));

// Resolves when the document has been drawn, which the frame after the next one proves.
export const framesDrawn = (): Promise<void> =>
  new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));

export const title = () => document.title;

export const scrollPage = (x: number, y: number) => scrollTo({ left: x, top: y, behavior: "instant" });

export const restoreUrl = (url: string) => history.replaceState(history.state, "", url);

// -- a focus that gets lost ---------------------------------------------------------------------------

let watched = false;
let focus: Element | null = null; // what got the focus last, unless the mouse was pressed since

// Records the focused element when it gets focus, because it may be gone after a click. A mousedown clears the record:
// the user gives up the focus on purpose.
export function watchFocus() {
  if (watched) return;
  watched = true;
  focus = document.activeElement;
  const clear = () => {
    focus = null;
  };
  document.addEventListener("mousedown", clear, true);
  document.addEventListener("focusin", (event) => void (focus = event.target as Element), true);
}

export function focusLost(): boolean {
  const now = document.activeElement;
  return focus !== null && !focus.isConnected && (!now || now === document.body);
}
