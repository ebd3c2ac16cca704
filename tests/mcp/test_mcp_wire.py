"""The MCP server on the wire, called by a client that shares no code with the SDK.

Both protocol eras, and bad input.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import psutil
import pytest
from mcp_client import Era, Gone, HttpClient, Refused, StdioClient, over_http, over_stdio
from server_process import BOUND, COMMAND, HttpServer, serving

from site_server import Site

pytestmark = pytest.mark.browser

ERAS = pytest.mark.parametrize("era", ["handshake", "stateless"])
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
FOREVER: dict[str, Any] = {
    "actions": [{"action": "wait_for", "selector": "#never"}],
    "actionTimeoutMs": 60_000,
}


def names(tools: list[dict[str, Any]]) -> set[str]:
    return {tool["name"] for tool in tools}


def clicked(reply: Any) -> list[str]:
    """Return the selectors that appeared; the reply must be a success."""
    assert not reply.is_error, reply.text
    assert reply.structured is not None
    return [row["selector"] for row in reply.structured["stateChange"]["appeared"]]


async def busy(client: StdioClient | HttpClient, name: str, running: bool = True, waiting: int = 0) -> None:
    """Return when a session has a running call (or none), and `waiting` calls that wait."""
    async with asyncio.timeout(BOUND):
        while True:
            reply = await client.call("sessions", {"action": "list", "sessionId": name})
            assert reply.structured is not None, reply.text
            (info,) = (info for info in reply.structured["sessions"] if info["sessionId"] == name)
            if (info["running"], info["waiting"]) == (running, waiting):
                return


@asynccontextmanager
async def session(client: StdioClient | HttpClient, name: str, url: str) -> AsyncIterator[str]:
    """Open a session for the block."""
    reply = await client.call("sessions", {"action": "open", "sessionId": name, "url": url})
    assert not reply.is_error, reply.text
    yield name
    assert not (await client.call("sessions", {"action": "close", "sessionId": name})).is_error


def click(name: str, selector: str = "#first") -> dict[str, Any]:
    """Return the arguments of a sequence with one click."""
    return {"sessionId": name, "actions": [{"action": "click_element", "selector": selector}]}


async def forever(client: StdioClient | HttpClient, name: str) -> asyncio.Task[Any]:
    """Start a call that hangs in a session, with the session's id as its id, and return when it runs."""
    task = asyncio.create_task(client.call("execute_sequence", {"sessionId": name, **FOREVER}, id=name))
    await busy(client, name)
    return task


# -- over stdio ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def client() -> AsyncIterator[StdioClient]:
    """One server for all tests that leave it running."""
    async with over_stdio(COMMAND) as client:
        yield client


@pytest.mark.slow  # over HTTP this is one server for both, and the tests below end servers over stdio
@ERAS
async def test_tools_are_listed_and_called_in_both_eras(era: Era, site: Site) -> None:
    async with over_stdio(COMMAND, era=era) as client:
        assert names(await client.tools()) >= {
            "execute_sequence",
            "aria_snapshot",
            "navigate",
            "screenshot",
            "sessions",
        }
        reply = await client.call("navigate", {"url": site.url("/w03-three-buttons.html")})
        assert "First" in reply.text
        actions = [{"action": "click_element", "selector": "#first"}, {"action": "click_element", "selector": "#third"}]
        reply = await client.call("execute_sequence", {"actions": actions}, progress="p1")
        assert clicked(reply) == ["#first-done", "#third-done"]
        told = [note["params"] for note in client.notifications if note["method"] == "notifications/progress"]
        assert [note["progressToken"] for note in told] == ["p1"] * len(told)
        steps = [note["progress"] for note in told]
        assert len(steps) >= 2
        assert steps == sorted(set(steps))
    assert client.process.returncode == 0


async def test_malformed_frames_get_an_error_and_do_not_end_the_connection(client: StdioClient) -> None:
    frames = (
        b"{",
        b"[]",
        b"null",
        b"7",
        b'"text"',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1}',
    )
    client.strays.clear()
    for frame in frames:
        await client.send(frame)
    await client.send(b'{"jsonrpc":"2.0","id":9,"result":{}}')  # an answer to what nobody asked: not answered
    assert "execute_sequence" in names(await client.tools())
    assert [stray["error"]["code"] in (PARSE_ERROR, INVALID_REQUEST) for stray in client.strays] == [True] * len(frames)
    assert {stray["id"] for stray in client.strays} == {None}


