"""Messages that come and go within the wait of a sequence, and themes of style sheets: no snapshot has them."""

from __future__ import annotations

import json

import pytest

from shown import change
from site_server import Site
from stillframe.api.browser import Page
from stillframe.extend.text import change_lines
from stillframe.model.actions import Click, PressKey, SetValue, TypeText
from stillframe.model.secret import Secret

SHOWN_BY = "<style>#t{{{hidden}}} #t.on{{{shown}}}</style><div id=t {attributes}>{text}</div>"
ADD = "const t = document.createElement('div'); t.{0} = '{1}'; t.textContent = '{2}'; document.body.append(t);"


def page_of(html: str, script: str) -> str:
    return f'{html}<div id=o></div><button id=b onclick="{script}">Go</button>'


def passing(show: str, hide: str) -> str:
    return f"{show}; setTimeout(() => {{ {hide} }}, 400)"


def toggled(hidden: str, shown: str, attributes: str = "role=status") -> str:
    html = SHOWN_BY.format(hidden=hidden, shown=shown, attributes=attributes, text="Saved for now")
    return page_of(html, passing("t.classList.add('on')", "t.classList.remove('on')"))


MESSAGES = {
    "an alert": page_of("", passing("o.innerHTML = '<p role=alert>Saved for now</p>'", "o.innerHTML = ''")),
    "a toast by its class": page_of("", passing(ADD.format("className", "my-toast", "Saved for now"), "t.remove()")),
    "an overlay": page_of(
        "", passing(ADD.format("style.cssText", "position:fixed; top:0", "Saved for now"), "t.remove()")
    ),
    "the text of a live region": page_of(
        "<p id=t aria-live=polite></p>", passing("t.textContent = 'Saved for now'", "t.textContent = ''")
    ),
    "what is not displayed": toggled("display:none", "display:block"),
    "what is transparent": toggled("opacity:0; transition:opacity .1s", "opacity:1"),
    "what is hidden, by its class": toggled("visibility:hidden", "visibility:visible", "class=snackbar"),
    "a dialog": page_of("<dialog id=t>Saved for now</dialog>", passing("t.showModal()", "t.close()")),
}


@pytest.mark.parametrize("shape", list(MESSAGES))
@pytest.mark.every_row  # each is another way to show and to hide
async def test_a_message_that_came_and_went_is_a_row(page: Page, site: Site, shape: str) -> None:
    await page.goto(site.html("/said", MESSAGES[shape]))
    result = await page.execute_sequence([Click("#b")])
    state = change(result)
    assert [(kind, row.rank, row.text) for kind, row in state.rows() if kind == "came_and_went"] == [  # type: ignore[union-attr]
        ("came_and_went", 1, "Saved for now")
    ]
    assert '"rows":["cameAndWent/0"' in result.to_json().decode()
    assert '"Saved for now"' in change_lines(state)[0]


CORNER = "<div id=c aria-live=polite style='position:fixed;top:0'></div>"
TOAST = "<div><p>{}</p><button aria-label=Close>×</button></div>"
TOASTS = {
    "a box with a cross in a live region": (CORNER, ((0, TOAST.format("Saved")),), ("Saved ×",)),
    "two boxes of one region": (
        CORNER,
        ((0, TOAST.format("Saved")), (0, TOAST.format("Sent")), (200, TOAST.format("Undone"))),
        ("Saved ×", "Sent ×", "Undone ×"),
    ),
    "an alert in a box in a list of a region": (
        "<section aria-live=polite><ol id=c></ol></section>",
        ((0, "<li class=item><div role=alert class=text>Saved</div></li>"), (0, "<li class=item><p>Sent</p></li>")),
        ("Saved", "Sent"),
    ),
    "a toast with an alert in it": (
        "<div id=c class=toast-container></div>",
        ((0, "<div class=toast><b>Files</b> <div role=alert>Saved</div></div>"),),
        ("Files Saved",),
    ),
    "words without a box": (CORNER, ((0, "<b>Saved</b>"), (0, "<i> for now</i>")), ("Saved for now",)),
}
PUT_IN = (
    "for (const [ms, html] of {}) setTimeout(() => {{ c.insertAdjacentHTML('beforeend', html); const it = c.lastChild;"
    "setTimeout(() => {{ for (const t of it.querySelectorAll('[role=alert], p')) t.className = 'read' }}, 200);"
    "setTimeout(() => it.remove(), 500) }}, ms)"
)


