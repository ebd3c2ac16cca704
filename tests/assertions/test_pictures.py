"""Pages and elements that look as in a screenshot that was kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.assertions.places import PLACES
from stillframe.errors import AssertionFailed, OptionInvalid
from stillframe.testing import expect

BODY = """<style>@keyframes turn { to { rotate: 1turn } } #spin { animation: turn 1s infinite; width: 9px; height: 9px }
p, div { width: 50px; height: 30px; background: green }</style><p id=p></p><div id=spin></div><input autofocus>"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of the expected screenshots; failures go beside it."""
    monkeypatch.setattr(PLACES, "screenshots", tmp_path / "kept")
    monkeypatch.setattr(PLACES, "failures", tmp_path / "failures")
    monkeypatch.setattr(PLACES, "update", False)
    return tmp_path / "kept"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*"))


async def test_a_screenshot_is_kept_once_and_compared_from_then_on(page: Page, site: Site, kept: Path) -> None:
    await page.goto(site.html("/looks", BODY))
    with pytest.raises(AssertionFailed, match="it has been written now"):
        await expect(page).to_have_screenshot("page.png")
    with pytest.raises(AssertionFailed, match="it has been written now"):
        await expect(page.locator("#p")).to_have_screenshot("p.png")
    assert names_in(kept) == ["p.png", "page.png"]
    await expect(page).to_have_screenshot("page.png")
    await expect(page.locator("#p")).to_have_screenshot("p.png")

    await page.evaluate("document.querySelector('#p').style.background = 'red'")
    await expect(page.locator("#p")).not_to_have_screenshot("p.png")
    await expect(page).to_have_screenshot("page.png", max_diff_pixels=1500)
    await expect(page).to_have_screenshot("page.png", max_diff_pixel_ratio=0.1)
    await expect(page.locator("#p")).to_have_screenshot("p.png", threshold=1)
    with pytest.raises(AssertionFailed, match=r"was: 1500 of 1500 pixels differ \(100\.00%\); see .*p-diff\.png"):
        await expect(page.locator("#p")).to_have_screenshot("p.png", timeout_ms=1)
    assert names_in(kept.parent / "failures") == ["p-actual.png", "p-diff.png"]

    PLACES.update = True
    await expect(page.locator("#p")).to_have_screenshot("p.png")
    PLACES.update = False
    await expect(page.locator("#p")).to_have_screenshot("p.png")
    with pytest.raises(AssertionFailed, match=r"not_\.to_have_screenshot"):
        await expect(page.locator("#p")).not_to_have_screenshot("p.png", timeout_ms=1)


async def test_it_waits_until_the_page_looks_so_and_masks_what_changes(page: Page, site: Site, kept: Path) -> None:
    await page.goto(site.html("/looks", BODY))
    with pytest.raises(AssertionFailed, match="it has been written now"):
        await expect(page).to_have_screenshot("page.png", mask=["#p"])
    await page.evaluate("document.querySelector('#spin').hidden = true, p.textContent = 'other'")
    await page.evaluate("void setTimeout(() => { document.querySelector('#spin').hidden = false }, 100)")
    await expect(page).to_have_screenshot("page.png", mask=[page.locator("#p")])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.jpg", {}, "to_have_screenshot takes the name of a PNG file, such as 'cart.png', not 'a.jpg'"),
        ("../a.png", {}, "to_have_screenshot takes the name"),
        ("/a.png", {}, "to_have_screenshot takes the name"),
        ("a.png", {"threshold": 2}, "to_have_screenshot takes a threshold from 0 to 1, not 2"),
        ("a.png", {"max_diff_pixels": -1}, "takes a max_diff_pixels from 0 to inf"),
        ("a.png", {"max_pixels": 1}, "to_have_screenshot takes no 'max_pixels'"),
    ],
)
async def test_bad_input_is_refused(page: Page, kept: Path, name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionInvalid, match=message):
        await expect(page).to_have_screenshot(name, **options)
    assert names_in(kept) == []


async def test_a_page_that_never_looks_the_same_twice_ends_it_in_time(page: Page, site: Site, kept: Path) -> None:
    await page.goto(site.html("/looks", BODY))
    with pytest.raises(AssertionFailed, match="it has been written now"):
        await expect(page).to_have_screenshot("page.png")
    restless = """(function draw(n) {
        p.style.background = `rgb(${n % 255}, 9, 9)`;
        requestAnimationFrame(() => draw(n + 1));
    })(0)"""
    await page.evaluate(restless)
    with pytest.raises(AssertionFailed, match="pixels differ"):
        await expect(page).to_have_screenshot("page.png", timeout_ms=300)