async def test_an_oversized_line_is_refused_and_the_next_one_read(client: StdioClient) -> None:
    client.strays.clear()
    huge = client.message("tools/call", {"name": "navigate", "arguments": {"url": "x" * 5_000_000}}, id=1)
    await client.deliver(huge)
    assert "execute_sequence" in names(await client.tools())
    assert [stray["error"]["code"] for stray in client.strays] == [INVALID_REQUEST]


@pytest.mark.parametrize(
    ("tool", "arguments", "named"),
    [
        ("execute_sequnce", {}, "execute_sequence"),
        ("execute_sequence", {"actoins": []}, "actions"),
        ("execute_sequence", {"actions": "click"}, "actions"),
        ("execute_sequence", {"actions": []}, "at least one"),
        ("execute_sequence", {"actions": [{"action": "clikc_element"}]}, "click_element"),
        ("execute_sequence", {"actions": [{"action": "click_element", "selector": 7}]}, "selector"),
        ("execute_sequence", {"actions": [{"action": "reload"}], "timeoutMs": -1}, "timeoutMs"),
        ("execute_sequence", {"actions": [{"action": "reload"}], "sessionId": "nobody"}, "no session 'nobody'"),
        ("sessions", {"action": "open", "sessionId": "a b"}, "letters, digits"),
        ("sessions", {"action": "close", "sessionId": "nobody"}, "no session 'nobody'"),
        ("sessions", {"action": "dance"}, "action"),
        ("navigate", {}, "url"),
        ("aria_snapshot", {"budget": "much"}, "budget"),
        ("screenshot", {"fullPage": "yes"}, "fullPage"),
    ],
)
async def test_unknown_tools_and_arguments_are_named(
    client: StdioClient, tool: str, arguments: dict[str, Any], named: str
) -> None:
    try:
        reply = await client.call(tool, arguments)
        told = reply.text if reply.is_error else ""
    except Refused as error:
        told = f"{error.message} {json.dumps(error.data)}"
    assert named in told


async def test_an_unknown_method_is_an_error(client: StdioClient) -> None:
    with pytest.raises(Refused) as caught:
        await client.request("no/such")
    assert caught.value.code == METHOD_NOT_FOUND


async def test_a_cancelled_call_ends_in_the_browser_and_leaves_the_session_usable(
    client: StdioClient, site: Site
) -> None:
    async with session(client, "cancelled", site.url("/w03-three-buttons.html")) as name:
        hanging = await forever(client, name)
        await client.cancel(name)
        await busy(client, name, running=False)
        assert clicked(await client.call("execute_sequence", click(name))) == ["#first-done"]
        hanging.cancel()


@pytest.mark.slow  # test_mcp_calls.py has this without a process
async def test_two_calls_at_once_on_one_session_run_one_after_the_other(client: StdioClient, site: Site) -> None:
    async with session(client, "twice", site.url("/w03-three-buttons.html")) as name:
        calls = [client.call("execute_sequence", click(name, selector)) for selector in ("#first", "#third")]
        assert [clicked(reply) for reply in await asyncio.gather(*calls)] == [["#first-done"], ["#third-done"]]


async def test_a_call_that_hangs_does_not_hold_up_other_sessions(client: StdioClient, site: Site) -> None:
    async with session(client, "hanging", site.url("/w20-static.html")) as hangs:
        hanging = await forever(client, hangs)
        async with session(client, "going", site.url("/w03-three-buttons.html")) as goes:
            assert clicked(await client.call("execute_sequence", click(goes))) == ["#first-done"]
        assert not hanging.done()
    # Closing its session has ended the call.
    assert (await hanging).structured["failed"]["code"] == "target_closed"


