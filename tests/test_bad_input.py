"""Bad input: each kind gets an error of its own type that says what was wrong, where, and what to do.

After every test the leak check of conftest sees to it that nothing is left running.
"""

from __future__ import annotations

import asyncio
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import stillframe
from shown import selectors
from site_server import Site
from stillframe.api.browser import Browser, Page
from stillframe.cdp_types import dom_snapshot
from stillframe.errors import (
    ActionInvalid,
    BrowserNotFound,
    ConnectFailed,
    LaunchFailed,
    NavigationFailed,
    OptionInvalid,
    SelectorInvalid,
    SnapshotError,
    UrlRefused,
)
from stillframe.model.actions import Click, Navigate, SetValue, UploadFile, WaitFor


@pytest.fixture
def closed_port() -> int:
    """A port of the loopback interface on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture
def held_port() -> Iterator[int]:
    """A port that another program listens on, and never answers."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        yield held.getsockname()[1]


def says(error: BaseException, *words: str) -> None:
    text = str(error)
    for word in words:
        assert word in text, f"{word!r} is not in: {text}"


# -- actions and options -------------------------------------------------------------------------


MALFORMED: list[tuple[Any, tuple[str, ...]]] = [
    ([], ("empty", "at least one action")),
    ({"action": "reload"}, ("must be a list", "dict")),
    ([{"action": "clik_element", "selector": "#a"}], ("action 0", "clik_element", "did you mean 'click_element'")),
    ([{"selector": "#a"}], ("action 0", "no `action`", "set_value")),
    ([Click("#a"), {"action": "set_value", "selector": "#a"}], ("action 1 (set_value)", "value")),
    ([{"action": "click_element", "selector": "#a", "force": True}], ("action 0 (click_element)", "force")),
    ([{"action": "scroll", "direction": "sideways"}], ("action 0 (scroll)", "direction", "sideways")),
]


async def test_a_malformed_list_says_which_action_and_why(page: Page) -> None:
    for actions, words in MALFORMED:
        with pytest.raises(ActionInvalid) as caught:
            await page.execute_sequence(actions)
        says(caught.value, *words)


async def test_an_unknown_option_says_what_there_is(page: Page) -> None:
    with pytest.raises(OptionInvalid) as caught:
        await page.execute_sequence([Click("#a")], stabilityMss=1)
    says(caught.value, "stabilityMss", "did you mean 'stability_ms'", "Known:")


async def test_an_unknown_launch_option_says_what_there_is() -> None:
    with pytest.raises(OptionInvalid) as caught:
        async with stillframe.launch(headles=True):
            pass
    says(caught.value, "headles", "did you mean 'headless'")


async def test_an_unknown_context_option_says_what_there_is(browser: Browser) -> None:
    with pytest.raises(OptionInvalid) as caught:
        await browser.new_context(dialog="accept")
    says(caught.value, "dialog", "did you mean 'dialogs'")


# -- selectors -----------------------------------------------------------------------------------


NOT_PARSED = [
    "text=",
    "role=",
    "role=button[name=",
    "ref=",
    "~",
    "frame=#a",
    "nonsense=x",
    "frame=#a >> ",
    " ",
    'text="open',
]


