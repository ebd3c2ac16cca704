"""What opening a session takes, checked before anything is launched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stillframe.api.browser import Browser, Page
from stillframe.chrome import LaunchOptions, launch_options
from stillframe.errors import OptionInvalid
from stillframe.model.sessions import Kind
from stillframe.model.suggest import did_you_mean
from stillframe.security.urls import ALLOWED_SCHEMES, check_url
from stillframe.tab.options import FIELDS as CONTEXT_FIELDS
from stillframe.tab.options import parse_context_options

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
    _refuse_unguarded(merged, page)
    if url is not None:
        _check_url(url, merged, browser, page)
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


def _refuse_unguarded(options: Options, page: Page | None) -> None:
    """A page of the caller's keeps the policy of its context; where one is wanted, it cannot be without."""
    if page is not None and options.context.get("policy") is not None and page.context.policy is None:
        raise OptionInvalid(
            "the page has no policy, and these sessions have one: open its context with policy=…", option="page"
        )


def _check_url(url: str, options: Options, browser: Browser | None, page: Page | None) -> None:
    """Raise UrlRefused as the context that is to be opened would."""
    if page is not None:
        page.context.check_url(url)
        return
    policy = parse_context_options(options.context).policy
    extra = frozenset(options.launch.get("allow_schemes", ()))
    if browser is not None:
        extra = browser.allowed_schemes - ALLOWED_SCHEMES
        policy = policy or browser.default_context.options.policy
    check_url(url, ALLOWED_SCHEMES | extra) if policy is None else policy.with_schemes(extra).check(url)
