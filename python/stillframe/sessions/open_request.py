"""The request to open a session, validated before anything is launched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stillframe.api.browser import Browser, Page
from stillframe.chrome import launch_options
from stillframe.errors import OptionInvalid
from stillframe.model.sessions import SessionKind
from stillframe.sessions.page_access import check_browser_url, check_new_url
from stillframe.tab.browser_options import LAUNCH_FIELDS, BrowserOptions, split_browser_options
from stillframe.tab.options import FIELDS as CONTEXT_FIELDS
from stillframe.tab.options import parse_context_options


class OpenRequest(NamedTuple):
    """A validated request to open one session."""

    kind: SessionKind
    options: BrowserOptions
    url: str | None
    browser: Browser | None
    page: Page | None


def parse_browser_options(options: Mapping[str, Any]) -> BrowserOptions:
    """Split options into those of a launch and those of a context, and validate both; raises OptionInvalid."""
    given = split_browser_options(options)
    launch_options(**{name: value for name, value in given.launch.items() if name != "allow_schemes"})
    parse_context_options(given.context)
    return given


def parse_open_request(
    defaults: BrowserOptions,
    options: Mapping[str, Any],
    *,
    url: str | None,
    own_browser: bool,
    browser: Browser | None,
    page: Page | None,
) -> OpenRequest:
    """Validate the arguments of `Sessions.open`; raises OptionInvalid and UrlRefused."""
    kind = _kind(own_browser, browser, page)
    _refuse_misplaced(kind, options, own_browser=own_browser)
    given = parse_browser_options(options)
    merged = BrowserOptions({**defaults.launch, **given.launch}, {**defaults.context, **given.context})
    _refuse_without_policy(merged, page)
    if url is not None:
        _check_url(url, merged, browser, page)
    return OpenRequest(kind, merged, url, browser, page)


def _kind(own_browser: bool, browser: Browser | None, page: Page | None) -> SessionKind:
    arguments = {"own_browser": own_browser, "browser": browser is not None, "page": page is not None}
    given = [name for name, is_given in arguments.items() if is_given]
    if len(given) > 1:
        raise OptionInvalid(f"a session takes one of {' and '.join(given)}, not both", option=given[1])
    if page is not None and page.session_name is not None:
        raise OptionInvalid(f"the page already belongs to session {page.session_name!r}", option="page")
    return "browser" if own_browser else "page" if page is not None else "context"


def _refuse_misplaced(kind: SessionKind, options: Mapping[str, Any], *, own_browser: bool) -> None:
    """Refuse options without effect: the caller's page exists already, and a shared browser launches once."""
    for name in options:
        if kind == "page":
            raise OptionInvalid(f"option {name!r} has no effect: the page is already open", option=name)
        if name in LAUNCH_FIELDS and name not in CONTEXT_FIELDS and not own_browser:
            raise OptionInvalid(
                f"option {name!r} is for a launch: pass it to Sessions(…), or open the session with own_browser=True",
                option=name,
            )


def _refuse_without_policy(options: BrowserOptions, page: Page | None) -> None:
    """Refuse a caller's page without a policy if the sessions have one: a page keeps the policy of its context."""
    if page is not None and options.context.get("policy") is not None and page.context.policy is None:
        raise OptionInvalid(
            "the page has no policy, and these sessions have one: open its context with policy=…", option="page"
        )


def _check_url(url: str, options: BrowserOptions, browser: Browser | None, page: Page | None) -> None:
    """Raise UrlRefused as the new page of the session would."""
    if page is not None:
        page.context.check_url(url)
        return
    policy = parse_context_options(options.context).policy
    if browser is not None:
        check_browser_url(browser, url, policy)
    else:
        check_new_url(url, policy, frozenset(options.launch.get("allow_schemes", ())))
