"""What other tools read wrongly, or changed by reading; README.md lists the reports."""

from __future__ import annotations

import json

import pytest
from aiohttp import web
from report_pages import noted, opened

from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import BodyGone


async def test_what_an_element_owns_is_found_in_it(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<div role=group aria-label="Favourite fruit" aria-owns=choices>
        <div role=combobox tabindex=0 aria-label=Fruit></div></div><hr><div role=listbox id=choices aria-label=Choices>
        <div role=option onclick="say('pear')">Pear</div></div>
        <div role=listbox aria-label=Others><div role=option onclick="say('wrong')">Pear</div></div>""",
    )
    selector = 'role=group[name="Favourite fruit"] >> role=option[name="Pear"]'
    await page.click(selector)
    assert await noted(page) == "pear"


NAMES = {
    "the text for readers of a generated content": (
        "<style>.a::after { content: '*' / '' } .b::before { content: url(x.png) / 'New: ' }</style>"
        "<label class=a for=i>Field name</label><input id=i> <button class=b>Message</button>",
        ['textbox "Field name"', 'button "New: Message"'],
    ),
    "labels of meters and progress": (
        "<label for=m>Battery</label><meter id=m value=0.5></meter>"
        "<label for=p>Loading</label><progress id=p value=0.3></progress>",
        ['meter "Battery"', 'progressbar "Loading"'],
    ),
}


@pytest.mark.every_row
@pytest.mark.parametrize("what", NAMES)
async def test_names_are_those_that_a_reader_hears(page: Page, site: Site, what: str) -> None:
    body, wanted = NAMES[what]
    await opened(page, site, body)
    text = (await page.aria_snapshot()).text
    assert [each for each in wanted if each not in text] == [], text
    for each in wanted:
        role, name = each.split(" ", 1)
        assert await page.locator(f"role={role}[name={name}]").count() == 1


async def test_a_heading_that_is_a_field_has_its_value_for_a_name(page: Page, site: Site) -> None:
    await opened(page, site, '<h1><input value="Foo bar"></h1>')
    assert await page.locator('role=heading[name="Foo bar"]').count() == 1
    assert 'textbox = "Foo bar"' in (await page.aria_snapshot()).text


async def test_a_body_keeps_its_bytes_whatever_its_header_says(page: Page, site: Site) -> None:
    bodies = {
        "/none": (json.dumps({"msg": "测试"}, ensure_ascii=False).encode(), "text/plain"),
        "/wrong": ("naïve 测试".encode(), "text/plain; charset=iso-8859-1"),
        "/other": ("Привет".encode("cp1251"), "text/html; charset=windows-1251"),
        "/bytes": (bytes(range(256)), "text/plain"),
        "/marked": (b"\xef\xbb\xbf{}", "application/json"),
    }

    async def answer(request: web.Request) -> web.Response:
        body, kind = bodies[request.path]
        return web.Response(body=body, headers={"Content-Type": kind})

    for path in bodies:
        site.route(path, answer)
    await opened(page, site, "")
    found = {}
    for path in bodies:
        async with page.expect_response(f"**{path}") as coming:
            await page.evaluate(f"fetch('{path}').then(r => r.arrayBuffer()).then(() => 0)")
        found[path] = await (await coming).body()
    assert found == {path: body for path, (body, _) in bodies.items()}


TAKEN = """<script>
const { prototype } = Element
for (const each of ['Map', 'Set', 'WeakMap', 'Promise', 'Symbol', 'Array', 'Object', 'Error', 'JSON', 'Reflect',
                    'eval', 'MutationObserver', 'requestAnimationFrame', 'setTimeout', 'CSS', 'getComputedStyle',
                    'Node', 'Element', 'HTMLElement', 'Document', 'performance', 'console'])
  window[each] = function () {}
for (const each of ['querySelector', 'querySelectorAll', 'elementFromPoint', 'createTreeWalker', 'getElementById'])
  document[each] = () => null
for (const each of ['getBoundingClientRect', 'closest', 'matches', 'getAttribute', 'contains'])
  prototype[each] = () => null
</script>"""


async def test_a_page_that_replaces_what_scripts_are_made_of_is_used_like_any_other(page: Page, site: Site) -> None:
    await page.expose_function("twice", lambda number: {"is": [2 * number]})
    await opened(
        page, site, f"<input id=name><button id=b onclick='twice(4).then((v) => say(v.is[0]))'>Double</button>{TAKEN}"
    )
    await page.fill("#name", "Ann")
    await page.click('role=button[name="Double"]')
    assert await page.evaluate("out.textContent") == "8 "
    assert await page.evaluate("({a: [1, {b: null}]})") == {"a": [1, {"b": None}]}
    assert '= "Ann"' in (await page.aria_snapshot()).text


async def test_a_body_that_went_with_its_document_is_reported_as_gone_with_it(page: Page, site: Site) -> None:
    site.html("/next", "<h1>Next</h1>")
    await opened(
        page,
        site,
        """<button id=b onclick="fetch('/slow?body=x').then(r => r.text()).then(() => { location = '/next' })">B""",
    )
    async with page.expect_response("**/slow?body=x") as coming:
        await page.click("#b")
    assert page.url == site.url("/next")
    response = await coming
    try:
        assert await response.text() == "x"
    except BodyGone as gone:
        assert "/slow?body=x" in str(gone)  # noqa: PT017  either is right
        assert "left" in str(gone)  # noqa: PT017


async def test_a_picture_of_a_page_changes_nothing_on_it(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<input id=field value=hello><div id=list style="height: 50vh; overflow: auto"><p style="height: 300vh"></div>
        <div id=tall style="height: 200vh; background: linear-gradient(red, blue)"></div><script>
        const seen = []
        for (const type of ['resize', 'scroll', 'blur', 'focus', 'visibilitychange', 'mousemove', 'selectionchange'])
          addEventListener(type, () => seen.push(type), true)
        </script>""",
    )
    await page.select_text("#field")
    await page.evaluate("list.scrollTop = 70; scrollTo(0, 300)")
    await page.settle()
    await page.evaluate("seen.length = 0")
    for options in ({}, {"full_page": True}, {"clip": (0, 0, 90, 1900)}):
        assert await page.screenshot(**options)  # type: ignore[arg-type]
    await page.settle()
    assert await page.evaluate("[seen.join(' '), scrollY, list.scrollTop, field.selectionEnd]") == ["", 300, 70, 5]
    assert await page.evaluate("document.activeElement.id") == "field"