async def test_a_killed_browser_ends_the_call_with_advice_and_a_client_that_goes_away_leaves_no_other(
    site: Site,
) -> None:
    url = site.url("/w03-three-buttons.html")
    async with over_stdio(COMMAND, era="stateless") as client:  # the other tests shake hands
        assert "execute_sequence" in names(await client.tools())
        async with session(client, "killed", url) as name:
            hanging = await forever(client, name)
            for process in psutil.Process(client.process.pid).children():
                os.kill(process.pid, signal.SIGKILL)
            async with asyncio.timeout(BOUND):
                reply = await hanging
            assert "connection_lost" in json.dumps([reply.structured, reply.error])
            again = await client.call("aria_snapshot", {"sessionId": name})
            assert again.is_error
            assert "close the session" in again.text
        assert not (await client.call("sessions", {"action": "open", "sessionId": "killed", "url": url})).is_error
        assert clicked(await client.call("execute_sequence", click("killed"))) == ["#first-done"]
        hanging = await forever(client, "killed")
        below = psutil.Process(client.process.pid).children(recursive=True)
        assert below
        assert await client.close(patience=BOUND) == 0
        with pytest.raises((Gone, Refused)):
            await hanging
    _, alive = psutil.wait_procs(below, timeout=BOUND)
    assert not alive


# -- over HTTP -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def servers() -> AsyncIterator[Callable[[], Awaitable[HttpServer]]]:
    """Gives the server for the tests here, and another one once a test has ended it."""
    started: list[HttpServer] = []
    async with AsyncExitStack() as stack:

        async def running() -> HttpServer:
            if not started or started[-1].process.returncode is not None:
                started.append(await stack.enter_async_context(serving()))
            return started[-1]

        yield running


@pytest.fixture
async def http(servers: Callable[[], Awaitable[HttpServer]]) -> HttpServer:
    """One server for all tests that leave it running."""
    return await servers()


@pytest.fixture
def shared_parts(shared_parts: None, request: pytest.FixtureRequest) -> None:
    """Start the server before the look at what is there, so that it is not taken for a leak."""
    if "http" in request.fixturenames:
        request.getfixturevalue("http")


@ERAS
async def test_http_serves_both_eras(http: HttpServer, era: Era, site: Site) -> None:
    async with over_http(http.url, era=era, token=http.token) as client:
        assert "execute_sequence" in names(await client.tools())
        async with session(client, f"http-{era}", site.url("/w03-three-buttons.html")) as name:
            reply = await client.call("execute_sequence", click(name), progress=1)
            assert clicked(reply) == ["#first-done"]
        assert {note["method"] for note in client.notifications} == {"notifications/progress"}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Host": "localhost"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://127.0.0.1"}, 403),
        ({"Authorization": None}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic dXNlcjpwYXNz"}, 401),
    ],
)
@ERAS
async def test_who_comes_by_another_name_or_without_the_token_is_turned_away(
    http: HttpServer, era: Era, headers: dict[str, str | None], status: int
) -> None:
    async with over_http(http.url, era=era, token=http.token, greet=False) as client:
        answer = await client.post(client.message("tools/list", id=1), headers)
        assert answer.status == status, answer.text
        assert "execute_sequence" not in answer.text


async def test_the_token_is_checked_before_anything_is_read(http: HttpServer) -> None:
    async with over_http(http.url, token="wrong", greet=False) as client:
        for body in (b"{", b"x" * 5_000_000, json.dumps(client.message("tools/list", id=1)).encode()):
            with contextlib.suppress(Gone):  # the connection may be closed before all is sent
                assert (await client.post(body)).status == 401


async def test_the_right_origin_is_let_in(http: HttpServer) -> None:
    origin = http.url.removesuffix("/mcp")
    async with over_http(http.url, era="stateless", token=http.token, greet=False) as client:
        client.headers["Origin"] = origin
        assert "execute_sequence" in names(await client.tools())


@ERAS
async def test_bodies_that_are_not_a_message_get_an_error(http: HttpServer, era: Era) -> None:
    async with over_http(http.url, era=era, token=http.token) as client:
        for body, code in (
            (b"{", PARSE_ERROR),
            (b"\xff\xfe", PARSE_ERROR),
            (b"[" * 100_000, PARSE_ERROR),
            (b"7", None),
            (b"[]", None),
        ):
            answer = await client.post(body)
            assert 400 <= answer.status < 500, (body[:20], answer.status)
            if code is not None and answer.messages:
                assert answer.messages[0]["error"]["code"] in (code, INVALID_REQUEST)
        assert "execute_sequence" in names(await client.tools())