async def test_a_selector_that_does_not_parse_is_refused_before_anything_runs(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    for selector in NOT_PARSED:
        with pytest.raises(SelectorInvalid) as caught:
            await page.execute_sequence([Click("#subscribe"), Click(selector)])
        assert caught.value.selector == selector
        says(caught.value, selector.strip())
        assert await page.evaluate("clicks") == [], selector


REFUSED_BY_THE_BROWSER = ["div:nope(1)", "a[href=", "#1a", "p >>> b", "//div[", "xpath=//p[foo(]", "::"]


async def test_a_selector_that_only_the_browser_can_refuse_is_a_typed_error(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    for selector in REFUSED_BY_THE_BROWSER:
        try:
            result = await page.execute_sequence([Click("#subscribe"), Click(selector)], action_timeout_ms=300)
        except SelectorInvalid as error:
            code, text = error.code, str(error)
        else:
            assert result.failed is not None, selector
            code, text = result.failed.code, result.failed.error
            # What ran before it is kept.
            assert result.completed == 1, selector
        assert code == "selector_invalid", selector
        assert selector in text


async def test_a_selector_without_a_match_names_the_page_and_the_nearest(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    result = await page.execute_sequence([Click("#subscrib")], action_timeout_ms=200)
    assert result.failed is not None
    assert result.failed.code == "element_not_found"
    for words in ("Element not found: #subscrib", "the page", "0.2 s", "nearest", "#subscribe"):
        assert words in result.failed.error


async def test_a_selector_with_many_matches_lists_them(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    result = await page.execute_sequence([Click(".many")], action_timeout_ms=200)
    assert result.failed is not None
    assert result.failed.code == "ambiguous_selector"
    for words in (".many matches 2 elements", "#one", "#two", "narrow it down"):
        assert words in result.failed.error
    assert await page.evaluate("clicks") == []


# -- targets -------------------------------------------------------------------------------------


UNSUITABLE: list[tuple[Any, str, str]] = [
    (Click("#covered"), "element_covered", "close or move"),
    (Click("#hidden"), "element_hidden", "not visible"),
    (Click("#invisible"), "element_hidden", "not visible"),
    (Click("#disabled"), "element_disabled", "disabled"),
    (SetValue("#readonly", "x"), "element_disabled", "read"),
    (SetValue("#paragraph", "x"), "element_unsuitable", "#paragraph"),
    (SetValue("#box", "x"), "element_unsuitable", "true or false"),
    (UploadFile("#box", "/etc/hostname"), "element_unsuitable", "#box"),
    (Click("ref=e999"), "element_not_found", "ref=e999"),
    (Click("frame=#nowhere >> #a"), "element_not_found", "#nowhere"),
    (Click("frame=#paragraph >> #a"), "element_unsuitable", "not a frame"),
    (WaitFor(selector="#never"), "wait_timeout", "#never"),
    (WaitFor(text="never"), "wait_timeout", "never"),
    (WaitFor(url="never"), "wait_timeout", "never"),
]


async def test_an_unsuitable_target_says_what_stands_in_the_way(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    for action, code, advice in UNSUITABLE:
        await page.evaluate("void (clicks.length = 0)")
        async with asyncio.timeout(10):
            result = await page.execute_sequence([Click("#subscribe"), action], action_timeout_ms=300)
        assert result.failed is not None, action
        assert (result.completed, result.failed.index, result.failed.code) == (1, 1, code), action
        assert advice in result.failed.error, action
        assert await page.evaluate("clicks") == ["subscribe"], action


async def test_a_detached_target_is_named_by_the_ref_that_lost_it(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    first = await page.execute_sequence([Click("#first")])
    assert first.state_change is not None
    ref = first.state_change.appeared[0].ref
    await page.evaluate("document.getElementById('first-done').remove()")
    result = await page.execute_sequence([Click(f"ref={ref}")], action_timeout_ms=300)
    assert result.failed is not None
    assert result.failed.code == "ref_stale"
    assert ref in result.failed.error


async def test_a_target_that_leaves_while_it_is_waited_for(page: Page, site: Site) -> None:
    await page.goto(site.url("/w34-targets.html"))
    await page.evaluate("void setTimeout(() => document.getElementById('disabled').remove(), 150)")
    result = await page.execute_sequence([Click("#disabled")], action_timeout_ms=600)
    assert result.failed is not None
    assert result.failed.code in ("element_not_found", "element_detached")
    assert "#disabled" in result.failed.error


async def test_a_missing_file_is_named(page: Page, site: Site, tmp_path: Path) -> None:
    await page.goto(site.html("/upload.html", '<input id="file" type="file">'))
    missing = tmp_path / "missing.txt"
    with pytest.raises(ActionInvalid, match="no such file") as caught:
        await page.execute_sequence([UploadFile("#file", str(missing))])
    assert str(missing) in str(caught.value)


# -- URLs ----------------------------------------------------------------------------------------


REFUSED_URLS: list[tuple[str, tuple[str, ...]]] = [
    ("file:///etc/passwd", ("'file' is not allowed", "http", "allow_schemes")),
    ("chrome://version", ("'chrome' is not allowed", "allow_schemes")),
    ("javascript:alert(1)", ("'javascript' is not allowed",)),
    ("JaVaScRiPt:alert(1)", ("is not allowed",)),
    ("view-source:http://127.0.0.1/", ("is not allowed",)),
    ("ftp://127.0.0.1/", ("'ftp' is not allowed",)),
    ("www.example.org", ("no scheme", "https://www.example.org")),
    ("http://", ("no host",)),
    ("http://[::1", ("not a URL",)),
    (" \tfile:///etc/passwd", ("file",)),
]


async def test_a_url_that_is_refused_says_why(page: Page, site: Site) -> None:
    await page.goto(site.url("/w20-static.html"))
    for url, words in REFUSED_URLS:
        with pytest.raises(UrlRefused) as caught:
            await page.goto(url)
        assert caught.value.url == url
        says(caught.value, *words)
        with pytest.raises(UrlRefused):
            await page.execute_sequence([Click("#nothing"), Navigate(url)])
        with pytest.raises(UrlRefused):
            await page.browser.new_page(url, context=page.context)
        assert page.url == site.url("/w20-static.html"), url
        assert page.context.pages == [page], url


@pytest.mark.browser
async def test_an_allowed_scheme_is_loaded(tmp_path: Path) -> None:
    (tmp_path / "local.html").write_text("<title>Local</title>")
    async with stillframe.launch(allow_schemes=["file"]) as browser:
        page = await browser.new_page((tmp_path / "local.html").as_uri())
        assert await page.title() == "Local"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://127.0.0.1:{closed}/", "net::ERR_CONNECTION_REFUSED"),
        ("http://nowhere.invalid/", "net::ERR_NAME_NOT_RESOLVED"),
    ],
)
async def test_an_unreachable_url_gives_the_net_error(page: Page, closed_port: int, url: str, reason: str) -> None:
    url = url.format(closed=closed_port)
    with pytest.raises(NavigationFailed) as caught:
        await page.goto(url)
    assert (caught.value.url, caught.value.reason) == (url, reason)
    says(caught.value, url, reason)


async def test_an_unreachable_url_in_a_sequence_keeps_what_ran(page: Page, site: Site, closed_port: int) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    result = await page.execute_sequence([Click("#first"), Navigate(f"http://127.0.0.1:{closed_port}/")])
    assert result.failed is not None
    assert (result.completed, result.failed.index, result.failed.code) == (1, 1, "navigation_failed")
    assert "net::ERR_CONNECTION_REFUSED" in result.failed.error


async def test_a_tab_whose_url_does_not_load_is_closed_again(page: Page, closed_port: int) -> None:
    with pytest.raises(NavigationFailed):
        await page.context.new_page(f"http://127.0.0.1:{closed_port}/")
    assert page.context.pages == [page]


async def test_a_server_that_never_answers_is_given_up(page: Page, site: Site) -> None:
    with pytest.raises(NavigationFailed) as caught:
        await page.goto(site.url("/hang"), timeout_ms=300)
    assert caught.value.reason == "timeout"
    says(caught.value, site.url("/hang"), "0.3 s")
    # The page is not lost over it.
    await page.goto(site.url("/w20-static.html"))


# -- endpoints -----------------------------------------------------------------------------------


async def refused(endpoint: str, timeout: float = 2.0) -> ConnectFailed:
    with pytest.raises(ConnectFailed) as caught:
        async with asyncio.timeout(10), stillframe.connect(endpoint, timeout_ms=timeout * 1000):
            pass
    assert caught.value.endpoint == endpoint
    says(caught.value, endpoint)
    return caught.value


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_a_dead_endpoint_is_named(closed_port: int, scheme: str) -> None:
    error = await refused(f"{scheme}://127.0.0.1:{closed_port}")
    says(error, "--remote-debugging-port")


@pytest.mark.parametrize("path", ["", "/"])
async def test_an_endpoint_that_is_a_web_site_is_told_apart(site: Site, path: str) -> None:
    error = await refused(site.url(path) if path else site.url().rstrip("/"))
    says(error, "not a DevTools endpoint")


async def test_a_websocket_that_is_not_devtools_is_told_apart(site: Site) -> None:
    await refused(f"ws://127.0.0.1:{site.port}/ws", timeout=0.5)
    await refused(f"ws://127.0.0.1:{site.port}/w20-static.html", timeout=0.5)


@pytest.mark.parametrize("scheme", ["http", "ws"])
async def test_an_endpoint_that_never_answers_is_given_up(held_port: int, scheme: str) -> None:
    await refused(f"{scheme}://127.0.0.1:{held_port}", timeout=0.3)


@pytest.mark.parametrize(
    "endpoint", ["", "ftp://127.0.0.1:9222", "http://", "127.0.0.1:notaport", "ws://127.0.0.1:9/devtools/page/ABC"]
)
async def test_an_endpoint_that_is_none_is_refused(endpoint: str) -> None:
    await refused(endpoint, timeout=0.5)


# -- launching -----------------------------------------------------------------------------------


async def fails_to_launch(**options: Any) -> LaunchFailed:
    with pytest.raises(LaunchFailed) as caught:
        async with asyncio.timeout(20), stillframe.launch(**options):
            pass
    return caught.value


@pytest.mark.browser
async def test_a_port_that_somebody_holds_is_named(held_port: int) -> None:
    says(await fails_to_launch(port=held_port), str(held_port), "another program holds", "port=0")


async def test_no_browser_says_where_it_looked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BrowserNotFound) as caught:
        async with stillframe.launch(executable=str(tmp_path / "chrome")):
            pass
    says(caught.value, str(tmp_path / "chrome"), "does not exist")
    assert caught.value.tried
    monkeypatch.setenv("STILLFRAME_CHROME", str(tmp_path / "other"))
    with pytest.raises(BrowserNotFound) as caught:
        async with stillframe.launch():
            pass
    says(caught.value, "STILLFRAME_CHROME", str(tmp_path / "other"))


async def test_no_permission_to_run_it_says_so(tmp_path: Path) -> None:
    locked = tmp_path / "chrome"
    locked.write_text("#!/bin/sh\n")
    with pytest.raises(BrowserNotFound) as caught:
        async with stillframe.launch(executable=str(locked)):
            pass
    says(caught.value, str(locked), "may not execute")
    with pytest.raises(BrowserNotFound) as caught:
        async with stillframe.launch(executable=str(tmp_path)):
            pass
    says(caught.value, "a directory")


@pytest.mark.browser
async def test_no_permission_to_make_the_profile_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    error = await fails_to_launch(profile=str(tmp_path / "file" / "profile"))
    says(error, str(tmp_path / "file"), "profile")


@pytest.mark.needs("ordinary-user")
async def test_a_profile_in_a_locked_directory_says_so(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    says(await fails_to_launch(profile=str(locked / "profile")), str(locked))


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


async def test_a_browser_that_exits_at_once_is_quoted(tmp_path: Path) -> None:
    error = await fails_to_launch(executable=script(tmp_path / "chrome", "echo last words >&2; exit 7"))
    assert error.returncode == 7
    says(error, str(tmp_path / "chrome"), "status 7", "last words")


async def test_a_browser_that_never_answers_is_ended(tmp_path: Path) -> None:
    error = await fails_to_launch(executable=script(tmp_path / "chrome", "exec sleep 1000"), timeout_ms=400)
    says(error, "did not answer within 0.4 s")


async def test_a_program_that_is_not_a_browser_is_ended(tmp_path: Path) -> None:
    await fails_to_launch(executable=script(tmp_path / "chrome", "cat <&3 >&4"), timeout_ms=1000)


# -- snapshots -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"documents":[]}',
        b'{"documents":[{}],"strings":[]}',
        b'{"documents":[{"nodes":{"parentIndex":[0]}}],"strings":["a"]}',
        b'{"documents":[],"strings":[1]}',
        b"\xff\xfe\x00",
        b"x" * 1000,
        b"[" * 100_000,
        b'{"documents":' * 100_000,
    ],
    ids=range(13),
)
def test_bytes_that_are_not_a_snapshot_are_refused(raw: bytes) -> None:
    with pytest.raises(SnapshotError) as caught:
        stillframe.Snapshot.from_cdp(raw)
    assert 0 <= caught.value.offset <= len(raw)
    assert str(caught.value)


async def test_a_truncated_snapshot_is_refused(page: Page, site: Site) -> None:
    await page.goto(site.url("/w20-static.html"))
    raw = bytes(await page.cdp_session.send_raw(dom_snapshot.CaptureSnapshot(computed_styles=["visibility"])))
    assert stillframe.Snapshot.from_cdp(raw).url == page.url
    for end in range(0, len(raw) - 1, max(1, len(raw) // 50)):
        with pytest.raises(SnapshotError):
            stillframe.Snapshot.from_cdp(raw[:end])


# -- what ran before is kept ---------------------------------------------------------------------


async def test_a_page_is_usable_after_every_kind_of_failure(page: Page, site: Site) -> None:
    await page.goto(site.url("/w03-three-buttons.html"))
    for bad in (Click("#nope"), Click("div:nope(1)"), SetValue("#first", "x"), Click("ref=e1000")):
        failed = await page.execute_sequence([bad], action_timeout_ms=150)
        assert failed.failed is not None
    result = await page.execute_sequence([Click("#first")])
    assert result.state_change is not None
    assert selectors(result.state_change.appeared) == ["#first-done"]
