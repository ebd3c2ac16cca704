"""Setting values: each kind of field, the events a page sees, and what a field refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, ActionInvalid, ElementDisabled, ElementUnsuitable, FocusMoved
from stillframe.model.actions import Check, Click, SelectOption, SetValue, Uncheck, UploadFile
from stillframe.model.secret import Secret
from stillframe.tab.input.attempt import Attempt

SHORT = 0.2


@pytest.fixture
async def form(page: Page, site: Site) -> Page:
    await page.goto(site.url("/act/values.html"))
    return page


async def value_of(page: Page, selector: str) -> object:
    return await page.evaluate(
        f"(e => e.isContentEditable ? e.innerText : e.value)(document.querySelector({selector!r}))"
    )


@pytest.mark.parametrize(
    ("selector", "value"),
    [
        ("#text", "new"),
        ("#text", "日本語 👩‍💻 é"),
        ("#text", ""),
        ("#empty", ""),
        ("#short", "abc"),
        ("#number", "-1.5"),
        ("#email", "a@b.c"),
        ("#area", "two\nlines"),
        ("#rich", "plain"),
        ("#rich", ""),
        ("#inside", "x"),
        ("#date", "2025-12-31"),
        ("#date", ""),
        ("#time", "23:59"),
        ("#month", "2025-12"),
        ("#week", "2025-W52"),
        ("#moment", "2025-12-31T23:59"),
        ("#color", "#1a2b3c"),
        ("#range", "8"),
    ],
)
async def test_set_value(form: Page, selector: str, value: str) -> None:
    await perform(Attempt(form._tab), SetValue(selector=selector, value=value))
    assert str(await value_of(form, selector)).removesuffix("\n") == value


async def test_a_label_stands_for_its_field(form: Page) -> None:
    await perform(Attempt(form._tab), SetValue(selector="#labelled", value="x"))
    assert await value_of(form, "#inside") == "x"


@pytest.mark.slow  # tests/engine/test_sequence_secrets.py has the same of sequences
async def test_secrets_are_typed_and_never_said(form: Page) -> None:
    await perform(Attempt(form._tab), SetValue(selector="#password", value=Secret("hunter2")))
    assert await value_of(form, "#password") == "hunter2"
    for selector in ("#short", "#number", "#one", "#button", "#box"):
        with pytest.raises(ActionFailed) as caught:
            await perform(Attempt(form._tab), SetValue(selector=selector, value=Secret("hunter2")), timeout=SHORT)
        assert "hunter2" not in str(caught.value)


async def test_text_is_set_by_one_trusted_edit(form: Page) -> None:
    await perform(Attempt(form._tab), SetValue(selector="#text", value="new"))
    assert await form.evaluate("log") == ["focusin text true", "beforeinput text true", "input text true"]
    await perform(Attempt(form._tab), Click(selector="#empty"))
    assert "change text true" in await form.evaluate("log")


async def test_pickers_are_set_by_input_and_change(form: Page) -> None:
    await perform(Attempt(form._tab), SetValue(selector="#date", value="2025-12-31"))
    assert await form.evaluate("log") == ["focusin date true", "input date false", "change date false"]
    await perform(Attempt(form._tab), SetValue(selector="#date", value="2025-12-31"))
    assert len(await form.evaluate("log")) == 3


@pytest.mark.parametrize(
    ("selector", "value", "words"),
    [
        ("#short", "abcd", "at most 3 characters"),
        ("#number", "many", "takes a number"),
        ("#date", "31.12.2025", "a date such as"),
        ("#time", "late", "a time such as"),
        ("#color", "red", "a color such as"),
        ("#range", "3", "min 0, max 10, step 2"),
        ("#range", "100", "min 0, max 10, step 2"),
        ("#file", "x", "use upload_file"),
        ("#box", "x", "true or false"),
        ("#text", True, "takes text"),
        ("#token", "x", "Element not found"),
        ("#combo", "x", "use select_option"),
    ],
)
async def test_what_a_field_refuses(form: Page, selector: str, value: str | bool, words: str) -> None:
    with pytest.raises(ActionFailed, match=words):
        await perform(Attempt(form._tab), SetValue(selector=selector, value=value), timeout=SHORT)
    assert [line for line in await form.evaluate("log") if "input" in line] == []


@pytest.mark.parametrize("value", ["g", "Green"])
async def test_a_select_takes_value_or_label(form: Page, value: str) -> None:
    await perform(Attempt(form._tab), SetValue(selector="#one", value=value))
    assert await value_of(form, "#one") == "g"
    assert await form.evaluate("log") == ["input one false", "change one false"]


async def test_select_option_chooses_exactly_these(form: Page) -> None:
    await perform(Attempt(form._tab), SelectOption(selector="#many", value=("b", "c")))
    chosen = await form.evaluate("[...document.querySelector('#many').selectedOptions].map(o => o.value)")
    assert chosen == ["b", "c"]
    await perform(Attempt(form._tab), SelectOption(selector="#many", value=()))
    assert await form.evaluate("document.querySelector('#many').selectedOptions.length") == 0


async def test_one_option_cannot_be_no_option(page: Page, site: Site) -> None:
    lists = """<select id=plain><option>a<option selected>b</select>
        <input id=suggests list=of><datalist id=of><option>a</datalist>
        <div id=drawn role=combobox tabindex=0 aria-expanded=false>a</div>"""
    await page.goto(site.html("/lists.html", lists))
    for selector in ("#plain", "#suggests", "#drawn"):
        with pytest.raises(ElementUnsuitable, match="takes one option, not an empty list"):
            await perform(Attempt(page._tab), SelectOption(selector=selector, value=()), timeout=SHORT)


async def test_options_that_cannot_be_chosen(form: Page) -> None:
    with pytest.raises(ElementUnsuitable, match=r"no such option.*its options are Red, Green, Off"):
        await perform(Attempt(form._tab), SelectOption(selector="#one", value="Blue"), timeout=SHORT)
    with pytest.raises(ElementDisabled, match="it is a disabled option"):
        await perform(Attempt(form._tab), SelectOption(selector="#one", value="x"), timeout=SHORT)
    with pytest.raises(ElementUnsuitable, match="one option, not several"):
        await perform(Attempt(form._tab), SelectOption(selector="#one", value=("r", "g")), timeout=SHORT)
    with pytest.raises(ElementUnsuitable, match="use select_option on the list"):
        await perform(Attempt(form._tab), Click(selector="#one option[value=g]"), timeout=SHORT)
    with pytest.raises(ElementUnsuitable, match="set_value or type_text"):
        await perform(Attempt(form._tab), SelectOption(selector="#text", value="x"), timeout=SHORT)


async def test_an_option_of_a_widget_is_awaited_beside_those_of_its_hidden_select(page: Page, site: Site) -> None:
    html = """<select id=own style="position:absolute;width:1px;height:1px"><option>Ape<option>Bee</select>
        <div><input id=field role=combobox aria-expanded=false aria-controls=list><div id=list role=listbox></div></div>
        <script>
          show = () => { list.innerHTML = "<div role=option>Ape</div><div role=option>Bee</div>" };
          field.onclick = () => setTimeout(show, 200);
          list.onclick = ({ target }) => { field.value = target.textContent };
        </script>"""
    await page.goto(site.html("/widget.html", html))
    result = await page.execute_sequence([Click(selector="#field"), Click(selector="role=option[name='Bee']")])
    assert result.failed is None
    assert await page.evaluate("field.value") == "Bee"


async def test_a_select_that_navigates(page: Page, site: Site) -> None:
    await page.goto(site.url("/act/navigating-select.html"))
    async with page.cdp_session.expect("Page.frameNavigated", timeout=5):
        await perform(Attempt(page._tab), SelectOption(selector="#go", value="there"))


@pytest.mark.parametrize("selector", sampled(("#box", "#switch"), ("#box",)))
async def test_check_and_uncheck_click_only_when_needed(form: Page, selector: str) -> None:
    clicks = f"log.filter(line => line === 'click {selector[1:]} true').length"
    await perform(Attempt(form._tab), Check(selector=selector))
    await perform(Attempt(form._tab), Check(selector=selector))
    assert await form.evaluate(clicks) == 1
    await perform(Attempt(form._tab), SetValue(selector=selector, value=False))
    await perform(Attempt(form._tab), Uncheck(selector=selector))
    assert await form.evaluate(clicks) == 2
    await perform(Attempt(form._tab), SetValue(selector=selector, value="true"))
    assert await form.evaluate(clicks) == 3


async def test_radio_buttons(form: Page) -> None:
    await perform(Attempt(form._tab), Check(selector="#r2"))
    assert await form.evaluate("new FormData(form).get('r')") == "2"
    with pytest.raises(ElementUnsuitable, match="by checking another one"):
        await perform(Attempt(form._tab), Uncheck(selector="#r2"), timeout=SHORT)


async def test_a_checkbox_that_takes_it_back(form: Page) -> None:
    with pytest.raises(ElementUnsuitable, match="still unchecked: the page reverted it"):
        await perform(Attempt(form._tab), Check(selector="#stubborn"))


async def test_upload(form: Page, tmp_path: Path) -> None:
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path in paths:
        path.write_text(path.name)
    await perform(Attempt(form._tab), UploadFile(selector="#file", paths=str(paths[0])))
    await perform(Attempt(form._tab), UploadFile(selector="#files", paths=tuple(map(str, paths))))
    names = "Array.from(document.querySelector({!r}).files, f => f.name)"
    assert await form.evaluate(names.format("#file")) == ["a.txt"]
    assert await form.evaluate(names.format("#files")) == ["a.txt", "b.txt"]
    with pytest.raises(ElementUnsuitable, match="one file, not several"):
        await perform(
            Attempt(form._tab), UploadFile(selector="#file-label", paths=tuple(map(str, paths))), timeout=SHORT
        )
    with pytest.raises(ActionInvalid, match=r"no such file: .*nope"):
        await perform(Attempt(form._tab), UploadFile(selector="#file", paths=str(tmp_path / "nope")))
    with pytest.raises(ElementUnsuitable, match="use set_value"):
        await perform(Attempt(form._tab), UploadFile(selector="#text", paths=str(paths[0])), timeout=SHORT)


async def test_text_that_does_not_arrive_is_not_a_success(form: Page) -> None:
    # A microtask runs after the page script has seen the focus arrive, and before the text is sent.
    steal = "document.querySelector('#empty').onfocus = () => { queueMicrotask(() => text.focus()) }"
    await form.evaluate(steal)
    with pytest.raises(FocusMoved, match=r"#empty is .* the keyboard focus moved to input#text"):
        await perform(Attempt(form._tab), SetValue(selector="#empty", value="x"))
    assert await value_of(form, "#text") == "old"
    await form.evaluate(steal.replace("queueMicrotask(() => text.focus())", "text.focus()"))
    with pytest.raises(ElementUnsuitable, match="does not keep the keyboard focus"):
        await perform(Attempt(form._tab), SetValue(selector="#empty", value="x"), timeout=SHORT)
