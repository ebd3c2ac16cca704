"""What a picture changes of the page, where it is written, and that the page is as before afterwards."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import OptionInvalid, SelectorInvalid

PIL = pytest.importorskip("PIL.Image")

BODY = """<body style="margin: 0; background: none"><style>
dialog::backdrop { background: none }
@keyframes slide { from { left: 100px } to { left: 300px } }
#endless, #once { position: absolute; width: 50px; height: 50px; background: rgb(0, 0, 255); top: 100px }
#endless { animation: slide 1000s linear infinite }
#once { top: 200px; animation: slide 1000s linear forwards }
</style>
<p id=secret style="margin: 0; width: 80px; height: 40px; background: rgb(255, 0, 0)">secret</p>
<div id=endless></div><div id=once></div>
<iframe srcdoc="<body style='margin: 0'><p id=in style='margin: 0; height: 30px; background: red'>in</p>"
  style="position: absolute; left: 400px; top: 0; width: 60px; height: 60px; border: 0"></iframe>
<dialog id=d style="left: 500px; top: 0; margin: 0; border: 0; padding: 0"><b id=top style="display: block; width: 40px;
  height: 40px; background: red"></b></dialog>
<script>d.showModal()</script>"""

BLUE, PINK, RED, NOTHING = (0, 0, 255, 255), (255, 0, 255, 255), (255, 0, 0, 255), (0, 0, 0, 0)


def pixel(picture: bytes, x: int, y: int) -> Any:
    with PIL.open(io.BytesIO(picture)) as image:
        return image.convert("RGBA").getpixel((x, y))


def size(picture: bytes) -> Any:
    with PIL.open(io.BytesIO(picture)) as image:
        return image.size


@pytest.fixture
async def board(page: Page, site: Site) -> Page:
    await page.set_viewport(600, 400, device_scale_factor=2)
    await page.goto(site.html("/picture", BODY))
    return page


async def test_masks_cover_what_matches_in_every_frame_and_layer(board: Page) -> None:
    plain = await board.screenshot(scale="css")
    assert size(plain) == (600, 400)
    assert [pixel(plain, *at) for at in ((75, 35), (450, 20), (520, 20))] == [RED] * 3
    masked = await board.screenshot(
        scale="css", mask=["#secret", board.locator("frame=iframe >> #in"), "#top", "#none"]
    )
    assert [pixel(masked, *at) for at in ((75, 35), (450, 20), (520, 20))] == [PINK] * 3
    green = await board.screenshot(mask=["#secret"], mask_color="#00ff00")
    assert pixel(green, 150, 70) == (0, 255, 0, 255)
    assert await board.evaluate("document.documentElement.children.length") == 2
    assert pixel(await board.screenshot(scale="css"), 520, 20) == RED


async def test_animations_are_at_their_start_or_end_and_go_on(board: Page) -> None:
    await board.evaluate("d.close()")
    still = await board.screenshot(scale="css", animations="disabled")
    assert pixel(still, 320, 220) == BLUE
    assert pixel(still, 320, 120) != BLUE
    states = "document.getAnimations().map((animation) => animation.playState).sort().join()"
    assert await board.evaluate(states) in ("finished,running", "running")


async def test_styles_reach_all_documents_and_are_taken_back(board: Page) -> None:
    css = "p, dialog { visibility: hidden }"
    styled = await board.screenshot(scale="css", style=css, caret="hide", omit_background=True)
    assert pixel(styled, 75, 35) == NOTHING
    assert await board.evaluate("[document.adoptedStyleSheets.length, getComputedStyle(secret).visibility]") == [
        0,
        "visible",
    ]
    await board.evaluate("d.close()")
    assert pixel(await board.screenshot(), 1190, 790) == (255, 255, 255, 255)


async def test_pictures_and_pdfs_are_written_to_files(board: Page, tmp_path: Path) -> None:
    taken = await board.screenshot(path=tmp_path / "new" / "a.jpg")
    assert (tmp_path / "new" / "a.jpg").read_bytes() == taken
    assert taken.startswith(b"\xff\xd8")
    printed = await board.pdf(path=tmp_path / "a.pdf", format="A4", margin="1cm")
    assert (tmp_path / "a.pdf").read_bytes() == printed
    assert b"/MediaBox [0 0 594.9" in printed or b"/MediaBox [0 0 595" in printed
    for call in (board.screenshot, board.pdf):
        with pytest.raises(OptionInvalid, match="is a directory"):
            await call(path=tmp_path, **({"format": "png"} if call == board.screenshot else {}))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"path": "picture.gif"}, "does not end with a known format"),
        ({"animations": "off"}, "option animations: unknown value 'off'"),
        ({"scale": 2}, "option scale"),
        ({"mask": [3]}, "neither a selector nor a locator"),
        ({"mask_color": 3}, "option mask_color"),
        ({"format": "jpeg", "omit_background": True}, "no transparency"),
    ],
)
@pytest.mark.every_row
async def test_wrong_options_of_pictures(page: Page, options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionInvalid, match=words):
        await page.screenshot(**options)


async def test_a_wrong_mask_is_not_an_empty_one(page: Page) -> None:
    with pytest.raises(SelectorInvalid):
        await page.screenshot(mask=["role=button["])
