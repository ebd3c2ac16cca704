// Puppeteer behind JSON-RPC on stdio; ends with its stdin.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import puppeteer, { TimeoutError } from "puppeteer-core";

const LOOK = readFileSync(new URL("look.js", import.meta.url), "utf8");
const FRAME_TIMEOUT_MS = 3000;
const now = () => performance.timeOrigin + performance.now();
const firstLine = (error) => String(error?.message ?? error).split("\n")[0];
const within = (promise, ms) =>
  Promise.race([promise, new Promise((_, fail) => setTimeout(fail, ms, new Error("no answer")).unref())]);

let browser;
let page;

const serve = {
  async connect({ endpoint }) {
    browser = await puppeteer.connect({ browserURL: endpoint, defaultViewport: null });
  },

  async open({ url }) {
    const before = await browser.pages();
    page = await browser.newPage();
    page.on("dialog", (dialog) => dialog.accept().catch(() => {}));
    for (const old of before) await old.close();
    // A load event that never comes is a behaviour of the page, not a failure of ours.
    await page.goto(url, { timeout: 5000 }).catch((error) => {
      if (!(error instanceof TimeoutError)) throw error;
    });
  },

  async prepare({ kind, selector }) {
    if (kind === "key" && selector) await page.focus(selector);
    if (kind === "scroll" && selector) await page.hover(selector);
    else if (kind === "scroll") await page.mouse.move(200, 200);
  },

  async act({ kind, selector, value, limit }) {
    const told = { actedAt: now(), returnedAt: 0, reason: null, capped: false };
    try {
      if (kind === "navigate") await page.goto(value, { waitUntil: "networkidle0", timeout: limit });
      else {
        await actions[kind](selector, value);
        await page.waitForNetworkIdle({ timeout: limit });
      }
    } catch (error) {
      told.reason = firstLine(error);
      told.capped = error instanceof TimeoutError;
    }
    told.returnedAt = now();
    return told;
  },

  async look() {
    // In the world of Puppeteer's own, where a page has overridden nothing.
    const read = (frame) => (frame.isolatedRealm?.() ?? frame).evaluate(LOOK);
    const texts = page.frames().map((frame) => within(read(frame), FRAME_TIMEOUT_MS).catch(() => ""));
    return (await Promise.all(texts)).join("\n");
  },
};

const actions = {
  click: (selector) => page.click(selector),
  type: (selector, value) => page.type(selector, value),
  key: (_, value) => page.keyboard.press(value),
  hover: (selector) => page.hover(selector),
  scroll: (_, value) => page.mouse.wheel({ deltaY: Number(value) || 500 }),
};

// One request at a time, in order.
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  let answer;
  try {
    answer = { result: (await serve[method](params)) ?? null };
  } catch (error) {
    answer = { error: { code: -32000, message: firstLine(error) } };
  }
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}
process.exit(0);
