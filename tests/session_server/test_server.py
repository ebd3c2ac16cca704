"""The background process from the outside: requests over its socket, and its ends."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import stat
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

import stillframe
from site_server import Site
from stillframe.errors import InputError, SessionExists, SessionServerFailed, SessionUnknown, StillframeError
from stillframe.session_server import background, client
from stillframe.session_server import server as session_server
from stillframe.session_server.address import SOCKET
from stillframe.session_server.background import ensure_running, stop
from stillframe.session_server.client import NotRunning, answers, request
from stillframe.session_server.messages import Greeting, line
from stillframe.session_server.server import SessionServer, sessions_for

pytestmark = pytest.mark.browser

PAGE = "<title>Shop</title><button onclick=\"cart.textContent = 'Cart 1'\">Buy</button><p id=cart>Cart 0</p>"
BUY = [{"action": "click_element", "selector": "button"}]


@contextlib.asynccontextmanager
async def running(where: Path, idle_s: float = 600) -> AsyncIterator[SessionServer]:
    """A server in this process."""
    async with sessions_for(idle_s) as server:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(where / SOCKET))
            listening.listen()
            serving = asyncio.create_task(server.serve(listening))
            try:
                yield server
            finally:
                server.stop()
                await serving
                (where / SOCKET).unlink(missing_ok=True)  # asyncio removes it from Python 3.13 on


@pytest.fixture(scope="module")
async def one_server() -> AsyncIterator[Path]:
    """The directory of one server in this process, whose browser runs already."""
    with tempfile.TemporaryDirectory(prefix="sf") as folder:
        async with running(Path(folder)):
            await request(Path(folder), "open", "first")
            yield Path(folder)


@pytest.fixture
async def shared(one_server: Path) -> AsyncIterator[Path]:
    """The directory of that server, without any session."""
    for each in (await request(one_server, "list"))["sessions"]:
        await request(one_server, "close", each["sessionId"])
    yield one_server
    for each in (await request(one_server, "list"))["sessions"]:
        await request(one_server, "close", each["sessionId"])


async def test_a_session_is_opened_used_read_and_closed(shared: Path, site: Site) -> None:
    url = site.html("/page", PAGE)
    info = await request(shared, "open", "shop", url=url)
    assert (info["sessionId"], info["url"]) == ("shop", url)
    result = await request(shared, "act", "shop", actions=BUY)
    assert result["stateChange"]["changed"][0]["to"] == "Cart 1"
    assert 'text "Cart 1"' in (await request(shared, "text", "shop", budget=1000))["text"]
    assert [each["sessionId"] for each in (await request(shared, "list"))["sessions"]] == ["shop"]
    await request(shared, "close", "shop")
    assert (await request(shared, "list"))["sessions"] == []


async def test_errors_have_their_class_on_the_other_side(shared: Path) -> None:
    with pytest.raises(SessionUnknown, match="nobody"):
        await request(shared, "act", "nobody", actions=BUY)
    await request(shared, "open", "shop")
    with pytest.raises(SessionExists):
        await request(shared, "open", "shop")
    with pytest.raises(InputError, match="unknown request 'dance'"):
        await request(shared, "dance")


@pytest.mark.parametrize("content", [b"hello\n", b"{}\n", b"\n", b'{"call": 1, "version": "x"}\n'])
async def test_what_is_not_a_request_is_an_error_and_harms_nobody(where: Path, content: bytes) -> None:
    async with running(where):
        reader, writer = await asyncio.open_unix_connection(where / SOCKET)
        writer.write(content)
        assert msgspec.json.decode(await reader.readline(), type=Greeting).version == stillframe.__version__
        assert b'"code":"input_invalid"' in await reader.readline()
        writer.close()
        assert (await request(where, "list"))["sessions"] == []


async def test_another_version_gets_an_error_that_says_what_to_do(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with running(where):
        monkeypatch.setattr(session_server, "__version__", "0.0.0")
        with pytest.raises(SessionServerFailed, match=r"run stillframe 0\.0\.0, and this command is .*session stop"):
            await request(where, "list")


async def test_changes_are_watched_whoever_causes_them(shared: Path, site: Site) -> None:
    url = site.html("/page", PAGE)
    await request(shared, "open", "shop", url=url)
    news = answers(shared, "watch", "shop")
    first = asyncio.ensure_future(anext(news))
    # The first look is the state that changes are compared with.
    while (await request(shared, "list"))["sessions"][0]["calls"] == 0 and not first.done():
        await request(shared, "act", "shop", actions=BUY)
        await request(shared, "act", "shop", actions=[{"action": "navigate", "url": url}])
    event = (await first).event
    assert event["url"] == url
    assert event["stateChange"]["changed"] or event["stateChange"]["appeared"]
    await news.aclose()


@pytest.mark.parametrize(
    ("call", "fields"),
    [
        *((call, {"none": 1}) for call in ("open", "act", "text")),
        *(("open", {name: 5}) for name in ("url", "secrets", "trace", "headless")),
        ("act", {}),
        ("act", {"actions": None}),
        ("act", {"actions": [], "options": 5}),
        ("act", {"actions": [5]}),
        ("act", {"actions": BUY, "options": {"none": 1}}),
        ("text", {}),
        ("text", {"budget": "5"}),
    ],
)
async def test_fields_that_are_wrong_are_named(shared: Path, call: str, fields: dict[str, Any]) -> None:
    session = "other" if call == "open" else "shop"
    if call != "open" and not (await request(shared, "list"))["sessions"]:
        await request(shared, "open", "shop")
    with pytest.raises(StillframeError) as caught:
        await request(shared, call, session, **fields)
    assert "bug" not in str(caught.value)


async def test_a_bug_is_an_error_and_ends_nothing(
    shared: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    await request(shared, "open", "shop")

    async def broken(*_args: Any, **_options: Any) -> None:
        raise KeyError("actions")

    monkeypatch.setattr(stillframe.Page, "aria_snapshot", broken)
    with pytest.raises(SessionServerFailed, match="a bug in stillframe: KeyError: 'actions'"):
        await request(shared, "text", "shop", budget=1000)
    assert "a request failed" in caplog.text
    assert len((await request(shared, "list"))["sessions"]) == 1


async def test_a_client_that_leaves_ends_its_call(shared: Path, site: Site) -> None:
    await request(shared, "open", "shop", url=site.html("/page", PAGE))
    wait = [{"action": "wait_for", "selector": "#never", "timeoutMs": 60_000}]
    call = asyncio.ensure_future(request(shared, "act", "shop", actions=wait))
    # Only the list tells; each look is a request.
    while not (await request(shared, "list"))["sessions"][0]["running"]:  # noqa: ASYNC110
        await asyncio.sleep(0)
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    while (await request(shared, "list"))["sessions"][0]["running"]:  # noqa: ASYNC110
        await asyncio.sleep(0)


async def test_it_ends_by_itself_when_it_is_idle(where: Path) -> None:
    async with sessions_for(0.05) as server:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(where / SOCKET))
            listening.listen()
            async with asyncio.timeout(20):
                await server.serve(listening)


# -- as a process ----------------------------------------------------------------------------------


async def test_one_process_after_another(where: Path, site: Site) -> None:
    """Each part goes on with the process that the one before has left, because a start takes longer than most."""
    await it_starts_on_demand_and_once(where)
    await it_hangs_and_is_named(where)
    await it_ends_and_the_next_one_waits_for_it(where)
    await it_is_killed_and_requests_fail(where, site)
    await it_loses_its_directory_and_leaves_the_next_one_alone(where)


async def it_starts_on_demand_and_once(where: Path) -> None:
    await asyncio.gather(*(ensure_running(where) for _ in range(4)))
    pid = (await request(where, "list"))["pid"]
    await ensure_running(where)
    assert (await request(where, "list"))["pid"] == pid
    assert pid != os.getpid()
    assert stat.S_IMODE((where / SOCKET).stat().st_mode) == 0o600


async def it_hangs_and_is_named(where: Path) -> None:
    await ensure_running(where)
    pid = (await request(where, "list"))["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(client, "GREETING_S", 0.3)
            with pytest.raises(SessionServerFailed, match=rf"process {pid} has not answered .*kill -9 {pid}"):
                await request(where, "text", "shop")
    finally:
        os.kill(pid, signal.SIGCONT)


async def it_ends_and_the_next_one_waits_for_it(where: Path) -> None:
    await ensure_running(where)
    await request(where, "open", "shop")
    before = psutil.Process((await request(where, "list"))["pid"])
    family = [before, *before.children(recursive=True)]
    assert len(family) > 2
    await request(where, "stop")
    # Its socket is closed before its browser is.
    while (where / SOCKET).exists():
        with contextlib.suppress(SessionServerFailed):
            await request(where, "list")
    await ensure_running(where)
    assert (await request(where, "list"))["pid"] != before.pid
    assert not (await asyncio.to_thread(psutil.wait_procs, family, timeout=20))[1]


async def it_is_killed_and_requests_fail(where: Path, site: Site) -> None:
    await ensure_running(where)
    await request(where, "open", "shop", url=site.html("/page", PAGE))
    wait = [{"action": "wait_for", "selector": "#never", "timeoutMs": 60_000}]
    call = asyncio.ensure_future(request(where, "act", "shop", actions=wait))
    found: dict[str, Any] = {}
    while not found or not found["sessions"][0]["running"]:
        found = await request(where, "list")
    process = psutil.Process(found["pid"])
    family = [process, *process.children(recursive=True)]
    process.send_signal(signal.SIGKILL)
    with pytest.raises(SessionServerFailed, match="ended during the request, and its sessions with it"):
        await call
    _, alive = await asyncio.to_thread(psutil.wait_procs, family, timeout=20)
    assert not alive
    with pytest.raises(NotRunning, match="stillframe session open NAME"):
        await request(where, "text", "shop")
    await ensure_running(where)
    with pytest.raises(SessionUnknown):
        await request(where, "text", "shop")


async def it_loses_its_directory_and_leaves_the_next_one_alone(where: Path) -> None:
    await ensure_running(where)
    first = psutil.Process((await request(where, "list"))["pid"])
    for name in os.listdir(where):
        (where / name).unlink()
    await ensure_running(where)
    await asyncio.to_thread(psutil.wait_procs, [first], timeout=20)
    assert not first.is_running()
    assert (await request(where, "list"))["pid"] != first.pid


@pytest.mark.slow  # to start while another one ends is the harder case
async def test_after_stop_the_next_one_starts_at_once(where: Path) -> None:
    pids = set()
    for _ in range(3):
        await ensure_running(where)
        await request(where, "open", "shop")
        pids.add((await request(where, "list"))["pid"])
        await stop(where)
    assert len(pids) == 3


async def test_one_that_ends_before_it_greets_does_not_run(where: Path) -> None:
    """As while it is killed: the kernel closes its sockets one after the other."""
    async with await asyncio.start_unix_server(lambda _, writer: writer.close(), where / SOCKET):
        with pytest.raises(NotRunning, match="stillframe session open NAME"):
            await request(where, "list")


async def test_one_that_ends_while_it_is_stopped_is_stopped(where: Path) -> None:
    async def ends(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(line(Greeting(stillframe.__version__)))
        await reader.readline()
        writer.close()

    async with await asyncio.start_unix_server(ends, where / SOCKET):
        await stop(where)


@pytest.mark.slow  # the loss of the directory is that of the socket as well
async def test_a_process_whose_socket_was_removed_ends_and_the_next_one_takes_its_place(where: Path) -> None:
    await ensure_running(where)
    await request(where, "open", "shop")
    pid = (await request(where, "list"))["pid"]
    (where / SOCKET).unlink()
    await ensure_running(where)
    found = await request(where, "list")
    assert (found["pid"] != pid, found["sessions"]) == (True, [])


async def test_a_process_that_hangs_at_its_start_is_ended(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = where / "hangs"
    program.write_text("#!/bin/sh\nexec sleep 600\n")
    program.chmod(0o700)
    monkeypatch.setattr(background, "START_S", 0.2)
    monkeypatch.setattr(background.sys, "executable", str(program))
    # That no process is left is what every test checks.
    with pytest.raises(SessionServerFailed, match="the background process did not start: it hangs"):
        await ensure_running(where)


async def test_a_directory_that_cannot_be_written_is_an_error(where: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (where / background.LOG).mkdir()
    with pytest.raises(SessionServerFailed, match=r"cannot start the background process in .*: Is a directory"):
        await ensure_running(where)


@pytest.mark.slow  # what starts while another ends is the harder case
async def test_stop_ends_the_process_and_its_browser(where: Path) -> None:
    await ensure_running(where)
    await request(where, "open", "shop")
    process = psutil.Process((await request(where, "list"))["pid"])
    family = [process, *process.children(recursive=True)]
    assert len(family) > 2
    await stop(where)
    _, alive = await asyncio.to_thread(psutil.wait_procs, family, timeout=20)
    assert not alive
    assert not (where / SOCKET).exists()


async def test_a_process_that_cannot_start_says_why(where: Path) -> None:
    (where / SOCKET).mkdir()
    with pytest.raises(SessionServerFailed, match="the background process did not start: "):
        await ensure_running(where)
    (where / SOCKET).rmdir()
