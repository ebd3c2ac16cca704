"""The request to open a session, validated before anything is launched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stillframe.adb.webview import WebView
from stillframe.api.browser import Browser, Page
from stillframe.errors import OptionInvalid
from stillframe.extend.browsers import launch_options
from stillframe.extend.options import (
    CONTEXT_FIELDS,
    LAUNCH_FIELDS,
    BrowserOptions,
    parse_context_options,
    split_browser_options,
)
from stillframe.model.sessions import SessionKind
from stillframe.sessions.page_access import check_browser_url, check_new_url, check_webview_url

WITHOUT_OPTIONS: dict[SessionKind, str] = {
    "page": "the page is already open",
    "tab": "the default context is already open; pass it to connect(…), or to launch_chrome(…)",
    "webview": "the app has already opened the WebView; pass it to android(…)",
}
"""Kinds of sessions that take no options, and why."""


class Given(NamedTuple):
    """What the caller has opened already: None for what a session opens itself."""

    browser: Browser | None = None
    page: Page | None = None
    webview: WebView | None = None


class OpenRequest(NamedTuple):
    """A validated request to open one session."""

    kind: SessionKind
    options: BrowserOptions
    url: str | None
    opened: Given


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
    own_context: bool,
    opened: Given,
) -> OpenRequest:
    """Validate the arguments of `Sessions.open`; raises OptionInvalid and UrlRefused."""
    kind = _kind(own_browser, own_context, opened)
    _refuse_misplaced(kind, options, own_browser=own_browser)
    given = parse_browser_options(options)
    merged = BrowserOptions({**defaults.launch, **given.launch}, {**defaults.context, **given.context})
    _refuse_without_policy(merged, kind, opened)
    if url is not None:
        _check_url(url, merged, kind, opened)
    return OpenRequest(kind, merged, url, opened)


def _kind(own_browser: bool, own_context: bool, opened: Given) -> SessionKind:
    arguments = {"own_browser": own_browser, **{name: each is not None for name, each in opened._asdict().items()}}
    given = [name for name, is_given in arguments.items() if is_given]
    if len(given) > 1:
        raise OptionInvalid(f"a session takes one of {' and '.join(given)}, not both", option=given[1])
    if opened.webview is not None and not isinstance(opened.webview, WebView):
        raise OptionInvalid("option webview takes a WebView, from device.webview(…)", option="webview")
    if opened.page is not None:
        refuse_taken(opened.page)
    if not own_context:
        return _kind_of_tab(given)
    kinds: dict[str, SessionKind] = {"own_browser": "browser", "page": "page", "webview": "webview"}
    return kinds.get(given[0], "context") if given else "context"


def _kind_of_tab(given: list[str]) -> SessionKind:
    if given != ["browser"]:
        raise OptionInvalid(
            "own_context=False opens a tab in the default context of a browser of yours: pass browser=…",
            option="own_context",
        )
    return "tab"


def refuse_taken(page: Page, *, option: str = "page", name: str | None = None) -> None:
    """Raise OptionInvalid if the page belongs to a session; `name` is the one that may have it."""
    if page.session_name not in (None, name):
        raise OptionInvalid(f"the page already belongs to session {page.session_name!r}", option=option)


def _refuse_misplaced(kind: SessionKind, options: Mapping[str, Any], *, own_browser: bool) -> None:
    """Refuse options without effect: the caller's page exists already, and a shared browser launches once."""
    for name in options:
        if kind in WITHOUT_OPTIONS:
            raise OptionInvalid(f"option {name!r} has no effect: {WITHOUT_OPTIONS[kind]}", option=name)
        if name in LAUNCH_FIELDS and name not in CONTEXT_FIELDS and not own_browser:
            raise OptionInvalid(
                f"option {name!r} is for a launch: pass it to Sessions(…), or open the session with own_browser=True",
                option=name,
            )


def _refuse_without_policy(options: BrowserOptions, kind: SessionKind, opened: Given) -> None:
    """Refuse a caller's page without a policy if the sessions have one: a page keeps the policy of its context."""
    if opened.page is not None:
        refuse_context_without_policy(options, opened.page, "page")
    elif kind == "tab" and opened.browser is not None:
        _require_policy(options, opened.browser.default_context.policy is not None, "browser")


def refuse_context_without_policy(options: BrowserOptions, page: Page, option: str) -> None:
    """Raise OptionInvalid if the sessions have a policy and the page has none."""
    _require_policy(options, page.context.policy is not None, option)


def _require_policy(options: BrowserOptions, has_policy: bool, option: str) -> None:
    if options.context.get("policy") is not None and not has_policy:
        raise OptionInvalid(
            f"the {option} has no policy, and these sessions have one: open its context or its device with policy=…",
            option=option,
        )


def _check_url(url: str, options: BrowserOptions, kind: SessionKind, opened: Given) -> None:
    """Raise UrlRefused as the new page of the session would."""
    policy = parse_context_options(options.context).policy
    if opened.page is not None:
        opened.page.context.check_url(url)
    elif opened.webview is not None:
        check_webview_url(opened.webview, url)
    elif opened.browser is None:
        check_new_url(url, policy, frozenset(options.launch.get("allow_schemes", ())))
    elif kind == "tab":
        opened.browser.default_context.check_url(url)
    else:
        check_browser_url(opened.browser, url, policy)
