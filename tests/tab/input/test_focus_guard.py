"""Letters stay in the field that they are meant for, or the action says where focus went; one small page per way."""

from __future__ import annotations

import pytest

from acting import perform
from shown import change
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, ElementDisabled, FocusMoved
from stillframe.model.actions import Focus, SetValue, TypeText
from stillframe.model.secret import REDACTED, Secret
from stillframe.tab.input import focus_guard
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.input.letters import BINDING

TWO = "<input id=a name=user><input id=b name=other><input id=p type=password>"
VALUES = "[...document.querySelectorAll('input')].map(field => field.value)"

OTHER_FIELD = {
    "on a letter": TWO + "<script>a.oninput = () => { if (a.value.endsWith('@')) p.focus() }</script>",
    "between a key and its text": TWO + "<script>a.onkeydown = (e) => { if (e.key === 'e') b.focus() }</script>",
    "right after": TWO
    + "<script>a.oninput = () => { if (a.value === 'ann@') queueMicrotask(() => b.focus()) }</script>",
    "to a field that comes": TWO
    + """<script>a.oninput = () => { if (a.value.length < 4) return
        document.body.insertAdjacentHTML('beforeend', '<dialog id=d><input id=news type=email></dialog>')
        d.showModal() }</script>""",
    "to a short field with a name": """<label>State <input id=a maxlength=4></label><label>Zip <input id=b maxlength=5>
        </label><script>a.oninput = () => { if (a.value.length === 4) b.focus() }</script>""",
    "as the field goes": TWO
    + """<script>a.oninput = () => { if (a.value !== 'ann@') return
        a.remove(); b.focus() }</script>""",
    "to a password in its place": """<form><input id=a></form><script>a.oninput = () => { if (a.value !== 'ann@') return
        a.outerHTML = '<input id=a type=password>'; document.querySelector('#a').focus() }</script>""",
    "to nothing": TWO + "<script>a.oninput = () => { if (a.value === 'ann@') a.blur() }</script>",
}


@pytest.mark.every_row
@pytest.mark.parametrize("way", OTHER_FIELD)
async def test_no_letter_goes_into_another_field(page: Page, site: Site, way: str) -> None:
    await page.goto(site.html("/fields.html", OTHER_FIELD[way]))
    await page.evaluate("seen = ''; addEventListener('input', (e) => { seen += e.target.id }, true)")
    with pytest.raises(FocusMoved, match=r"#a is input#a.* characters were typed") as caught:
        await perform(Attempt(page._tab), TypeText("ann@" + "example" * 20, selector="#a"))
    assert set(await page.evaluate("seen")) <= {"a"}
    assert sum(map(len, await page.evaluate(VALUES))) <= caught.value.typed
    assert ("no other field" in str(caught.value)) == (way == "to nothing") == (caught.value.receiver == "")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_no_letter_goes_into_a_frame(page: Page, site: Site, host: str) -> None:
    inner = """<input id=inner><script>
        seen = ''; addEventListener('keydown', (e) => { seen += e.key })
        onmessage = () => { document.querySelector('input').focus() }</script>"""
    site.html("/inner.html", inner)
    outer = f"""<input id=a><iframe id=f src="{site.url("/inner.html", host=host)}"></iframe><script>
        a.oninput = () => {{ if (a.value !== '012') return
          f.focus(); f.contentWindow.postMessage(0, '*') }}</script>"""
    await page.goto(site.html("/outer.html", outer))
    await page.locator("frame=#f >> #inner").wait_for()
    with pytest.raises(FocusMoved):
        await perform(Attempt(page._tab), TypeText("0123456789" * 8, selector="#a"))
    frame = next(frame for frame in page.frames if "inner" in frame.url)
    assert await frame.evaluate("[document.querySelector('input').value, seen]") == ["", ""]


async def test_no_letter_goes_into_a_frame_that_comes_meanwhile(page: Page, site: Site) -> None:
    outer = """<input id=a><script>a.oninput = () => { if (a.value !== '012') return
        const inner = document.body.appendChild(document.createElement('iframe')).contentDocument
        inner.body.appendChild(inner.createElement('input')).focus() }</script>"""
    await page.goto(site.html("/outer.html", outer))
    with pytest.raises(FocusMoved, match="moved to iframe after 3 of 80 characters"):
        await perform(Attempt(page._tab), TypeText("0123456789" * 8, selector="#a"))
    assert await page.evaluate("[a.value, document.activeElement.tagName]") == ["012", "IFRAME"]


