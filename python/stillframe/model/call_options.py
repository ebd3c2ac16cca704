"""The options of calls for one action, such as `Page.click`, that sequences do not have.

`model.keywords.ActionKeywords` shows them to type checkers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from stillframe.errors import OptionInvalid
from stillframe.model.options import FIELDS, python_name
from stillframe.model.playwright_parameters import OF_CALLS, PARAMETERS, playwright_option
from stillframe.model.suggest import unknown

CHECK = "check"

PLAYWRIGHT_NAMES: dict[str, str] = {
    **PARAMETERS,
    **OF_CALLS["click"],
    **OF_CALLS["select_option"],
    "timeout": "here it is action_timeout_ms (milliseconds); timeout_ms limits the wait for a still page afterwards",
}
"""Options of Playwright's actions, and what there is here instead."""


def split_check(options: Mapping[str, Any]) -> tuple[bool, dict[str, Any]]:
    """Return whether a failure raises, which is the default, and the options of the sequence.

    Raises OptionInvalid for a `check` that is not True or False, and for an unknown option.
    """
    for name in options:
        if name == CHECK or python_name(name) in FIELDS:
            continue
        if hint := PLAYWRIGHT_NAMES.get(name):
            raise playwright_option(name, hint)
        raise OptionInvalid(unknown("option", name, (*FIELDS, CHECK)), option=name)
    check = check_flag(options.get(CHECK, True))
    return check, {name: value for name, value in options.items() if name != CHECK}


def check_flag(check: object) -> bool:
    """Return `check`; raises OptionInvalid unless it is True or False."""
    if not isinstance(check, bool):
        raise OptionInvalid(
            f"option check: {check!r} is not True or False; with True a failure raises, with False it is `failed`",
            option=CHECK,
        )
    return check
