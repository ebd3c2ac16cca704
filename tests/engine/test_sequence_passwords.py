"""What is typed into a password field is a secret from then on, though nobody declared it."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from sampling import sampled
from shown import change
from site_server import Site
from stillframe.api.browser import Page
from stillframe.cdp_types import input as cdp_input
from stillframe.model.actions import Click, Focus, PressKey, SetValue, TypeText
from stillframe.model.result import SequenceResult
from stillframe.model.secret import REDACTED, Secret

PASSWORD = "s3cr3t-lantern"
KEYS = [PressKey(key) for key in PASSWORD]

SHOWS = """
    <script>
    function everywhere(secret) {
        document.title = "T " + secret;
        history.replaceState({}, "", "?q=" + encodeURIComponent(secret));
        document.body.insertAdjacentHTML("beforeend", `<p title="It is ${secret}">It is <b>${secret}</b>, yes</p>`);
        localStorage.kept = secret;
        alert("you typed " + secret);
    }
    </script>"""
FIELD = "<input id=field type=password><button id=go onclick='everywhere(field.value)'>Go</button>" + SHOWS


def assert_hidden(*results: SequenceResult, part: str = PASSWORD) -> None:
    for result in results:
        assert result.failed is None, result
        assert part not in result.to_json().decode() + repr(result)


WAYS: dict[str, list[Any]] = {
    "by its label": [SetValue("label=Word", PASSWORD)],
    "set_value": [SetValue("#field", PASSWORD)],
    "type_text": [TypeText(PASSWORD, selector="#field")],
    "focus, type_text": [Focus("#field"), TypeText(PASSWORD)],
    "in two parts": [TypeText(PASSWORD[:6], selector="#field"), TypeText(PASSWORD[6:])],
    "focus, press_key": [Focus("#field"), *KEYS],
}
"""The first and the last, which always run, differ most: in one piece, and key by key."""


@pytest.mark.parametrize("way", WAYS)
async def test_whatever_types_it(page: Page, site: Site, way: str) -> None:
    await page.goto(site.html("/field.html", f"<label for=field>Word</label>{FIELD}"))
    typed = await page.execute_sequence(WAYS[way], verbose=True)
    shown = await page.execute_sequence([Click("#go")], verbose=True)
    assert_hidden(typed, shown)
    assert change(shown).title is not None
    assert [dialog.message for dialog in shown.dialogs] == [f"you typed {REDACTED}"]
    told = await page.aria_snapshot()
    assert REDACTED in told.text
    assert PASSWORD not in told.text + told.url + told.title


async def test_what_comes_in_one_piece_from_elsewhere(page: Page, site: Site) -> None:
    """As a paste does, or an input method."""
    await page.goto(site.html("/field.html", FIELD))
    await page.execute_sequence([Focus("#field")])
    await page.cdp_session.send(cdp_input.InsertText(text=PASSWORD))
    assert_hidden(await page.execute_sequence([Click("#go")]))
    assert await page.evaluate("localStorage.kept") == PASSWORD


@pytest.mark.parametrize(
    "attribute",
    sampled(("current-password", "new-password", "section-a one-time-code"), ("section-a one-time-code",)),
)
async def test_a_field_that_says_what_it_is_for(page: Page, site: Site, attribute: str) -> None:
    field = FIELD.replace("type=password", f'autocomplete="{attribute}"')
    await page.goto(site.html("/field.html", field))
    assert_hidden(await page.execute_sequence([SetValue("#field", PASSWORD)]))
    assert_hidden(await page.execute_sequence([Click("#go")]))


async def test_a_field_that_css_makes_one(page: Page, site: Site) -> None:
    field = FIELD.replace("type=password", "style='-webkit-text-security: disc'")
    await page.goto(site.html("/field.html", field))
    assert_hidden(await page.execute_sequence([Focus("#field"), *KEYS, Click("#go")]))


TOGGLE = "<button id=show onclick=\"field.type = field.type === 'text' ? 'password' : 'text'\">Show</button>"
SWAPS = """<button id=show
    onclick="document.getElementById('field').outerHTML = '<input id=field type=text>'">Show</button>"""


@pytest.mark.parametrize("button", [TOGGLE, SWAPS], ids=["toggles", "swaps"])
@pytest.mark.parametrize("keys", sampled((False, True), (True,)))
async def test_a_button_that_shows_it_before_it_is_typed(page: Page, site: Site, button: str, keys: bool) -> None:
    await page.goto(site.html("/toggle.html", FIELD + button))
    assert_hidden(await page.execute_sequence([Click("#show")]))
    typing = [Focus("#field"), *KEYS] if keys else [SetValue("#field", PASSWORD)]
    assert_hidden(await page.execute_sequence(typing), await page.execute_sequence([Click("#go")]))


@pytest.mark.slow  # as a button that shows it before
async def test_a_button_that_shows_it_after(page: Page, site: Site) -> None:
    await page.goto(site.html("/toggle.html", FIELD + TOGGLE))
    await page.execute_sequence([SetValue("#field", PASSWORD)])
    assert_hidden(await page.execute_sequence([Click("#show")]))
    assert PASSWORD not in (await page.aria_snapshot()).text


async def test_a_form_that_takes_it_away_at_once(page: Page, site: Site) -> None:
    form = (
        "<form action=/answer.html><input name=user><input type=password name=word autofocus><button>Go</button></form>"
    )
    site.html("/answer.html", "<h1></h1><script>document.querySelector('h1').textContent = location.search</script>")
    await page.goto(site.html("/form.html", form))
    result = await page.execute_sequence([Focus("input[type=password]"), *KEYS, PressKey("Enter")])
    assert_hidden(result)
    assert change(result).url is not None
    again = await page.execute_sequence([SetValue("body", "x")], action_timeout_ms=100)
    assert PASSWORD not in again.to_json().decode()


async def test_tabs_that_lead_from_field_to_field(page: Page, site: Site) -> None:
    form = (
        "<form action=/answer.html><input name=user autofocus><input type=password name=word><button>Go</button></form>"
    )
    site.html("/answer.html", "<p id=out></p><script>out.textContent = location.search</script>")
    await page.goto(site.html("/form.html", form))
    result = await page.execute_sequence([TypeText(f"ann\t{PASSWORD}\n", selector="input[name=user]")])
    assert_hidden(result)
    assert "ann" in result.to_json().decode()


async def test_a_page_that_lets_nobody_hear_its_events(page: Page, site: Site) -> None:
    stops = """<script>
        for (const type of ["input", "beforeinput", "keydown", "change", "focusout", "focusin"])
            addEventListener(type, (event) => event.stopImmediatePropagation(), true);
        </script>"""
    await page.goto(site.html("/stops.html", stops + FIELD))
    assert_hidden(await page.execute_sequence([Focus("#field"), *KEYS]), await page.execute_sequence([Click("#go")]))
    await page.goto(site.html("/stops.html", stops + FIELD))
    assert_hidden(
        await page.execute_sequence([Focus("#field"), TypeText("0ther-word"), Click("#go")]), part="0ther-word"
    )


@pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("localhost",)))
async def test_a_field_in_a_frame(page: Page, site: Site, host: str) -> None:
    site.html("/inner.html", "<input id=in type=password oninput='parent.postMessage(value, \"*\")'>")
    outer = f"""<iframe src='{site.url("/inner.html", host=host)}'></iframe><p id=out>-</p>
        <script>onmessage = (event) => {{ out.textContent = event.data }}</script>"""
    await page.goto(site.html("/outer.html", outer))
    result = await page.execute_sequence([Click("frame=iframe >> #in"), *KEYS])
    assert_hidden(result)
    assert [(row.selector, row.to) for row in change(result).changed if row.selector == "#out"] == [("#out", REDACTED)]


async def test_a_field_in_a_closed_shadow_root(page: Page, site: Site) -> None:
    closed = """<div id=host></div><p id=out>-</p><script>
        const root = host.attachShadow({mode: "closed"});
        root.innerHTML = "<input type=password placeholder=Word>";
        root.firstChild.oninput = () => { out.textContent = root.firstChild.value };
        </script>"""
    await page.goto(site.html("/closed.html", closed))
    assert_hidden(await page.execute_sequence([SetValue("placeholder=Word", PASSWORD)]))
    assert_hidden(
        await page.execute_sequence([Focus("placeholder=Word"), *[PressKey(key) for key in "0ther-w"]]), part="0ther"
    )


@pytest.mark.slow  # tests/engine/test_sequence_secrets.py has the same with a declared secret
@pytest.mark.desktop
async def test_another_page_of_the_context(page: Page, site: Site) -> None:
    await page.goto(site.html("/field.html", FIELD))
    await page.execute_sequence([SetValue("#field", PASSWORD), Click("#go")])
    shows = "<button id=go onclick='out.textContent = localStorage.kept'>Go</button><p id=out>-</p>"
    other = await page.context.new_page(site.html("/shows.html", shows))
    result = await other.execute_sequence([Click("#go")])
    assert [(row.selector, row.to) for row in change(result).changed] == [("#out", REDACTED)]


async def test_an_error_that_quotes_it(page: Page, site: Site) -> None:
    await page.goto(site.html("/field.html", FIELD))
    await page.execute_sequence([SetValue("#field", PASSWORD), Click("#go")])
    failed = await page.execute_sequence([Click(f"text={PASSWORD}x")], action_timeout_ms=100)
    assert failed.failed is not None
    assert PASSWORD not in failed.to_json().decode()


ECHO = """<input id=field TYPE><ul id=log></ul><script>
    field.oninput = () => { log.insertAdjacentHTML("beforeend", `<li>${field.value}</li>`) };
    </script>"""


@pytest.mark.parametrize("type_", ["type=password", "type=text"])
async def test_a_page_that_echoes_each_key(page: Page, site: Site, type_: str) -> None:
    """A plain text field takes a declared secret: the beginnings of both are masked."""
    await page.goto(site.html("/echo.html", ECHO.replace("TYPE", type_)))
    text = PASSWORD if "password" in type_ else Secret(PASSWORD)
    result = await page.execute_sequence([TypeText(text, selector="#field")], limit=50)
    assert_hidden(result, part=PASSWORD[:4])
    told = (await page.aria_snapshot()).text
    assert PASSWORD[:4] not in told
    assert PASSWORD[:3] in told


async def test_a_code_in_boxes(page: Page, site: Site) -> None:
    box = "<input maxlength=1 autocomplete=one-time-code oninput='this.nextElementSibling?.focus()'>"
    boxes = f"<div id=boxes>{box * 6}</div><p id=count>4</p><button id=go>Go</button><p id=out></p>"
    script = (
        "<script>go.onclick = () => { out.textContent = [...boxes.children].map((box) => box.value).join('') }</script>"
    )
    await page.goto(site.html("/code.html", boxes + script))
    result = await page.execute_sequence([Focus("input >> nth=0"), TypeText("482913")])
    assert_hidden(result, part="482913")
    shown = await page.execute_sequence([Click("#go")])
    assert [row.text for row in change(shown).appeared] + [row.to for row in change(shown).changed] == [REDACTED]
    assert '"4"' in (await page.aria_snapshot()).text


@pytest.mark.parametrize("short", ["a", "ab"])
async def test_a_short_password_leaves_the_page_to_read(page: Page, site: Site, short: str) -> None:
    shows = """<input id=field type=password><p id=out>-</p>
        <button id=go onclick='out.textContent = "a cab of ab-" + 1'>Go</button>"""
    await page.goto(site.html("/short.html", shows))
    result = await page.execute_sequence([SetValue("#field", short), Click("#go")])
    expected = "a cab of ab-1" if short == "a" else f"a cab of {REDACTED}-1"
    assert expected in [row.to for row in change(result).changed]
    assert result.to_json().decode().count(REDACTED) <= 3


async def test_the_page_may_normalise_it(page: Page, site: Site) -> None:
    word = "gr\u00f6\u00dfe-\u00e9t\u00e9"
    shows = FIELD.replace("everywhere(field.value)", "everywhere(field.value.normalize(`NFD`))")
    await page.goto(site.html("/form.html", shows))
    result = await page.execute_sequence([SetValue("#field", word), Click("#go")])
    assert change(result).title is not None
    for part in (word, unicodedata.normalize("NFD", word), unicodedata.normalize("NFD", "\u00e9t\u00e9")):
        assert_hidden(result, part=part)


@pytest.mark.slow  # the tabs from field to field tell it, too
async def test_what_goes_into_other_fields_is_reported(page: Page, site: Site) -> None:
    await page.goto(site.html("/field.html", FIELD + "<input id=user>"))
    result = await page.execute_sequence([SetValue("#user", "ann-of-cleves"), SetValue("#field", PASSWORD)])
    assert ("#user", "ann-of-cleves") in [(row.selector, row.to) for row in change(result).changed]


async def test_a_step_is_reported_without_it(page: Page, site: Site) -> None:
    await page.goto(site.html("/field.html", FIELD))
    told: list[Any] = []
    actions = [SetValue("#field", PASSWORD), Click(f"#{PASSWORD}")]
    await page.execute_sequence(actions, action_timeout_ms=100, on_step=lambda _, step: told.append(step))
    assert len(told) == 2
    assert PASSWORD not in repr(told)