async def test_no_key_is_sent_again_that_led_the_focus_away(page: Page, site: Site) -> None:
    leads = TWO + "<script>keys = ''; a.onkeydown = (e) => { keys += e.key; b.focus() }</script>"
    await page.goto(site.html("/leads.html", leads))
    with pytest.raises(FocusMoved, match="after 0 of 3 characters"):
        await perform(Attempt(page._tab), TypeText("xyz", selector="#a"))
    assert await page.evaluate("[keys, a.value, b.value]") == ["x", "", ""]


@pytest.mark.parametrize("bound", [True, False], ids=["reports", "answers"])
async def test_a_frame_that_takes_the_focus_starts_nothing_again(page: Page, site: Site, bound: bool) -> None:
    outer = """<input id=a><iframe id=f srcdoc="<input id=inner>"></iframe><script>a.oninput = () => {
        if (a.value === '012') f.contentDocument.querySelector('input').focus() }</script>"""
    await page.goto(site.html("/outer.html", outer))
    frame = next(frame for frame in page._tab.frames if frame.parent is not None)
    if not bound:
        await frame.evaluate(f"delete globalThis.{BINDING}")
    with pytest.raises(FocusMoved, match=r"moved to input#inner after 3 of 8 characters"):
        await perform(Attempt(page._tab), TypeText("01234567", selector="#a"))
    assert await page.evaluate("[a.value, f.contentDocument.querySelector('input').value]") == ["012", ""]


