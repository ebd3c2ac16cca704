"""Versions and targets are read from DevTools of any age, and from what only looks like it."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools.targets import (
    DevtoolsTarget,
    EndpointVersion,
    ViewState,
    parse_targets,
    parse_version,
    parse_view,
    ranked_pages,
)
from stillframe.errors import ConnectFailed

AGENT = "Mozilla/5.0 (Linux; Android 14; Pixel 7; wv) AppleWebKit/537.36 Version/4.0 Chrome/113.0.5672.136 Mobile"
VERSION = {
    "Android-Package": "com.example.app",
    "Browser": "Chrome/113.0.5672.136",
    "Protocol-Version": "1.3",
    "User-Agent": AGENT,
    "V8-Version": "11.3.244.11",
    "WebKit-Version": "537.36",
    "webSocketDebuggerUrl": "ws://localhost/devtools/browser",
}

VIEW = {
    "attached": True,
    "empty": False,
    "height": 2064,
    "never_attached": False,
    "screenX": 0,
    "screenY": 128,
    "visible": True,
    "width": 1080,
}
"""What a recent WebView writes."""

OLD_VIEW = {"attached": True, "empty": True, "screenX": 0, "screenY": 0, "visible": False}
"""What WebView 74 writes for a view without a size."""


def row(target_id: str = "1A", **fields: object) -> dict[str, object]:
    address = f"ws://localhost/devtools/page/{target_id}"
    return {"id": target_id, "type": "page", "url": "https://a.test/", "webSocketDebuggerUrl": address, **fields}


def page(target_id: str, **view: object) -> DevtoolsTarget:
    described = json.dumps({**VIEW, **view}) if view else ""
    (target,) = parse_targets(json.dumps([row(target_id, description=described)]).encode())
    return target


# -- versions ------------------------------------------------------------------------------------


def test_a_webview_says_its_version_and_package() -> None:
    assert parse_version(json.dumps(VERSION).encode()) == EndpointVersion(
        browser="Chrome/113.0.5672.136",
        milestone=113,
        package="com.example.app",
        protocol="1.3",
        user_agent=AGENT,
        v8="11.3.244.11",
        web_socket_path="/devtools/browser",
    )


@pytest.mark.parametrize(
    ("browser", "agent", "milestone"),
    [
        ("Chrome/74.0.3729.185", "", 74),
        ("HeadlessChrome/156.0.1.2", "", 156),
        ("Version/4.0 Chrome/30.0.0.0", "", 30),
        ("Chromium/99", "", 99),
        ("", AGENT, 113),
        ("SamsungBrowser/25.0", "Chrome/121.0.0.0 Mobile", 121),
        ("Chrome/", "", None),
        ("content_shell", "", None),
        ("", "", None),
    ],
)
def test_only_the_major_version_counts(browser: str, agent: str, milestone: int | None) -> None:
    body = json.dumps({"Browser": browser, "User-Agent": agent}).encode()
    assert parse_version(body).milestone == milestone


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("ws://localhost/devtools/browser", "/devtools/browser"),
        ("ws:///devtools/browser", "/devtools/browser"),
        ("ws://127.0.0.1:9222/devtools/browser/0a-1b", "/devtools/browser/0a-1b"),
        ("ws://[::1/devtools/browser", "/devtools/browser"),
        ("http://evil.test/elsewhere", "/devtools/browser"),
        (None, "/devtools/browser"),
    ],
)
def test_the_path_of_the_browser(url: object, path: str) -> None:
    assert parse_version(json.dumps({"webSocketDebuggerUrl": url}).encode()).web_socket_path == path


def test_what_is_missing_or_of_another_type_is_unknown() -> None:
    assert parse_version(b'{"Browser": 5, "Android-Package": null}') == EndpointVersion()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'"x"', b"null", b'{"a": 1', b"[" * 100_000, b'{"a": "\xff"}'])
def test_another_answer_than_a_version_is_refused(body: bytes) -> None:
    with pytest.raises(ConnectFailed, match="/json/version") as caught:
        parse_version(body, endpoint="X:webview_devtools_remote_1")
    assert caught.value.endpoint == "X:webview_devtools_remote_1"


# -- targets -------------------------------------------------------------------------------------


def test_a_page_of_a_webview() -> None:
    body = json.dumps([row(title="Fish &amp; chips &lt;3", description=json.dumps(VIEW))]).encode()
    assert parse_targets(body) == [
        DevtoolsTarget(
            id="1A",
            type="page",
            url="https://a.test/",
            title="Fish & chips <3",
            path="/devtools/page/1A",
            view=ViewState(True, False, True, False, 0, 128, 1080, 2064),
        )
    ]


@pytest.mark.parametrize(
    ("description", "view"),
    [
        ("", None),
        (json.dumps(OLD_VIEW), ViewState(visible=False, empty=True)),
        (json.dumps(VIEW | {"never_attached": True}), ViewState(True, True, True, False, 0, 128, 1080, 2064)),
        (json.dumps({"attached": False, "visible": False}), ViewState(attached=False, visible=False)),
        ("{}", ViewState()),
        ('{"attached": tr', None),
        ('{"attached": "perhaps"}', None),
        ("[1]", None),
        ("null", None),
        ("a service worker", None),
        ("\ud800", None),
    ],
)
def test_the_description_is_json_only_for_webviews(description: str, view: ViewState | None) -> None:
    assert parse_view(description) == view


def test_an_address_that_is_missing_is_made_of_the_id() -> None:
    (target,) = parse_targets(b'[{"id": "7", "type": "page"}]')
    assert target.path == "/devtools/page/7"


def test_rows_that_are_not_targets_are_left_out() -> None:
    body = b'[{"type": "page"}, 5, null, {"id": 7}, {"id": ""}, {"id": "ok", "url": 3, "title": [], "description": {}}]'
    assert parse_targets(body) == [DevtoolsTarget("ok", "", "", "", "/devtools/page/ok")]


@pytest.mark.parametrize("body", [b"", b"{}", b"null", b"[{", b'[{"id": "\xff"}]'])
def test_another_answer_than_a_list_is_refused(body: bytes) -> None:
    with pytest.raises(ConnectFailed, match="/json/list"):
        parse_targets(body)


def test_the_page_that_a_person_looks_at_comes_first() -> None:
    ranked = [
        page("large", width=1080, height=2000),
        page("small", width=300, height=50),
        page("recent", width=300, height=50),
        page("empty", empty=True, width=None, height=None),
        page("hidden", visible=False, width=9999, height=9999),
        page("detached", attached=False, width=9999, height=9999),
    ]
    shuffled = [ranked[each] for each in (5, 4, 3, 1, 2, 0)]
    worker = DevtoolsTarget("worker", "service_worker", "", "", "/devtools/page/worker")
    assert ranked_pages([worker, *shuffled]) == ranked


def test_the_tabs_of_chrome_stay_in_the_order_of_their_activity() -> None:
    tabs = [page("3"), page("1"), page("2")]
    assert ranked_pages(tabs) == tabs


@given(st.binary(max_size=200))
def test_garbage_is_survived(garbage: bytes) -> None:
    for parse in (parse_version, parse_targets):
        with contextlib.suppress(ConnectFailed):
            parse(garbage)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
KEYS = ("id", "type", "url", "title", "description", "webSocketDebuggerUrl")


@given(st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, JSON)), max_size=4))
def test_any_rows_are_survived(rows: list[dict[str, object]]) -> None:
    targets = parse_targets(json.dumps(rows, allow_nan=False, default=str).encode()) if _is_json(rows) else []
    assert len(ranked_pages(targets)) <= len(rows)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(VIEW, JSON)))
def test_any_description_is_survived(view: dict[str, object]) -> None:
    if _is_json(view):
        parsed = parse_view(json.dumps(view))
        assert parsed is None or isinstance(parsed.area, int)


def _is_json(value: object) -> bool:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        return False
    return True
