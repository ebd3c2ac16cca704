"""The option `check`, and the errors for unknown options."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.errors import OptionInvalid
from stillframe.model.call_options import PLAYWRIGHT_NAMES, split_check


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, (True, {})),
        ({"check": False, "limit": 3}, (False, {"limit": 3})),
        ({"check": True, "timeoutMs": 10}, (True, {"timeoutMs": 10})),
    ],
    ids=["default", "off", "on"],
)
def test_check_is_taken_out_of_the_options_of_the_sequence(options: dict[str, Any], expected: Any) -> None:
    given = dict(options)
    assert split_check(options) == expected
    assert options == given


@pytest.mark.parametrize("value", [0, 1, None, "no"])
def test_a_check_that_is_not_a_bool_is_refused(value: object) -> None:
    with pytest.raises(OptionInvalid, match="not True or False") as caught:
        split_check({"check": value})
    assert caught.value.option == "check"


@pytest.mark.parametrize("name", PLAYWRIGHT_NAMES)
def test_an_option_of_playwright_is_refused_with_ours(name: str) -> None:
    with pytest.raises(OptionInvalid, match="Playwright") as caught:
        split_check({name: 1})
    assert caught.value.option == name


def test_timeout_names_the_limit_of_the_action() -> None:
    with pytest.raises(OptionInvalid, match=r"action_timeout_ms \(milliseconds\)"):
        split_check({"timeout": 5000})


def test_an_unknown_option_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'check'"):
        split_check({"chek": False})