async def test_the_last_letters_wait_for_a_page_that_is_busy(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(focus_guard, "FOCUS_S", 0.05)
    fields = """<input id=a><input id=b><script>a.oninput = () => {
        if (a.value === '012') b.focus(), setTimeout(() => { for (const end = Date.now() + 300; Date.now() < end;); }) }
        </script>"""
    await page.goto(site.html("/busy.html", fields))
    await page._tab.frames.main.evaluate(f"delete globalThis.{BINDING}")  # an answer alone says that a letter strayed
    with pytest.raises(FocusMoved, match="after 3 of 4 characters"):
        await perform(Attempt(page._tab), TypeText("0123", selector="#a"))


@pytest.mark.every_row
@pytest.mark.parametrize("how", ["disabled", "readOnly"])
async def test_a_field_that_takes_no_more_letters_is_an_error(page: Page, site: Site, how: str) -> None:
    field = f"<input id=a><script>a.oninput = () => {{ a.{how} = a.value.length === 2 }}</script>"
    await page.goto(site.html("/field.html", field))
    with pytest.raises(ElementDisabled, match=r"made it (disabled|read-only) after 2 of 4 characters were typed"):
        await perform(Attempt(page._tab), TypeText("abcd", selector="#a"))


async def test_a_secret_reaches_no_other_field_and_no_delta(page: Page, site: Site) -> None:
    for typed in (True, False):
        await page.goto(site.html("/fields.html", OTHER_FIELD["on a letter"].replace("'@'", "'r2'")))
        secret = Secret("hunter2-lantern")
        action = TypeText(secret, selector="#a") if typed else SetValue("#a", secret)
        if not typed:
            await page.evaluate("a.onfocus = () => { queueMicrotask(() => b.focus()) }")
        result = await page.execute_sequence([action])
        assert result.failed is not None
        assert result.failed.code == "focus_moved"
        assert await page.evaluate("[b.value, p.value]") == ["", ""]
        held = await page.evaluate("a.value")
        assert len(held) == (result.failed.data.get("typed", 0) if typed else 0)
        if held:
            assert held not in result.to_json().decode()


async def test_a_field_that_takes_a_part_of_a_secret_shows_none(page: Page, site: Site) -> None:
    await page.goto(site.html("/short.html", "<input id=a maxlength=6><input id=b>"))
    result = await page.execute_sequence([TypeText(Secret("hunter2-lantern"), selector="#a")])
    assert await page.evaluate("a.value") == "hunter"
    assert "hunter" not in result.to_json().decode()


async def test_a_box_that_takes_one_letter_of_a_secret_shows_none(page: Page, site: Site) -> None:
    await page.goto(site.html("/box.html", "<input id=a maxlength=1>"))
    for action in (TypeText(Secret("7294"), selector="#a"), SetValue("#a", Secret("3"))):
        result = await page.execute_sequence([action])
        assert result.failed is None
        assert {row.to for row in change(result).changed if row.field == "value"} == {REDACTED}


NEXT = "this.value && this.nextElementSibling?.focus()"
BOXES = {
    "at once": f"<input maxlength=1 oninput='{NEXT}'>" * 6,
    "by a timer": f"<input maxlength=1 oninput='setTimeout(() => {{ {NEXT} }}, 30)'>" * 6,
    "by the key": "<input size=1 style='width:30px;height:30px' "
    "onkeydown='if (event.key.length === 1) { this.value = event.key; event.preventDefault(); "
    "this.nextElementSibling?.focus() }'>" * 6,
    "that hide": f"<input type=password maxlength=1 oninput='{NEXT}'>" * 6,
    "in shadow roots": """<p><span></span><span></span><span></span><span></span><span></span><span></span></p><script>
        for (const host of document.querySelectorAll('span')) {
          host.attachShadow({ mode: 'open' }).innerHTML = '<input maxlength=1 aria-label=digit>'
          host.shadowRoot.firstChild.oninput = () => host.nextElementSibling?.shadowRoot.firstChild.focus()
        }</script>""",
    "of three letters": "<input maxlength=3 oninput='this.value.length === 3 && this.nextElementSibling?.focus()'>" * 2,
}
CODE = """[...document.querySelectorAll('input, span')].map(
    (each) => (each.shadowRoot ? each.shadowRoot.firstChild : each).value).join('')"""


@pytest.mark.every_row
@pytest.mark.parametrize("way", BOXES)
async def test_boxes_share_a_code(page: Page, site: Site, way: str) -> None:
    await page.goto(site.html("/code.html", f"<input id=other><div>{BOXES[way]}</div>"))
    selector = "div >> input >> nth=0" if "shadow" not in way else "span:first-child >> input"
    for action in (TypeText("482913", selector=selector), TypeText(Secret("482913"), selector=selector)):
        await page.evaluate("for (const each of document.querySelectorAll('input')) each.value = ''")
        if "shadow" in way:
            await page.reload()
        await perform(Attempt(page._tab), Focus("#other"))
        result = await page.execute_sequence([action])
        assert result.failed is None, result
        assert await page.evaluate(CODE) == "482913"
    values = [row.to for row in change(result).changed if row.field == "value"]
    assert values
    assert not set("482913") & set("".join(value or "" for value in values))


DATE = """<div role=group>{}</div><script>
for (const each of document.querySelectorAll('[role=spinbutton]')) each.onbeforeinput = (e) => {{
  e.preventDefault()
  each.textContent += e.data
  if (each.textContent.length === Number(each.dataset.most)) each.nextElementSibling?.focus() }}</script>"""
SEGMENT = "<span role=spinbutton contenteditable aria-label={} data-most={} style='padding: 9px'></span>"
SEGMENTS = SEGMENT.format("month", 2) + SEGMENT.format("day", 2) + SEGMENT.format("year", 4)


async def test_segments_share_a_date(page: Page, site: Site) -> None:
    await page.goto(site.html("/date.html", DATE.format(SEGMENTS)))
    await perform(Attempt(page._tab), TypeText("03172026", selector="role=spinbutton[name=month]"))
    assert await page.evaluate("document.querySelector('div').innerText") == "03172026"


async def test_segments_of_two_dates_share_nothing(page: Page, site: Site) -> None:
    other = f"<div role=group>{SEGMENT.format('until', 2)}</div>"
    leads = (
        "<script>document.querySelector('span').oninput = () => document.querySelectorAll('span')[1].focus()</script>"
    )
    await page.goto(site.html("/dates.html", f"<div role=group>{SEGMENT.format('since', 2)}</div>{other}{leads}"))
    with pytest.raises(FocusMoved):
        await perform(Attempt(page._tab), TypeText("0317", selector="role=spinbutton[name=since]"))


EDITORS = {
    "another inner field at once": """<div id=editor><textarea></textarea></div><script>
        const listen = () => { const old = editor.firstChild
          old.oninput = () => { text += old.value; const next = document.createElement('textarea')
            old.replaceWith(next); next.focus(); listen() } }
        text = ''; listen()</script>""",
    "another inner field later": """<div id=editor><textarea></textarea></div><script>
        const listen = () => { const old = editor.firstChild
          old.oninput = () => { text += old.value; const next = document.createElement('textarea')
            old.replaceWith(next); setTimeout(() => { next.focus(); listen() }) } }
        text = ''; listen()</script>""",
    "a cell that opens its field": """<div id=editor tabindex=0>cell</div><textarea id=t hidden></textarea><script>
        text = ''; editor.onkeydown = () => { t.hidden = false; t.focus() }; t.oninput = () => { text = t.value }
        </script>""",
    "a field that is closed for a while": """<input id=editor><script>
        text = ''; editor.oninput = () => { text += editor.value; editor.value = ''; editor.disabled = true
          setTimeout(() => { editor.disabled = false; editor.focus() }) }</script>""",
    "a field with the same name": """<form id=f><input id=editor name=city></form><script>
        text = ''
        f.oninput = () => { text += f.city.value; f.innerHTML = '<input id=editor2 name=city>'; f.city.focus() }
        </script>""",
}


@pytest.mark.every_row
@pytest.mark.parametrize("way", EDITORS)
async def test_editors_may_replace_their_field(page: Page, site: Site, way: str) -> None:
    await page.goto(site.html("/editor.html", EDITORS[way]))
    selector = "#editor textarea" if "inner" in way else "#editor"
    await perform(Attempt(page._tab), TypeText("letters", selector=selector))
    assert await page.evaluate("text") == "letters"


async def test_keys_that_lead_on_do(page: Page, site: Site) -> None:
    await page.goto(
        site.html("/fields.html", TWO + "<script>b.onkeydown = (e) => { if (e.key === 'Enter') p.focus() }</script>")
    )
    await perform(Attempt(page._tab), TypeText("ann\tAnn\nsecret", selector="#a"))
    assert await page.evaluate(VALUES) == ["ann", "Ann", "secret"]


async def test_without_a_selector_letters_stay_where_the_first_one_goes(page: Page, site: Site) -> None:
    await page.goto(site.html("/fields.html", OTHER_FIELD["on a letter"]))
    await perform(Attempt(page._tab), Focus("#a"))
    with pytest.raises(FocusMoved, match=r"^input#a.* moved to input#p"):
        await perform(Attempt(page._tab), TypeText("ann@example.test"))
    assert await page.evaluate(VALUES) == ["ann@", "", ""]
    # A shortcut of the page leads to a field.
    await page.evaluate(
        "addEventListener('keyup', (e) => { if (e.key === '/') b.focus() }); document.activeElement.blur()"
    )
    await perform(Attempt(page._tab), TypeText("/find"))
    assert await page.evaluate("b.value") == "find"


OPENS = """<dialog id=d><a href=# id=first>Properties</a><input id=name></dialog><script>
d.showModal()
name_ = document.getElementById('name')
let taken = 0
// A tray takes the focus when its animation ends, which may be just after its field was ready.
name_.addEventListener('focus', () => { if (taken++ < TIMES) first.focus() })</script>"""


@pytest.mark.parametrize("action", [SetValue("#name", "Warm"), TypeText("Warm", selector="#name")], ids=["set", "type"])
@pytest.mark.every_row  # each has its own way to type
async def test_a_field_is_focused_again_that_lost_the_focus_before_the_first_letter(
    page: Page, site: Site, action: SetValue | TypeText
) -> None:
    await page.goto(site.html("/opens.html", OPENS.replace("TIMES", "1")))
    await perform(Attempt(page._tab), action)
    assert await page.evaluate("name_.value") == "Warm"
    await page.goto(site.html("/never.html", OPENS.replace("TIMES", "Infinity")))
    with pytest.raises(ActionFailed):
        await perform(Attempt(page._tab), action)
    assert await page.evaluate("name_.value") == ""


async def test_letters_go_into_a_frame_in_design_mode(page: Page, site: Site) -> None:
    design = "<iframe id=i></iframe><script>i.contentDocument.designMode = 'on'</script>"
    await page.goto(site.html("/design", design))
    await page.execute_sequence([TypeText("frame=#i >> body", "Dear Ann")])
    assert await page.evaluate("i.contentDocument.body.textContent") == "Dear Ann"


async def test_letters_wait_for_the_focus_that_another_field_gives_back(page: Page, site: Site) -> None:
    borrows = """<input id=f><input id=o><script>f.oninput = () => {
    if (f.value.length === 3) { o.focus(); setTimeout(() => f.focus(), 50) } }</script>"""
    await page.goto(site.html("/borrows", borrows))
    await page.execute_sequence([TypeText("#f", "abcdef")])
    assert await page.evaluate("[f.value, o.value]") == ["abcdef", ""]
