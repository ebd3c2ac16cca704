// Installs the wrappers of hooks.ts in a worker, from the first statement of its script on. A worker that has not started
// has no timers to wrap (Chromium 156): what installs them waits behind a hidden property, and a breakpoint on the first
// line of every script calls it from its condition, without a pause.
export default function installInWorker(install: (key: string) => void, key: string) {
  const home = Object.getPrototypeOf(async function* () {});
  const start = () => {
    delete home[key];
    install(key);
  };
  if (typeof setTimeout === "function") start();
  else Object.defineProperty(home, key, { value: { start }, configurable: true });
}