@pytest.mark.parametrize("shape", list(TOASTS))
@pytest.mark.every_row  # each is another way to nest them
async def test_each_toast_of_a_region_is_one_row(page: Page, site: Site, shape: str) -> None:
    region, toasts, texts = TOASTS[shape]
    html = (
        f"{region}<button id=b>Go</button><script>b.onclick = () => {{ {PUT_IN.format(json.dumps(toasts))} }}</script>"
    )
    await page.goto(site.html("/said", html))
    state = change(await page.execute_sequence([Click("#b")]))
    assert tuple(row.text for row in state.came_and_went) == texts


async def test_a_message_that_grows_is_one_row(page: Page, site: Site) -> None:
    grows = "o.innerHTML = '<p role=alert>Saved</p>'; setTimeout(() => o.firstChild.append(' 3 files'), 200);"
    await page.goto(site.html("/said", page_of("", grows + passing("", "o.innerHTML = ''"))))
    state = change(await page.execute_sequence([Click("#b")]))
    assert [row.text for row in state.came_and_went] == ["Saved 3 files"]


STAYS = "o.innerHTML = '<p role=alert>Saved for now</p>'"
NO_NEWS = {
    "what stays": page_of("", STAYS),
    "what is made again": page_of("", passing(STAYS, STAYS)),
    "what moves to the page": page_of("", passing(STAYS, "o.innerHTML = '<h2>Saved for now</h2>'")),
    "what was there": page_of("<p id=t role=alert>Saved for now</p>", passing("t.className = 'red'", "t.remove()")),
    "what says that work goes on": page_of(
        "<p id=t role=status></p>", passing("t.textContent = 'Saving…'", "t.textContent = ''; o.textContent = 'Saved'")
    ),
    "what only a screen reader reads": page_of(
        "<p id=t role=status style='position:absolute; width:1px; height:1px; overflow:hidden'></p>",
        passing("t.textContent = 'Item 1 of 3 has the focus'", "t.textContent = ''; o.textContent = 'Saved'"),
    ),
}


@pytest.mark.parametrize("shape", list(NO_NEWS))
@pytest.mark.every_row  # each is another reason
async def test_other_rows_say_what_did_not_come_and_go(page: Page, site: Site, shape: str) -> None:
    await page.goto(site.html("/said", NO_NEWS[shape]))
    state = change(await page.execute_sequence([Click("#b")]))
    assert state.came_and_went == ()
    assert state.rows()


FIELDS = "<input name=n required> <input id=m type=email><button id=b {}>Send</button>"
FORM = "<form {} onsubmit='event.preventDefault(); {}'>" + FIELDS + "</form><p id=o></p>"
MISSING = [('input[name="n"]', "Please fill out this field.")]
REFUSED = {
    "a required field": (FORM.format("", "", ""), (Click("#b"),), MISSING),
    "the same field again, which has the focus": (FORM.format("", "", ""), (Click("#b"), Click("#b")), MISSING),
    "a wrong address, and Enter": (
        FORM.format("", "", ""),
        (SetValue('input[name="n"]', "Ann"), SetValue("#m", "ann"), PressKey("Enter")),
        [("#m", "Please include an '@' in the email address. 'ann' is missing an '@'.")],
    ),
    "a field in a shadow tree": (
        f"<div id=h></div><script>h.attachShadow({{mode: 'open'}}).innerHTML = `{FORM.format('', '', '')}`</script>",
        (Click("#b"),),
        MISSING,
    ),
    "a field that nobody sees": (
        "<form><input id=f type=file required hidden><button id=b>Send</button></form>",
        (Click("#b"),),
        [("#f", "Please select a file.")],
    ),
    "a script that shows the bubble": (
        FORM.format("", "", "type=button onclick='form.reportValidity()'"),
        (Click("#b"),),
        MISSING,
    ),
    "a form that is sent": (FORM.format("", "", "").replace("required", ""), (Click("#b"),), []),
    "a form that checks itself": (FORM.format("novalidate", "this.checkValidity()", ""), (Click("#b"),), []),
    "a button that checks nothing": (FORM.format("", "this.checkValidity()", "formnovalidate"), (Click("#b"),), []),
    "a button that only asks": (
        FORM.format("", "", "onclick='form.checkValidity(); event.preventDefault()'"),
        (Click("#b"),),
        [],
    ),
    "a button outside that only asks": (
        "<form><input name=n required></form><button id=b onclick='document.forms[0].checkValidity()'>Ask</button>",
        (Click("#b"),),
        [],
    ),
    "a page that says it in its own words": (
        FORM.format("", "", "") + "<script>addEventListener('invalid', (e) => e.preventDefault(), true)</script>",
        (Click("#b"),),
        [],
    ),
    "a field that is checked with each letter": (
        FORM.format("", "", "") + "<script>m.oninput = () => m.checkValidity()</script>",
        (TypeText("ab", selector="#m"),),
        [],
    ),
}


