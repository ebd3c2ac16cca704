"""Forms: logging in, validation, and what `set_value` means for every kind of field.

Cases W1, W2, W7 and W33 of docs/design/acceptance-cases.md.
"""

from __future__ import annotations

from typing import Any

import pytest

from shown import change, fields, only_changed, selectors
from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click, Focus, SetValue
from stillframe.model.secret import Secret


async def test_w1_login_fills_clicks_and_arrives(page: Page, site: Site) -> None:
    await page.goto(site.url("/w01-login.html"))
    result = await page.execute_sequence(
        [SetValue("#user", "ann"), SetValue("#pass", Secret("lantern")), Click("#submit")]
    )
    state = change(result)
    assert result.completed == 3
    assert result.stable
    assert result.reason == "navigated"
    assert "failed" not in result.to_dict()
    assert state.url is not None
    assert (state.url.from_, state.url.to) == (site.url("/w01-login.html"), site.url("/w01-welcome.html"))
    assert state.title is not None
    assert (state.title.from_, state.title.to) == ("Log in", "Home")
    assert [(row.selector, row.tag_name, row.text) for row in state.appeared] == [("#welcome", "h1", "Welcome back!")]
    assert [(row.selector, row.tag_name) for row in state.disappeared] == [("#login-form", "form")]
    assert state.changed == ()


async def test_w2_an_invalid_form_shows_its_message_and_its_class(page: Page, site: Site) -> None:
    await page.goto(site.url("/w02-invalid-form.html"))
    result = await page.execute_sequence([SetValue("#email", "nope"), Click("#submit")])
    state = change(result)
    assert result.completed == 2
    assert state.url is None
    assert [(row.selector, row.tag_name, row.role, row.text) for row in state.appeared] == [
        ("#email-error", "p", "alert", "Enter a valid e-mail address.")
    ]
    assert state.disappeared == ()
    assert fields(state.changed) == {
        ("#email", "className", "input", "input error"),
        ("#email", "value", "", "nope"),
    }


async def test_w7_a_value_that_only_the_property_holds_is_one_row(page: Page, site: Site) -> None:
    await page.goto(site.url("/w06-small-changes.html"))
    result = await page.execute_sequence([Click("#change-value")])
    assert only_changed(result) == {("#value", "value", "old", "new")}


@pytest.mark.parametrize(
    ("field", "value", "row"),
    [
        ("text", "new ünïcödé 漢字", ("value", "old", "new ünïcödé 漢字")),
        ("text", "", ("value", "old", "")),
        ("area", "two\nlines", ("value", "old", "two\nlines")),
        ("editable", "new", ("textContent", "old", "new")),
        ("select", "b", ("value", "a", "b")),
        ("select", "Banana", ("value", "a", "b")),
        ("box", True, ("checked", "false", "true")),
        ("blue", True, ("checked", "false", "true")),
        ("date", "2024-02-29", ("value", "", "2024-02-29")),
        ("time", "13:37", ("value", "", "13:37")),
        ("range", "8", ("value", "4", "8")),
        ("number", "-3.5", ("value", "", "-3.5")),
        ("paint", "#ff8800", ("value", "#000000", "#ff8800")),
    ],
)
async def test_w33_set_value_sets_every_kind_of_field(
    page: Page, site: Site, field: str, value: Any, row: tuple[str, str, str]
) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    result = await page.execute_sequence([SetValue(f"#{field}", value)])
    state = change(result)
    assert (f"#{field}", *row) in fields(state.changed)
    assert (state.appeared, state.disappeared) == ((), ())
    # The page gets the events that a user would cause: `input` when something is typed, and `change` when the focus
    # goes on, except in a contenteditable, which has no such event.
    assert f"{field}:input" in await page.evaluate("events")
    await page.execute_sequence([Focus("#password")])
    told = await page.evaluate("[...new Set(events)].sort()")
    assert told == ([f"{field}:input"] if field == "editable" else [f"{field}:change", f"{field}:input"])


async def test_w33_a_radio_button_takes_the_mark_from_its_group(page: Page, site: Site) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    result = await page.execute_sequence([SetValue("#blue", True)])
    assert only_changed(result) == {("#blue", "checked", "false", "true"), ("#red", "checked", "true", "false")}


async def test_w33_a_box_that_is_as_wanted_is_left_alone(page: Page, site: Site) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    result = await page.execute_sequence([SetValue("#box", False), SetValue("#red", True)])
    assert (result.completed, result.state_change) == (2, None)
    assert await page.evaluate("events") == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("date", "tomorrow"),
        ("time", "25:00"),
        ("range", "11"),
        ("number", "many"),
        ("paint", "orange"),
        ("select", "Cherry"),
        ("box", "yes"),
        ("text", True),
    ],
)
async def test_w33_a_value_that_the_field_cannot_hold_is_an_error(
    page: Page, site: Site, field: str, value: Any
) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    result = await page.execute_sequence([SetValue(f"#{field}", value)], action_timeout_ms=300)
    assert result.failed is not None
    assert result.failed.code == "element_unsuitable"
    assert f"#{field}" in result.failed.error
    assert (result.completed, result.state_change) == (0, None)


async def test_w33_a_password_is_typed_and_not_shown(page: Page, site: Site) -> None:
    await page.goto(site.url("/w33-inputs.html"))
    result = await page.execute_sequence([SetValue("#password", "open sesame")])
    assert await page.evaluate("password.value") == "open sesame"
    assert b"sesame" not in result.to_json()
    state = change(result)
    assert selectors(state.changed) == ["#password"]


async def test_a_field_without_a_single_attribute_tells_its_value_too(page: Page, site: Site) -> None:
    await page.goto(site.html("/bare", "<input><textarea></textarea>"))
    result = await page.execute_sequence([SetValue("input", "ann"), SetValue("textarea", "long")])
    told = {(row.tag_name, row.field, row.from_, row.to) for row in change(result).changed}
    assert told == {("input", "value", "", "ann"), ("textarea", "value", "", "long")}
