"""Cassettes with a real browser: what is recorded is replayed without one, with the same results."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Awaitable, Callable, Collection, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

import stillframe
from sampling import sampled
from site_server import Site
from stillframe import Check, Click, GoBack, Navigate, PressKey, SecretName, SetValue
from stillframe.api.browser import Browser, Page
from stillframe.demo.shop import Shop
from stillframe.errors import CassetteFailed, CassetteInvalid, CassetteMismatch, OptionInvalid, StillframeError
from stillframe.tab.context.options import Viewport
from stillframe.testing import cassette_browser, record, replay
from stillframe.testing.cassette_file import read_cassette

pytestmark = pytest.mark.browser

FEW, MANY = 2, 20
"""How often a flow is replayed: once shows that it works, and more often that nothing in it is a matter of luck."""
NOWHERE = "127.0.0.1:9"
"""The address for replays: nothing listens there."""
CANARY = "canary-5up3r"

Flow = Callable[[Browser, str], Awaitable[list[Any]]]


def plain(*results: Any) -> list[Any]:
    return list(msgspec.json.decode(msgspec.json.encode(results)))


# -- flows ---------------------------------------------------------------------------------------


async def log_in(browser: Browser, url: str) -> list[Any]:
    page = await browser.new_page()
    wrong = await page.execute_sequence(
        [Navigate(f"{url}/login"), SetValue("#user", "ann"), SetValue("#pass", CANARY), Click("#submit")]
    )
    right = await page.execute_sequence([SetValue("#pass", "lantern"), Click("#submit")])
    return plain(wrong, right, (await page.aria_snapshot()).text)


async def join(browser: Browser, url: str) -> list[Any]:
    page = await browser.new_page(f"{url}/join")
    refused = await page.execute_sequence([SetValue("#email", "x"), Check("#letters"), Click("#join")])
    joined = await page.execute_sequence([SetValue("#email", "ann@example.org"), Click("#join")])
    return plain(refused, joined)


async def buy(browser: Browser, url: str) -> list[Any]:
    page = await browser.new_page(f"{url}/shop")
    first = await page.execute_sequence([Click("role=button >> nth=0")])
    second = await page.execute_sequence([Click("role=button >> nth=1")], settle="quiet")
    snapshot = await page.snapshot()
    return plain(first, second, str(snapshot.signature), await page.title())


def on(name: str, *actions: stillframe.Action, **options: Any) -> Flow:
    async def flow(browser: Browser, url: str) -> list[Any]:
        page = await browser.new_page(f"{url}/{name}")
        result = await page.execute_sequence(list(actions), **options)
        return plain(result, (await page.aria_snapshot()).text)

    return flow


async def give_up(browser: Browser, url: str) -> list[Any]:
    page = await browser.new_page(f"{url}/w14-spinner.html")
    missing = await page.click("#nowhere", timeout_ms=300, check=False)
    return plain(missing, await page.execute_sequence([Click("role=button >> nth=0")], timeout_ms=700))


def together(*flows: Flow) -> Flow:
    """Return flows as one, because to launch a browser for each takes longer than they do."""

    async def flow(browser: Browser, url: str) -> list[Any]:
        return [await each(browser, url) for each in flows]

    return flow


SHOP: dict[str, Flow] = {"log in": log_in, "join": join, "buy": buy}
SHOP["log in, and buy"] = together(log_in, buy)
PAGES: dict[str, Flow] = {
    "three buttons": on("w03-three-buttons.html", Click("role=button >> nth=0"), Click("role=button >> nth=1")),
    "noise": on("w29-ticking.html", Click("role=button >> nth=0")),
    "late render": on("w17-late-render.html", Click("role=button >> nth=0")),
    "quiet": on("w17-late-render.html", Click("role=button >> nth=0"), settle="quiet"),
    "frames": on("w31-depths.html", Click("role=button >> nth=0")),
    "keys": on("act/keyboard.html", PressKey("Tab"), PressKey("a")),
    "history": on("w12-history.html", Click("role=button >> nth=0"), GoBack()),
    "channels": on("w18-open-channels.html", Click("role=button >> nth=0")),
    "time-outs": give_up,
}
PAGES["noise, history and time-outs"] = together(PAGES["noise"], PAGES["history"], PAGES["time-outs"])


def address(url: str) -> str:
    return urlsplit(url).netloc


async def recorded(path: Path, flow: Flow, url: str) -> list[Any]:
    async with record(path, aliases={"site": address(url)}) as browser:
        return await flow(browser, url.rstrip("/"))


async def replayed(path: Path, flow: Flow) -> list[Any]:
    async with replay(path, aliases={"site": NOWHERE}) as browser:
        return await flow(browser, f"http://{NOWHERE}")


def elsewhere(results: list[Any], url: str) -> list[Any]:
    """Return results as they are at the address of the replays."""
    return list(msgspec.json.decode(msgspec.json.encode(results).replace(address(url).encode(), NOWHERE.encode())))


def often(flows: Iterable[str], few: Collection[str]) -> list[Any]:
    """Return each flow with how often it is replayed; `make test` replays a few of them a few times."""
    return sampled([(name, times) for times in (FEW, MANY) for name in flows], keep=[(name, FEW) for name in few])


@pytest.mark.every_row
@pytest.mark.parametrize(("name", "times"), often(SHOP, ["log in, and buy"]))
async def test_a_flow_in_the_shop_is_replayed_with_equal_results(tmp_path: Path, name: str, times: int) -> None:
    async with Shop() as shop:
        expected = elsewhere(await recorded(tmp_path / "a.cassette", SHOP[name], shop.url("")), shop.url(""))
    for _ in range(times):
        assert await replayed(tmp_path / "a.cassette", SHOP[name]) == expected


@pytest.mark.every_row
@pytest.mark.parametrize(("name", "times"), often(PAGES, ["noise, history and time-outs"]))
async def test_a_flow_on_a_page_is_replayed_with_equal_results(
    tmp_path: Path, site: Site, name: str, times: int
) -> None:
    expected = elsewhere(await recorded(tmp_path / "a.cassette", PAGES[name], site.url("")), site.url(""))
    for _ in range(times):
        assert await replayed(tmp_path / "a.cassette", PAGES[name]) == expected


ONCLICK = "console.log({sold: 1}); setTimeout(() => document.title = 'Bought', 150)"
CODE = f'<title>Shop</title><button onclick="{ONCLICK}">Buy</button><input>'
DATA = f"data:text/html,{CODE}"


async def bought(browser: Browser, text: str = "ann") -> str:
    page = await browser.new_page(DATA)
    page.on("console", lambda _: None)
    await page.click("text=Buy")
    await page.execute_sequence([SetValue("input", text)])
    return await page.title()


@pytest.fixture(scope="module")
async def recorded_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tape") / "a.cassette"
    async with record(path, allow_schemes=["data"], viewport={"width": 700, "height": 500}) as browser:
        assert await bought(browser) == "Bought"
    return path


@pytest.fixture
def tape(recorded_once: Path, tmp_path: Path) -> Path:
    """A copy of one recording, because to record takes longer than most replays."""
    return Path(shutil.copy(recorded_once, tmp_path))


@pytest.mark.parametrize("seed", sampled(["1", "2"], keep=["1"]))
async def test_another_process_replays_it_with_other_keys_and_another_order_of_hashes(tape: Path, seed: str) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tape), DATA]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": seed}
    )
    assert (done.stdout, done.stderr) == ("{sold: 1}\nBought\n", "")


SCRIPT = """
import asyncio, sys
import stillframe
from stillframe.testing import replay
async def main():
    async with replay(sys.argv[1]) as browser:
        page = await browser.new_page(sys.argv[2])
        page.on("console", lambda message: print(message.text))
        await page.click("text=Buy")
        await page.execute_sequence([stillframe.SetValue("input", "ann")])
        print(await page.title())
