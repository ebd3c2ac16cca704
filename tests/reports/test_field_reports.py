"""Values that other tools lost, changed, or took for set; README.md lists the reports."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_pages import noted, opened

from site_server import Site
from stillframe import SelectOption, SetValue
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, ElementUnsuitable


async def test_pictographs_and_line_breaks_are_typed_as_they_are(page: Page, site: Site) -> None:
    text = "👹 Tokyo street\nJapan 🇯🇵 👩‍👩‍👧 e\u0301 \U00020bb7"
    await opened(page, site, "<textarea></textarea><div contenteditable style='white-space: pre-wrap'></div>")
    await page.type("textarea", text)
    await page.type("[contenteditable]", text)
    assert await page.evaluate("document.querySelector('textarea').value") == text
    assert await page.evaluate("document.querySelector('[contenteditable]').innerText") == text


async def test_an_option_that_comes_late_is_waited_for(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<select id=city onchange="say(value)"><option value=none>Loading</select><script>
        setTimeout(() => { city.innerHTML = '<option>Bern<option>Genoa' }, 300)</script>""",
    )
    await page.select_option("#city", "Genoa")
    assert await noted(page) == "Genoa"
    with pytest.raises(ElementUnsuitable):
        await page.select_option("#city", "Paris", action_timeout_ms=100)
    assert await page.evaluate("city.value") == "Genoa"


async def test_an_option_of_a_disabled_group_is_refused(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<select id=food onchange="say(value)"><option>okra<optgroup label=Fruits disabled><option>banana</optgroup>
        <option disabled>nuts</select>""",
    )
    for name in ("banana", "nuts"):
        with pytest.raises(ActionFailed, match="disabled"):
            await page.select_option("#food", name, action_timeout_ms=100)
    assert await page.evaluate("food.value") == "okra"
    assert await noted(page) == ""


async def test_a_choice_that_the_page_takes_back_is_reported_as_without_effect(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<select id=size onchange="value = 'small'"><option>small<option>large</select>
        <input id=name oninput="value = ''">""",
    )
    for action in (SelectOption("#size", "large"), SetValue("#name", "Ann")):
        result = await page.execute_sequence([action])
        assert result.failed is not None or (result.state_change, result.reason) == (None, "no_effect")


async def test_a_file_goes_to_the_field_that_a_button_makes(page: Page, site: Site, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("hello")
    await opened(
        page,
        site,
        """<button id=up>Upload</button><script>
        up.onclick = () => {
          const field = document.createElement('input')
          field.type = 'file'
          field.onchange = async () => say(field.files[0].name + '=' + await field.files[0].text())
          field.click()
        }</script>""",
    )
    for _ in range(2):
        await page.set_input_files("#up", note)
    assert await noted(page) == "note.txt=hello note.txt=hello"
