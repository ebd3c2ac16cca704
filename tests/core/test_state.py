"""Digests tell the state of a page, not how it came to it.

A page is changed at random, shadow roots, frames, templates and controls included. A second is then loaded with what
the first serialises to, and its controls are set to the same. Both have the same digests.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from aiohttp import web

from site_server import Site
from stillframe.api.browser import Page

MUTATE = (Path(__file__).parent / "mutations.js").read_text()
BODY = "<section><span>begin</span></section>"
CONTROLS = """window.controls = (root, set) => {
  const found = [], walk = (node) => {
    if (node.matches?.("input, select")) found.push(node);
    if (node.shadowRoot) walk(node.shadowRoot);
    for (const child of node.children) walk(child);
  };
  walk(root);
  found.forEach((one, at) => {
    if (set) { one.value = set[at][0]; one.checked = set[at][1]; }
  });
  return found.map((one) => [one.value, !!one.checked]);
}; 0"""


async def loaded_frames(page: Page) -> None:
    await page.evaluate("""(async () => {
      const frames = (root) => [...root.querySelectorAll('*')].flatMap((one) => [
        ...(one.tagName === 'IFRAME' ? [one] : []), ...(one.shadowRoot ? frames(one.shadowRoot) : [])]);
      for (const frame of frames(document)) {
        while (frame.contentDocument?.URL !== 'about:srcdoc' || frame.contentDocument.readyState !== 'complete')
          await new Promise((done) => setTimeout(done, 5));
      }
    })()""")


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
async def test_a_page_loaded_anew_has_the_digests_of_the_one_that_was_changed(
    page: Page, site: Site, seed: int
) -> None:
    await page.goto(site.html("/changed", BODY))
    await page.evaluate(CONTROLS)
    html, controls = await page.evaluate(f"({MUTATE})({seed})")
    await loaded_frames(page)
    changed = await page.snapshot()

    async def fresh(_: web.Request) -> web.Response:
        return web.Response(text=html, content_type="text/html")

    site.route("/fresh", fresh)
    await page.goto(site.url("/fresh"))
    await page.evaluate(CONTROLS)
    assert await page.evaluate(f"controls(document, {json.dumps(controls)})") == controls
    await loaded_frames(page)
    again = await page.snapshot()

    assert again.digests.exact == changed.digests.exact
    assert again.digests.visible == changed.digests.visible
    assert again.digests.struct == changed.digests.struct
    await page.evaluate("document.body.append('one more')")
    assert (await page.snapshot()).digests.exact != changed.digests.exact