asyncio.run(main())
"""


async def test_a_replay_needs_no_options_that_the_cassette_has(tape: Path) -> None:
    async with replay(tape) as browser:
        assert await bought(browser) == "Bought"
        assert browser.default_context.options.viewport == Viewport(700, 500)


async def test_a_difference_ends_the_call_and_says_what_differs(tape: Path) -> None:
    message = r'command \d+ is Runtime.callFunctionOn .* arguments\[2\].value.value was "ann" and is "bob"'
    with pytest.raises(CassetteMismatch, match=message) as caught:
        await replay_of(tape, lambda browser: bought(browser, "bob"))
    assert caught.value.number is not None
    assert caught.value.path == str(tape)


async def replay_of(tape: Path, code: Callable[[Browser], Awaitable[Any]]) -> Any:
    async with replay(tape) as browser:
        return await code(browser)


async def test_code_that_hides_the_mismatch_gets_it_at_the_end_of_the_block(tape: Path) -> None:
    with pytest.raises(CassetteMismatch, match='and is "bob"'):
        await replay_of(tape, bought_quietly)


async def bought_quietly(browser: Browser) -> str | None:
    try:
        return await bought(browser, "bob")
    except StillframeError:
        return None


async def test_an_assertion_of_the_code_after_a_mismatch_has_it_as_a_note(tape: Path) -> None:
    async def expecting(browser: Browser) -> None:
        assert await bought_quietly(browser) == "Bought"

    with pytest.raises(AssertionError) as caught:
        await replay_of(tape, expecting)
    assert any("the replay differs from the cassette" in note for note in caught.value.__notes__)


async def test_more_than_was_recorded_is_a_mismatch(tape: Path) -> None:
    async def twice(browser: Browser) -> None:
        await bought(browser)
        await browser.new_page(DATA)

    with pytest.raises(CassetteMismatch):
        await replay_of(tape, twice)


async def test_secrets_are_nowhere_in_the_cassette_and_may_differ_in_the_replay(tmp_path: Path) -> None:
    path, fields = tmp_path / "a.cassette", "<input id=a type=password><input id=b><input id=c type=password>"
    actions = [SetValue("#a", SecretName("login")), SetValue("#b", SecretName("login")), SetValue("#c", "tulips-92")]

    async def fill(browser: Browser) -> list[Any]:
        page = await browser.new_page(f"data:text/html,{fields}")
        return plain(await page.execute_sequence(actions))

    async with record(path, allow_schemes=["data"], secrets={"login": CANARY}) as browser:
        expected = await fill(browser)
    content = path.read_bytes()
    assert CANARY.encode() not in content
    assert b"tulips-92" not in content
    for secret in (CANARY, "another-one"):
        async with replay(path, secrets={"login": secret}) as browser:
            assert await fill(browser) == expected


async def test_a_disk_that_is_full_while_secrets_are_hidden_keeps_the_first_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = record(tmp_path / "a.cassette", allow_schemes=["data"])
    browser = await recording.__aenter__()
    page = await browser.new_page("data:text/html,<input type=password>")
    assert (await page.execute_sequence([SetValue("input", CANARY)])).completed == 1
    with monkeypatch.context() as patched:
        patched.setattr("stillframe.trace.file.os.write", full_disk_for("a.cassette.new"))
        with pytest.raises(CassetteFailed, match="No space left on device"):
            await recording.__aexit__(None, None, None)
    assert os.listdir(tmp_path) == ["a.cassette.partial"]


def full_disk_for(name: str) -> Callable[[int, bytes], int]:
    def write(descriptor: int, content: bytes) -> int:
        if Path(f"/proc/self/fd/{descriptor}").readlink().name.endswith(name):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return WRITE(descriptor, content)

    return write


async def test_once_records_the_first_time_and_replays_from_then_on_also_if_the_code_failed(tmp_path: Path) -> None:
    path = tmp_path / "a.cassette"
    for launched in (True, False):
        with pytest.raises(ZeroDivisionError):
            await failing(path, launched)
        assert read_cassette(path).is_complete
        assert os.listdir(tmp_path) == ["a.cassette"]
    assert await replay_of(path, bought) == "Bought"


async def failing(path: Path, launched: bool) -> None:
    async with cassette_browser(path, "once", allow_schemes=["data"], max_bytes=1_000_000) as browser:
        assert await bought(browser) == "Bought"
        assert (browser.info.pid is not None) is launched
        raise ZeroDivisionError


async def test_none_never_records_and_another_mode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CassetteInvalid, match="No such file"):
        await cassette_browser(tmp_path / "none.cassette", "none").__aenter__()
    with pytest.raises(OptionInvalid, match="'none', 'once' or 'all'"):
        cassette_browser(tmp_path / "none.cassette", "never")  # type: ignore[arg-type]


async def test_a_running_browser_is_recorded_too(tmp_path: Path) -> None:
    path = tmp_path / "a.cassette"
    async with (
        stillframe.launch(port=0) as running,
        record(path, endpoint=running.info.endpoint, allow_schemes=["data"]) as browser,
    ):
        await bought(browser)
    assert await replay_of(path, bought) == "Bought"


async def test_a_cassette_that_cannot_be_written_says_so_and_leaves_no_browser(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CassetteFailed, match="cannot be written: "):
        await record(tmp_path / "file" / "a.cassette").__aenter__()


async def test_the_code_goes_on_when_the_disk_is_full_and_the_end_of_the_block_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.cassette"
    recording = record(path, allow_schemes=["data"])
    browser = await recording.__aenter__()
    with monkeypatch.context() as patched:
        patched.setattr("stillframe.trace.file.os.write", full_disk)
        assert await bought(browser) == "Bought"
    with pytest.raises(CassetteFailed, match="No space left on device"):
        await recording.__aexit__(None, None, None)
    assert not path.exists()
    assert read_cassette(tmp_path / "a.cassette.partial").entries


WRITE = os.write


def full_disk(descriptor: int, content: bytes) -> int:
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return WRITE(descriptor, content)


async def test_one_cassette_at_a_time_and_none_with_a_virtual_clock(tape: Path, tmp_path: Path) -> None:
    async with replay(tape):
        with pytest.raises(OptionInvalid, match="one block of record or replay at a time"):
            await replay(tape).__aenter__()
    with pytest.raises(OptionInvalid, match="cannot play settle='virtual'"):
        await record(tmp_path / "b.cassette", virtual_time=True).__aenter__()


async def test_a_live_browser_works_after_a_replay(tape: Path, page: Page) -> None:
    assert await replay_of(tape, bought) == "Bought"
    assert await page.evaluate("1 + 1") == 2
    assert (await page.settle()).stable


KILLED = """
import asyncio, os, signal, sys
from stillframe.testing import record
async def main():
    async with record(sys.argv[1], allow_schemes=["data"]) as browser:
        await browser.new_page(sys.argv[2])
        os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(main())
"""


async def test_what_was_recorded_before_the_process_was_killed_can_be_replayed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path / "a.cassette"), DATA]
    assert (await asyncio.to_thread(subprocess.run, command)).returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == ["a.cassette.partial"]
    async with replay(tmp_path / "a.cassette.partial") as browser:
        assert (await browser.new_page(DATA)).url == DATA


async def test_a_long_pause_of_the_code_takes_no_time_from_its_limits(tmp_path: Path) -> None:
    async def paused(browser: Browser, seconds: float) -> str:
        page = await browser.new_page(DATA)
        await asyncio.sleep(seconds)
        await page.click("text=Buy", timeout_ms=1000)
        return await page.title()

    async with record(tmp_path / "a.cassette", allow_schemes=["data"]) as browser:
        assert await paused(browser, 1.5) == "Bought"
    async with replay(tmp_path / "a.cassette") as browser:
        assert await paused(browser, 0) == "Bought"
