"""HTML, scripts and style sheets that callers put into documents, and how one page appears."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import EvaluationFailed, OptionInvalid

HTML = "<title>new</title><p id=p>text</p><script>onload = () => { document.title = 'loaded' }</script>"
MEDIA = """['print', '(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)']
    .map((query) => matchMedia(query).matches)"""


async def test_a_page_and_a_frame_take_html(page: Page, site: Site) -> None:
    url = site.html("/before", "<p>before</p>")
    await page.goto(url)
    await page.set_content(HTML)
    assert (await page.title(), page.url) == ("loaded", url)
    result = await page.click("#p")
    assert result.stable
    await page.set_content("<iframe srcdoc='<p>inside</p>'></iframe>", until="domcontentloaded")
    assert await page.locator("frame=iframe >> p").text() == "inside"
    await page.frames[-1].set_content("<b>bold</b>")
    assert await page.locator("frame=iframe >> b").text() == "bold"
    with pytest.raises(OptionInvalid, match=r"call page\.settle"):
        await page.set_content("", until="networkidle")  # type: ignore[arg-type]


async def test_a_document_takes_scripts_and_style_sheets(page: Page, site: Site, tmp_path: Path) -> None:
    script, sheet = tmp_path / "own.js", tmp_path / "own.css"
    script.write_text("window.fromFile = 1")
    sheet.write_text("p { color: rgb(1, 2, 3) }")
    await page.goto(site.html("/tags", "<p>text</p>"))
    await page.add_script_tag(content="window.fromText = 2")
    await page.add_script_tag(path=script)
    await page.add_script_tag(url="data:text/javascript,window.fromUrl = 3")
    await page.add_script_tag(content="import.meta; window.fromModule = 4", type="module")
    assert await page.evaluate("[fromFile, fromText, fromUrl, fromModule]") == [1, 2, 3, 4]
    await page.add_style_tag(path=sheet)
    await page.add_style_tag(url="data:text/css,p { margin: 7px }")
    await page.main_frame.add_style_tag(content="p { padding: 9px }")
    look = "((s) => [s.color, s.margin, s.padding])(getComputedStyle(document.querySelector('p')))"
    assert await page.evaluate(look) == ["rgb(1, 2, 3)", "7px", "9px"]


async def test_tags_that_do_not_work_say_why(page: Page, site: Site, tmp_path: Path) -> None:
    policy = "<meta http-equiv=Content-Security-Policy content=\"script-src 'none'; style-src 'none'\">"
    await page.goto(site.html("/strict", policy))
    for call in (page.add_script_tag, page.add_style_tag):
        with pytest.raises(EvaluationFailed, match="Content-Security-Policy"):
            await call(content="a")
        with pytest.raises(OptionInvalid, match="exactly one of"):
            await call()
        with pytest.raises(OptionInvalid, match="cannot read"):
            await call(path=tmp_path / "missing")
    await page.goto(site.html("/open", ""))
    with pytest.raises(EvaluationFailed, match="could not be loaded"):
        await page.add_script_tag(url=site.url("/missing.js"))


async def test_media_of_one_page(page: Page, site: Site) -> None:
    await page.goto(site.html("/media", ""))
    await page.emulate_media(media="print", color_scheme="dark", forced_colors="active", contrast="more")
    assert await page.evaluate(MEDIA) == [True] * 4
    await page.emulate_media(media="null", color_scheme="null")
    assert await page.evaluate(MEDIA) == [False, False, True, True]
    await page.emulate_media(forced_colors="null", contrast="null")
    with pytest.raises(OptionInvalid, match="did you mean 'print'"):
        await page.emulate_media(media="prnt")  # type: ignore[arg-type]


async def test_the_size_of_a_page(page: Page) -> None:
    await page.set_viewport(400, 300, device_scale_factor=2, screen={"width": 800, "height": 900})
    await page.set_viewport_size({"width": 500, "height": 350})
    assert page.viewport_size == {"width": 500, "height": 350}
    assert await page.evaluate("[innerWidth, devicePixelRatio, screen.width]") == [500, 2, 800]
    await page.bring_to_front()
    assert not page.is_closed()
    wrong: Any = (500, 350)
    with pytest.raises(OptionInvalid, match="must be a mapping such as"):
        await page.set_viewport_size(wrong)
