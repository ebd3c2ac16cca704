"""A package without a page gets the error that says what to do first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools.missing import MissingFacts, explain_missing, parse_package, parse_sdk, parse_webview
from stillframe.adb.devtools.socket_listing import FoundSocket
from stillframe.errors import AndroidError, AppFrozen, AppNotRunning, NoDebuggableWebView, WebViewHasNoPages

PACKAGE = "com.example.app"
RUNNING = {4321: PACKAGE, 4400: f"{PACKAGE}:web"}
AWAKE = FoundSocket("webview_devtools_remote_4321", "webview", 4321, PACKAGE, PACKAGE, 0)
FROZEN = FoundSocket("webview_devtools_remote_4400", "webview", 4400, PACKAGE, f"{PACKAGE}:web", 915)

DUMP = """\
Packages:
  Package [com.example.app] (a1b2c3d):
    userId=10123
    versionName=1.0
    {}=[ {}HAS_CODE ALLOW_CLEAR_USER_DATA ALLOW_BACKUP ]
    privateFlags=[ PRIVATE_FLAG_DEBUGGABLE ]
"""


def facts(**known: object) -> MissingFacts:
    return MissingFacts("R58M", PACKAGE, **known)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "error", "words"),
    [
        ({"installed": False}, AppNotRunning, ["com.example.app is not installed on R58M", "pm list packages"]),
        (
            {"installed": True},
            AppNotRunning,
            ["no process of com.example.app runs on R58M", "monkey -p com.example.app 1"],
        ),
        ({}, AppNotRunning, ["no process of com.example.app runs"]),
        (
            {"processes": RUNNING},
            NoDebuggableWebView,
            ["(pid 4321)", "setWebContentsDebuggingEnabled(true)", "113.0.5656", "no other sockets"],
        ),
        (
            {"processes": RUNNING, "debuggable": True, "webview": "91.0.4472.114", "sdk": 31},
            NoDebuggableWebView,
            ["only for debuggable apps on WebView 113.0.5656 or later; this device has 91.0.4472.114"],
        ),
        ({"processes": RUNNING, "debuggable": False}, NoDebuggableWebView, ["it is a release build"]),
        (
            {"processes": RUNNING, "seen_sockets": ("chrome_devtools_remote", "webview_devtools_remote_9")},
            NoDebuggableWebView,
            ["Other sockets: chrome_devtools_remote, webview_devtools_remote_9."],
        ),
        ({"processes": RUNNING, "sockets": (FROZEN,)}, AppFrozen, ["pid 4400, oom_score_adj 915", "to the front"]),
        ({"processes": RUNNING, "sockets": (FROZEN,), "pages": ()}, AppFrozen, ["frozen"]),
        ({"processes": RUNNING, "sockets": (AWAKE, FROZEN)}, WebViewHasNoPages, ["it has no page yet"]),
        ({"processes": RUNNING, "sockets": (AWAKE,), "pages": ()}, WebViewHasNoPages, ["it has no page yet"]),
        (
            {"processes": RUNNING, "sockets": (AWAKE,), "pages": ("https://a.test/", "about:blank")},
            WebViewHasNoPages,
            ["none of its pages matches; it has https://a.test/, about:blank"],
        ),
        ({"sockets": (AWAKE,), "installed": False}, WebViewHasNoPages, ["has a DevTools socket"]),
    ],
)
def test_the_first_thing_to_solve_is_named(
    known: dict[str, object], error: type[AndroidError], words: list[str]
) -> None:
    explained = explain_missing(facts(**known))
    assert type(explained) is error
    for word in words:
        assert word in str(explained)
    assert "None" not in str(explained)


def test_the_error_carries_the_facts() -> None:
    explained = explain_missing(facts(processes=RUNNING, sdk=33, debuggable=True, seen_sockets=("other",)))
    assert isinstance(explained, NoDebuggableWebView)
    known = (explained.package, explained.pid, explained.sdk, explained.debuggable, explained.seen_sockets)
    assert known == (PACKAGE, 4321, 33, True, ("other",))


def test_a_browser_needs_no_call_in_an_app() -> None:
    chrome = MissingFacts("R58M", "com.android.chrome", processes={7: "com.android.chrome"}, debuggable=False)
    text = str(explain_missing(chrome))
    assert "first-run" in text
    assert "setWebContents" not in text


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "installed": st.none() | st.booleans(),
            "processes": st.dictionaries(st.integers(1, 9), st.just(PACKAGE), max_size=2),
            "sockets": st.lists(st.sampled_from([AWAKE, FROZEN]), max_size=3).map(tuple),
            "seen_sockets": st.lists(st.text(max_size=5), max_size=2).map(tuple),
            "pages": st.none() | st.lists(st.text(max_size=5), max_size=2).map(tuple),
            "sdk": st.none() | st.integers(21, 40),
            "debuggable": st.none() | st.booleans(),
            "webview": st.none() | st.just("113.0"),
        },
    )
)
def test_all_facts_have_an_explanation(known: dict[str, object]) -> None:
    assert PACKAGE in str(explain_missing(facts(**known)))


# -- facts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sdk"), [("34\n", 34), (" 21\r\n", 21), ("", None), ("S", None), ("1.5", None), ("123456", None)]
)
def test_the_api_level(text: str, sdk: int | None) -> None:
    assert parse_sdk(text) == sdk


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (DUMP.format("pkgFlags", "DEBUGGABLE "), (True, True)),
        (DUMP.format("flags", "SYSTEM DEBUGGABLE "), (True, True)),
        (DUMP.format("pkgFlags", ""), (True, False)),
        (DUMP.format("pkgFlags", "").replace("\n", "\r\n"), (True, False)),
        ("Unable to find package: com.example.app\n", (False, None)),
        ("Dexopt state:\n  Unable to find package: com.example.app\n", (False, None)),
        ("Can't find service: package\n", (None, None)),
        ("", (None, None)),
    ],
)
def test_whether_a_package_is_installed_and_debuggable(text: str, expected: tuple[bool | None, bool | None]) -> None:
    assert parse_package(text) == expected


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("  Current WebView package (name, version): (com.google.android.webview, 138.0.7204.179)\n", "138.0.7204.179"),
        ("  Current WebView package is null\n", None),
        ("  Current WebView package (name, version): null\n", None),
        ("Can't find service: webviewupdate", None),
        ("", None),
    ],
)
def test_the_version_of_the_webview(text: str, version: str | None) -> None:
    assert parse_webview(text) == version


@given(st.text(max_size=200))
def test_garbage_is_survived(garbage: str) -> None:
    parse_sdk(garbage)
    parse_webview(garbage)
    parse_package(garbage)
