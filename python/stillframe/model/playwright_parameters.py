"""Parameters of Playwright that the calls of the same name do not take here, and ours for them.

`tests/api/test_playwright_names.py` compares the tables with the package.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import iscoroutinefunction, isfunction
from typing import Any, TypeVar, cast

from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown

T = TypeVar("T")
Method = TypeVar("Method", bound=Callable[..., Any])

NONE = "there is no such option here: "

PARAMETERS: dict[str, str] = {
    "delay": "here it is delay_ms (milliseconds)",
    "force": f"{NONE}an action does only what a user could do; for more, call evaluate",
    "max_retries": f"{NONE}a request that fails raises; send it again",
    "no_wait_after": "leave it out: a call waits only for what its action caused",
    "steps": f"{NONE}page.mouse.move has it, for moves and drags by hand",
    "strict": "leave it out: a selector must match one element; choose one of several with `>> nth=0`",
    "timeout": "here it is timeout_ms (milliseconds)",
    "trial": f"{NONE}wait_for waits for an element without an action",
    "wait_until": "here it is until",
}
"""What there is here instead of parameters that many calls have."""

SCROLL = {"scroll": "leave it out: only an element that is not in view is scrolled"}
PATTERN = "here it is pattern, the first argument"
URL, URL_OR_PREDICATE = {"url": PATTERN}, {"url_or_predicate": PATTERN}
FILTER = {"filter": "leave it out: what the current document has logged or thrown is returned"}
HANDLER = {"f": "here it is handler, the second argument"}

OF_CALLS: dict[str, dict[str, str]] = {
    **dict.fromkeys(("click", "dblclick", "hover", "tap", "drag_to", "drag_and_drop"), SCROLL),
    **dict.fromkeys(("check", "uncheck", "set_checked"), SCROLL),
    **dict.fromkeys(("on", "once", "remove_listener"), HANDLER),
    **dict.fromkeys(("route", "unroute", "route_web_socket"), URL),
    **dict.fromkeys(("expect_request", "expect_response"), URL_OR_PREDICATE),
    **dict.fromkeys(("console_messages", "page_errors"), FILTER),
    "aria_snapshot": {
        "boxes": f"{NONE}locator.bounding_box() has the box of an element",
        "depth": f"{NONE}budget limits the length, and scope says which part of the page is read",
        "mode": f"{NONE}the text always has references to elements, as Playwright's for models has",
    },
    "close": {
        "reason": f"{NONE}calls that are interrupted say what was closed",
        "run_before_unload": f"{NONE}a page never asks before it closes",
    },
    "content": {"include_shadow": f"{NONE}aria_snapshot and inner_text read shadow roots"},
    "expect_event": {"predicate": "leave it out: the expect_event of workers takes none"},
    "fetch": {"url_or_request": "here it is url, the first argument"},
    "get_by_role": {"description": f"{NONE}select by another attribute, or filter the locator"},
    "highlight": {"style": f"{NONE}all highlights look the same"},
    "locator": {"selector_or_locator": "here it is selector, the first argument"},
    "route_from_har": {
        "har": "here it is path, the first argument",
        "update_content": "leave it out: bodies are kept in the file",
        "update_mode": "leave it out: a recording has everything",
    },
    "screenshot": {"mask": f"{NONE}the screenshots of pages and locators have it"},
    "select_option": {"element": "here it is the value, the label or the index of the option"},
    "storage_state": {"credentials": f"{NONE}passkeys are not part of a state"},
    "unroute_all": {"behavior": "leave it out: handlers that run still decide, and what they raise is logged"},
}
"""The same for the parameters of some calls, by the name of the call."""

UNEXPECTED = re.compile(r"got an unexpected keyword argument '(\w+)'$")
"""How Python reports a parameter that a function does not have."""


def ours(call: str, name: str) -> str | None:
    """Return what there is here instead of a parameter of Playwright's, or None for any other name."""
    return OF_CALLS.get(call, {}).get(name) or PARAMETERS.get(name)


def option_error(call: str, name: str, known: Iterable[str]) -> OptionInvalid:
    """Return the error for an option that a call does not take: it is Playwright's, or unknown."""
    text = ours(call, name)
    return OptionInvalid(unknown("option", name, known), option=name) if text is None else playwright_option(name, text)


def playwright_option(name: str, text: str) -> OptionInvalid:
    """Return the error for a parameter of Playwright's; `text` says what there is here instead."""
    return OptionInvalid(f"option {name} is Playwright's; {text}", option=name)


def misnamed(call: str, error: TypeError, given: Mapping[str, object]) -> OptionInvalid | None:
    """Return the error for a call with a keyword that is Playwright's, or None if something else is wrong with it."""
    found = UNEXPECTED.search(str(error))
    if not found or found[1] not in given:
        return None
    text = ours(call, found[1])
    return None if text is None else playwright_option(found[1], text)


def bind(method: Callable[..., T], args: Sequence[Any], kwargs: Mapping[str, Any]) -> T:
    """Call a method; a keyword that is Playwright's raises OptionInvalid, which says what there is here."""
    try:
        return method(*args, **kwargs)
    except TypeError as error:
        if (problem := misnamed(method.__name__, error, kwargs)) is not None:
            raise problem from None
        raise


def named(method: Method) -> Method:
    """Wrap a method so that all its calls go through `bind`."""
    if iscoroutinefunction(method):

        @wraps(method)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            return await bind(method, args, kwargs)

        return cast("Method", waiting)

    @wraps(method)
    def calling(*args: Any, **kwargs: Any) -> Any:
        return bind(method, args, kwargs)

    return cast("Method", calling)


def name_parameters(cls: type[T]) -> type[T]:
    """Wrap all public methods of a class by `named`."""
    for name, method in list(vars(cls).items()):
        if isfunction(method) and not name.startswith("_"):
            setattr(cls, name, named(method))
    return cls