async def test_an_oversized_body_is_refused(http: HttpServer) -> None:
    async with over_http(http.url, era="stateless", token=http.token) as client:
        huge = {"name": "navigate", "arguments": {"url": "http://127.0.0.1/" + "x" * 5_000_000}}
        try:
            answer = await client.post(client.message("tools/call", huge, id=1))
            assert answer.status == 413
        except Gone:
            pass  # it may close the connection instead of reading all
        assert "execute_sequence" in names(await client.tools())


async def test_headers_that_do_not_fit_the_body_are_refused(http: HttpServer) -> None:
    async with over_http(http.url, era="stateless", token=http.token) as client:
        message = client.message("tools/call", {"name": "sessions", "arguments": {}}, id=1)
        for headers in (
            {"Mcp-Method": "tools/list"},
            {"Mcp-Name": "navigate"},
            {"MCP-Protocol-Version": "1999-01-01"},
            {"Content-Type": "text/plain"},
            {"Accept": "text/html"},
        ):
            answer = await client.post(message, headers)
            assert 400 <= answer.status < 500, (headers, answer.text)
        assert not (await client.call("sessions")).is_error


async def test_a_client_that_hangs_up_ends_its_call_and_leaves_the_session_usable(http: HttpServer, site: Site) -> None:
    async with (
        over_http(http.url, era="stateless", token=http.token) as client,
        session(client, "hung-up", site.url("/w03-three-buttons.html")) as name,
    ):
        async with over_http(http.url, era="stateless", token=http.token) as leaving:
            call = await forever(leaving, name)
            call.cancel()
            await asyncio.wait([call])
        await busy(client, name, running=False)
        assert clicked(await client.call("execute_sequence", click(name))) == ["#first-done"]


async def test_a_call_over_http_is_taken_back_in_the_handshake_era_but_not_by_another_client(
    http: HttpServer, site: Site
) -> None:
    async with (
        over_http(http.url, era="handshake", token=http.token) as client,
        over_http(http.url, era="handshake", token=http.token) as stranger,
    ):
        async with session(client, "taken-back", site.url("/w03-three-buttons.html")) as name:
            hanging = await forever(client, name)
            await stranger.cancel(name)
            assert not (await stranger.call("sessions", {"action": "list"})).is_error
            assert not hanging.done()
            await client.cancel(name)
            await busy(client, name, running=False)
            assert clicked(await client.call("execute_sequence", click(name))) == ["#first-done"]
            hanging.cancel()
        assert await client.end_session() == 200
        with pytest.raises(Refused, match="Session not found"):
            await client.tools()


@pytest.mark.slow  # test_mcp_calls.py has two calls at once, the test above two clients
async def test_two_clients_at_once_share_one_session_in_turns(http: HttpServer, site: Site) -> None:
    async with (
        over_http(http.url, era="stateless", token=http.token) as one,
        over_http(http.url, era="stateless", token=http.token) as other,
        session(one, "shared", site.url("/w03-three-buttons.html")) as name,
    ):
        calls = [
            caller.call("execute_sequence", click(name, selector))
            for caller, selector in ((one, "#first"), (other, "#third"))
        ]
        appeared = [clicked(reply) for reply in await asyncio.gather(*calls)]
        assert sorted(appeared) == [["#first-done"], ["#third-done"]]


async def test_a_server_that_gets_sigterm_leaves_no_browser(http: HttpServer, site: Site) -> None:
    async with over_http(http.url, era="stateless", token=http.token) as client:
        client.headers["Stillframe-Client"] = "ending"
        await client.call("navigate", {"url": site.url("/w20-static.html")})
        call = await forever(client, "default")
        below = psutil.Process(http.process.pid).children(recursive=True)
        assert below
        http.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(BOUND):
            await http.process.wait()
        with pytest.raises((Gone, Refused)):
            await call
    _, alive = psutil.wait_procs(below, timeout=BOUND)
    assert not alive