@pytest.mark.parametrize("shape", list(REFUSED))
@pytest.mark.every_row  # each is another way to check a form, or not to
async def test_what_the_browser_says_beside_a_field_is_a_row(page: Page, site: Site, shape: str) -> None:
    html, actions, told = REFUSED[shape]
    await page.goto(site.html("/form", html))
    result = await page.execute_sequence(list(actions))
    assert result.failed is None, result.failed
    rows = result.state_change.came_and_went if result.state_change else ()
    assert [(row.selector, row.text) for row in rows] == told


async def test_a_message_before_another_page_is_a_row(page: Page, site: Site) -> None:
    site.html("/next", "<h1>Welcome</h1>")
    leave = passing("o.innerHTML = '<p role=status>You are signed in</p>'", "location.href = '/next'")
    await page.goto(site.html("/said", page_of("", leave)))
    state = change(await page.execute_sequence([Click("#b")]))
    assert [row.text for row in state.came_and_went] == ["You are signed in"]
    assert [row.selector for row in state.appeared] == ["body > h1"]


MOVES = """<style>@keyframes rise { from { translate: 0 20px } } #t { animation: rise .2s; transition: opacity .3s }
#t.leaves { opacity: .1 }</style>"""
"""A press waits until the dialog stands still, so that it has been read."""
FADE = "t.className = 'leaves'; setTimeout(() => { t.close(); document.body.className = '' }, 300)"
UNREAD = "<style>#t { transition: opacity .3s } #t.leaves { opacity: .1 }</style>"


@pytest.mark.parametrize(
    ("style", "close"),
    [(MOVES, "t.close()"), (MOVES, FADE), (UNREAD, FADE)],
    ids=["at once", "as it fades", "before it was read"],
)
@pytest.mark.every_row  # each is another way to close
async def test_what_an_earlier_action_opened_did_not_come_and_go(
    page: Page, site: Site, style: str, close: str
) -> None:
    ok = f'<button id=ok onclick="{close}; o.textContent = `Added`">OK</button>'
    opens = "t.showModal(); document.body.className = 'has-message'"
    await page.goto(site.html("/said", page_of(f"{style}<dialog id=t>Name of the item {ok}</dialog>", opens)))
    state = change(await page.execute_sequence([Click("#b"), Click("#ok")]))
    assert state.came_and_went == ()
    assert any(row.to == "Added" for row in state.changed)


async def test_secrets_and_limits_hold_for_messages(page: Page, site: Site) -> None:
    show = passing("o.innerHTML = `<p role=alert>${'You typed ' + t.value + '. '.repeat(90)}</p>`", "o.innerHTML = ''")
    await page.goto(site.html("/said", page_of("<input id=t>", show)))
    result = await page.execute_sequence([SetValue("#t", Secret("lantern-4711")), Click("#b")], text_limit=40)
    (row,) = change(result).came_and_went
    assert row.text.startswith("You typed ••••")
    assert len(row.text) == 40


@pytest.mark.parametrize("wraps", [False, True])
async def test_a_theme_that_style_sheets_switch_is_a_row(page: Page, site: Site, wraps: bool) -> None:
    on = "#app" if wraps else "body"
    style = f"<style>body{{margin:0}} #app{{min-height:100vh}} {on}.x9{{background:#181818; color:#eee}}</style>"
    html = f"{style}<div id=app class=css-1a2b3c4><button id=b>Go</button></div>"
    await page.goto(site.html("/said", html))
    switch = f"document.querySelector('{on}').classList.add('x9'); app.classList.replace('css-1a2b3c4', 'css-9z8y7x6')"
    await page.evaluate(f"b.onclick = () => {{ {switch} }}; 0")
    state = change(await page.execute_sequence([Click("#b")]))
    kind, row = state.rows()[0]
    assert (kind, row.field, row.from_, row.to) == ("changed", "colorScheme", "light", "dark")  # type: ignore[union-attr]


async def test_a_theme_in_an_attribute_of_the_page_is_a_row(page: Page, site: Site) -> None:
    await page.goto(site.html("/said", page_of("", "document.documentElement.dataset.theme = 'dark'")))
    state = change(await page.execute_sequence([Click("#b")]))
    assert [(row.selector, row.field, row.to) for row in state.changed] == [("html", "data-theme", "dark")]
