"""Addresses that only another program opens leave a headless page usable, and the result names them."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe.api.browser import Browser

BODY = """<a id=link href="Other-App://link?x=1">link</a>
<button id=script onclick="location = 'other-app:script'">s</button>
<form action="other-app://form"><button id=form>f</button></form><iframe id=frame srcdoc='inner'></iframe>
<button id=inside onclick="frame.contentWindow.location = 'other-app://frame'">i</button>
<button id=ok onclick="out.textContent += 'ok '">ok</button><p id=out></p>"""

ADDRESSES = {
    "link": ("other-app://link?x=1", "navigation"),
    "script": ("other-app:script", "navigation"),
    "form": ("other-app://form?", "navigation"),
    "inside": ("other-app://frame", "frame"),
}


@pytest.mark.desktop
async def test_a_page_takes_input_after_an_address_for_another_program(chrome_browser: Browser, site: Site) -> None:
    async with await chrome_browser.new_page(site.html("/external", BODY)) as page:
        for name, row in ADDRESSES.items():
            result = await page.click(f"#{name}")
            assert result.failed is None
            assert [(each.url, each.kind) for each in result.refused] == [row]
            assert "another program" in result.refused[0].rule
            assert (await page.click("#ok")).failed is None
        assert await page.evaluate("out.textContent") == "ok ok ok ok "
        assert page.url == site.url("/external")
