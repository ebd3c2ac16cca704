"""What is read from elements and pages."""

from bench.lines.case import RAISES, Case

BODY = """<h1 id=h class="a b" title=hint>Big <b>title</b><span hidden>secret</span></h1><p id=gone style="display: none">gone</p>
<input id=i value=one><textarea id=area>two</textarea><select id=s><option value=x>X<option value=y selected>Y</select>
<input id=on type=checkbox checked><input id=off type=checkbox><input id=dis disabled><input id=ro readonly>
<ul><li>one<li>two<li style="display: none">three</ul><div id=box style="position: absolute; left: 10px; top: 500px; width: 30px; height: 40px"></div>
<div id=edit contenteditable>text</div>"""


def read(locator: str, call: str, gives: object) -> Case:
    """A read from the page of this module."""
    return Case(f"await page.locator({locator!r}).{call}", gives, BODY)


ROWS = (
    read("#h", "inner_text()", "Big title"),
    read("#h", "text_content()", "Big titlesecret"),
    read("#h", "inner_html()", 'Big <b>title</b><span hidden="">secret</span>'),
    read("#gone", "text_content()", "gone"),
    read("#i", "input_value()", "one"),
    read("#area", "input_value()", "two"),
    read("#s", "input_value()", "y"),
    read("#h", "input_value()", RAISES),
    read("#h", "get_attribute('title')", "hint"),
    read("#h", "get_attribute('none')", None),
    read("#h", "is_visible()", True),
    read("#gone", "is_visible()", False),
    read("#none", "is_visible()", False),
    read("#gone", "is_hidden()", True),
    read("#none", "is_hidden()", True),
    read("#i", "is_enabled()", True),
    read("#dis", "is_enabled()", False),
    read("#dis", "is_disabled()", True),
    read("#i", "is_editable()", True),
    read("#ro", "is_editable()", False),
    read("#dis", "is_editable()", False),
    read("#edit", "is_editable()", True),
    read("#on", "is_checked()", True),
    read("#off", "is_checked()", False),
    read("#h", "is_checked()", RAISES),
    read("li", "all_inner_texts()", ["one", "two", "three"]),
    read("li", "all_text_contents()", ["one", "two", "three"]),
    read("b, i", "all_text_contents()", ["title"]),
    read("#none", "all_inner_texts()", []),
    read("#box", "bounding_box()", {"x": 10, "y": 500, "width": 30, "height": 40}),
    read("#gone", "bounding_box()", None),
    read("li", "count()", 3),
    Case("await page.title()", "page"),
    Case("page.url.removeprefix(site)", "/page"),
    Case("await page.inner_text('#h')", "Big title", BODY),
    Case("await page.text_content('#gone')", "gone", BODY),
    Case("await page.inner_html('#gone')", "gone", BODY),
    Case("await page.get_attribute('#h', 'class')", "a b", BODY),
    Case("await page.input_value('#i')", "one", BODY),
    Case("await page.is_visible('#gone')", False, BODY),
    Case("await page.is_hidden('#none')", True, BODY),
    Case("await page.is_enabled('#dis')", False, BODY),
    Case("await page.is_checked('#on')", True, BODY),
    Case("await page.is_editable('#ro')", False, BODY),
    Case("'<p id=\"x\">in</p>' in await page.content()", True, "<p id=x>in</p>"),
    Case("page.viewport_size['width'] > 0", True),
    Case(
        "await page.set_viewport_size({'width': 400, 'height': 300})\nawait page.evaluate('[innerWidth, innerHeight]')",
        [400, 300],
    ),
    Case("len(page.frames)", 2, "<iframe src=/other></iframe>"),
    Case("page.main_frame.url.removeprefix(site)", "/page"),
    Case("page.frames[1].url.removeprefix(site)", "/other", "<iframe src=/other></iframe>"),
    Case("page.frames[1].name", "f", "<iframe name=f src=/other></iframe>"),
    Case("page.frames[1].parent_frame == page.main_frame", True, "<iframe src=/other></iframe>"),
    Case("len(page.main_frame.child_frames)", 1, "<iframe src=/other></iframe>"),
    Case("page.frames[1].is_detached()", False, "<iframe src=/other></iframe>"),
    Case("page.context == context", True),
    Case("page.is_closed()", False),
    Case("await page.close()\npage.is_closed()", True),
    Case("(await page.screenshot())[:4]", b"\x89PNG"),
    Case("(await page.screenshot(type='jpeg'))[:2]", b"\xff\xd8"),
    Case("(await page.screenshot(full_page=True))[:4]", b"\x89PNG", "<div style='height: 3000px'></div>"),
    Case("(await page.locator('#h').screenshot())[:4]", b"\x89PNG", BODY),
    Case("await page.screenshot(path=folder / 'a.png')\n(folder / 'a.png').stat().st_size > 100", True),
    Case("(await page.screenshot(clip={'x': 0, 'y': 0, 'width': 20, 'height': 10}))[16:24]", b"\0\0\0\x14\0\0\0\x0a"),
    Case("(await page.pdf())[:4]", b"%PDF"),
)
