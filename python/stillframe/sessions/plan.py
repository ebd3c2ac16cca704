"""What opening a session takes, checked before anything is launched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stillframe.chrome import LaunchOptions, launch_options
from stillframe.errors import OptionInvalid
from stillframe.model.sessions import Kind
from stillframe.model.suggest import did_you_mean
from stillframe.page.browser import Browser
from stillframe.page.navigation import ALLOWED_SCHEMES, check_url
from stillframe.page.options import FIELDS as CONTEXT_FIELDS
from stillframe.page.options import parse_context_options
from stillframe.page.page import Page

LAUNCH_FIELDS = (*LaunchOptions.__struct_fields__, "allow_schemes")


class Options(NamedTuple):
    """The options of a launch and those of a context; a proxy is in both, since its login concerns the pages."""

    launch: dict[str, Any]
    context: dict[str, Any]

    @property
    def all(self) -> dict[str, Any]:
        """Both together, as `stillframe.launch` takes them."""
        return {**self.context, **self.launch}


class Plan(NamedTuple):
    """One session to be opened."""

    kind: Kind
    options: Options
    url: str | None
    browser: Browser | None
    page: Page | None


def read_options(options: Mapping[str, Any]) -> Options:
    """Tell the options of a launch from those of a context, and check both; raises OptionInvalid."""
    for name in options:
        if name not in LAUNCH_FIELDS and name not in CONTEXT_FIELDS:
            hint = did_you_mean(name, (*LAUNCH_FIELDS, *CONTEXT_FIELDS))
            raise OptionInvalid(f"unknown option {name!r}{hint}", option=name)
    launch = {name: value for name, value in options.items() if name in LAUNCH_FIELDS}
    context = {name: value for name, value in options.items() if name in CONTEXT_FIELDS}
    launch_options(**{name: value for name, value in launch.items() if name != "allow_schemes"})
    parse_context_options(context)
    return Options(launch, context)


def plan(
    defaults: Options,
    options: Mapping[str, Any],
    *,
    url: str | None,
    own_browser: bool,
    browser: Browser | None,
    page: Page | None,
) -> Plan:
    """Say what is to be opened; raises OptionInvalid and UrlRefused for what cannot be."""
    kind = _kind(own_browser, browser, page)
    _refuse_misplaced(kind, options, own_browser=own_browser)
    given = read_options(options)
    merged = Options({**defaults.launch, **given.launch}, {**defaults.context, **given.context})
    if url is not None:
        check_url(url, _schemes(merged, browser or (page.browser if page else None)))
    return Plan(kind, merged, url, browser, page)


def _kind(own_browser: bool, browser: Browser | None, page: Page | None) -> Kind:
    ways = {"own_browser": own_browser, "browser": browser is not None, "page": page is not None}
    given = [name for name, said in ways.items() if said]
    if len(given) > 1:
        raise OptionInvalid(f"a session takes one of {' and '.join(given)}, not both", option=given[1])
    if page is not None and page.session_name is not None:
        raise OptionInvalid(f"the page is that of session {page.session_name!r} already", option="page")
    return "browser" if own_browser else "page" if page is not None else "context"


def _refuse_misplaced(kind: Kind, options: Mapping[str, Any], *, own_browser: bool) -> None:
    """Refuse what could have no effect: a page of the caller's is as it is, and a shared browser is launched once."""
    for name in options:
        if kind == "page":
            raise OptionInvalid(f"option {name!r}: the page has been opened already", option=name)
        if name in LAUNCH_FIELDS and name not in CONTEXT_FIELDS and not own_browser:
            raise OptionInvalid(
                f"option {name!r} is for a launch: give it to Sessions(…), or open the session with own_browser=True",
                option=name,
            )


def _schemes(options: Options, browser: Browser | None) -> frozenset[str]:
    if browser is not None:
        return browser.allowed_schemes
    return ALLOWED_SCHEMES | frozenset(options.launch.get("allow_schemes", ()))
