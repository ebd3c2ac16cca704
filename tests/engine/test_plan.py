"""Plans: parsed and checked in one pass, before anything happens on the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stillframe.api.browser import Page
from stillframe.engine.plan import make_plan
from stillframe.errors import ActionInvalid, SecretUnknown, SelectorInvalid, StillframeError, UrlRefused
from stillframe.model.actions import Click, Navigate, Reload, TypeText
from stillframe.model.options import parse_options
from stillframe.model.secret import Secret, SecretName

OPTIONS = parse_options({"action_timeout_ms": 500, "timeout_ms": 1000})


class Counted(list[Any]):
    """A list that counts how often it is walked."""

    walks = 0

    def __iter__(self) -> Iterator[Any]:
        self.walks += 1
        return super().__iter__()


async def test_a_list_is_walked_once(page: Page) -> None:
    actions = Counted(
        [
            Click("#a"),
            {"action": "type_text", "text": {"secret": "abc"}, "timeoutMs": 700},
            TypeText(Secret("abcdef")),
        ]
    )
    plan = make_plan(page._tab, actions, OPTIONS)
    assert actions.walks == 1
    assert [action.kind for action in plan.actions] == ["click_element", "type_text", "type_text"]
    assert plan.secret_texts == ("abcdef", "abc")
    assert plan.limit_s == pytest.approx(0.5 + 0.7 + 0.5 + 1.0)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"action": "clik_element"}, ActionInvalid),
        (Click("css=["), SelectorInvalid),
        (Navigate("file:///etc/passwd"), UrlRefused),
        (TypeText(SecretName("pin")), SecretUnknown),
    ],
)
async def test_the_first_action_that_cannot_run_is_an_error(
    page: Page, wrong: Any, error: type[StillframeError]
) -> None:
    with pytest.raises(error):
        make_plan(page._tab, [Reload(), wrong, {"action": "nothing"}], OPTIONS)
