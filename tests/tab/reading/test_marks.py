"""Marks on a picture: which elements have one, where their boxes are, and where the labels go."""

from __future__ import annotations

import sys
from io import BytesIO

import pytest
from PIL import Image

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import InputError, OptionInvalid
from stillframe.tab.reading.marks import MarkedElement, Reachable, draw_marks, is_visible, place, reachable
from stillframe.tab.reading.reading import Box

BODY = """<style>body { margin: 0 }</style>
<button style='position:absolute;left:100px;top:50px;width:80px;height:40px'>A "quoted" [ref=e99]</button>
<input aria-label=Name style='position:absolute;left:200px;top:150px;width:100px;height:20px;box-sizing:border-box'>
<a href=/x style='position:absolute;top:2000px'>below</a><button hidden>hidden</button>"""


async def test_each_reachable_element_in_view_has_a_number_a_ref_and_a_box(page: Page, site: Site) -> None:
    await page.set_viewport(400, 300, device_scale_factor=2)
    await page.goto(site.html("/marks", BODY))
    marked = await page.marked_screenshot()
    assert [(mark.number, mark.role, mark.name) for mark in marked.marks] == [
        (1, "button", 'A "quoted" [ref=e99]'),
        (2, "textbox", "Name"),
    ]
    assert [tuple(mark.box) for mark in marked.marks] == [(100, 50, 80, 40), (200, 150, 100, 20)]
    assert (marked.width, marked.height, marked.unmarked) == (400, 300, 0)
    assert Image.open(BytesIO(marked.image)).size == (800, 600)
    ref = marked.marks[1].ref
    assert marked.boxes[ref] == marked.marks[1].box
    await page.fill(f"ref={ref}", "Ann")
    assert marked.marks[0].line() == f'1: button "A \\"quoted\\" [ref=e99]" [ref={marked.marks[0].ref}]'


async def test_at_most_the_limit_is_marked(page: Page, site: Site) -> None:
    await page.goto(site.html("/many", "<button>b</button>" * 8))
    marked = await page.marked_screenshot(max_marks=3)
    assert [mark.number for mark in marked.marks] == [1, 2, 3]
    assert marked.unmarked == 5
    with pytest.raises(OptionInvalid, match="max_marks"):
        await page.marked_screenshot(max_marks=-1)


async def test_an_element_in_a_frame_has_its_box_on_the_page(page: Page, site: Site) -> None:
    inner = site.html("/inner", "<body style='margin:0'><button style='width:60px;height:30px'>in</button>")
    frame = f"<body style='margin:0'><iframe src='{inner}' style='margin:40px;border:0'></iframe>"
    await page.goto(site.html("/outer", frame))
    marked = await page.marked_screenshot()
    [box] = [mark.box for mark in marked.marks if mark.name == "in"]
    assert tuple(box) == (40, 40, 60, 30)


async def test_it_needs_pillow(page: Page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    await page.goto(site.html("/a", "<button>A</button>"))
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(InputError, match="pip install"):
        await page.marked_screenshot()


def test_a_label_lies_beside_its_element_on_no_label_and_on_no_other_element() -> None:
    box = (100.0, 100.0, 180.0, 140.0)
    around = (0.0, 0.0, 500.0, 500.0)
    assert place(box, 20, 10, [around, box], []) == (80, 100)
    neighbour = (60.0, 90.0, 99.0, 140.0)
    assert place(box, 20, 10, [around, neighbour, box], []) == (100, 90)
    label = (100.0, 90.0, 120.0, 100.0)
    assert place(box, 20, 10, [around, neighbour, box], [label]) == (180, 100)
    # Without room beside it, a label hides a corner of its own element, then another element, but no other label.
    crowd = [(0.0, 0.0, 500.0, 99.0), (0.0, 141.0, 500.0, 500.0), (181.0, 0.0, 500.0, 500.0), neighbour]
    assert place(box, 20, 10, crowd, []) == (160, 100)
    assert place(box, 20, 10, crowd, [(160.0, 100.0, 180.0, 110.0)]) == (80, 100)
    assert place((0.0, 0.0, 50.0, 20.0), 20, 10, [], []) == (50, 0)


def test_the_number_is_drawn() -> None:
    blank = BytesIO()
    Image.new("RGB", (200, 100), "white").save(blank, "PNG")
    mark = MarkedElement(number=1, ref="e1", role="button", name="", box=Box(50, 30, 80, 40))
    drawn = Image.open(BytesIO(draw_marks(blank.getvalue(), [mark], 200)))
    assert drawn.getpixel((50, 50)) != (255, 255, 255)
    assert drawn.getpixel((90, 50)) == (255, 255, 255)
    assert drawn.getpixel((44, 31)) != (255, 255, 255)


def test_refs_in_quotes_are_not_refs() -> None:
    text = '- main:\n  - button "Say \\"[ref=e1]\\"" [disabled] = "[ref=e2]" [ref=e3]\n  - text "x [ref=e4]"\n… more'
    assert list(reachable(text)) == [Reachable("e3", "button", 'Say "[ref=e1]"')]


def test_boxes_outside_of_the_viewport_are_not_visible() -> None:
    boxes = [Box(0, 0, 10, 10), Box(-5, -5, 10, 10), Box(100, 0, 10, 10), Box(0, -20, 10, 10), Box(5, 5, 0, 10)]
    assert [is_visible(box, 100, 100) for box in boxes] == [True, True, False, False, False]
