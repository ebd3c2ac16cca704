"""Addresses that only another program opens leave a headless page usable, and the result names them."""

from __future__ import annotations

import pytest

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.model.actions import Navigate

BODY = """<a id=mail href="mailto:ann@example.test">mail</a> <a id=link href="Other-App://link?x=1">link</a>
<button id=script onclick="location = 'other-app:script'">s</button>
<form action="other-app://form"><button id=form>f</button></form><iframe id=frame srcdoc='inner'></iframe>
<button id=inside onclick="frame.contentWindow.location = 'other-app://frame'">i</button>
<button id=ok onclick="out.textContent += 'ok '">ok</button><p id=out></p>"""

ADDRESSES = {
    "mail": ("mailto:ann@example.test", "navigation"),
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
            assert [(each.url, each.kind) for each in result.refused] == [row]
            assert "another program" in result.refused[0].rule
            await page.click("#ok")
        assert await page.evaluate("out.textContent") == "ok " * len(ADDRESSES)
        assert page.url == site.url("/external")


@pytest.mark.desktop
async def test_an_address_that_a_page_opens_while_it_loads_is_stopped(chrome_browser: Browser, site: Site) -> None:
    html = f"<script>location = 'other-app://load'</script>{BODY}"
    async with await chrome_browser.new_page() as page:
        result = await page.execute_sequence([Navigate(site.html("/loading", html))])
        assert [each.url for each in result.refused] == ["other-app://load"]
        for _ in range(2):
            await page.click("#ok")
        assert await page.evaluate("out.textContent") == "ok ok "


@pytest.mark.desktop
async def test_a_frame_for_another_program_is_dropped(chrome_browser: Browser, site: Site) -> None:
    html = f"""<iframe src="other-app://frame"></iframe>{BODY}<button id=add
        onclick="document.body.insertAdjacentHTML('beforeend', '<iframe src=other-app:added>')">add</button>"""
    async with await chrome_browser.new_page() as page:
        result = await page.execute_sequence([Navigate(site.html("/frame", html))])
        assert [(each.url, each.kind) for each in result.refused] == [("other-app://frame", "frame")]
        result = await page.click("#add")
        assert [(each.url, each.kind) for each in result.refused] == [("other-app:added", "frame")]
        for _ in range(10):  # Chrome would ask after half a second
            await page.click("#ok")
