"""Clients over HTTP: each MCP session has its own browser sessions, which end with it; dialogs and tokens by option."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp_client import Era, HttpClient, Refused, over_http
from sse_starlette.sse import AppStatus, _get_shutdown_state

from patience import HANG_S
from site_server import Site
from stillframe.api.browser import Browser
from stillframe.errors import OptionInvalid
from stillframe.mcp.http import MIN_TOKEN, HttpOptions, serve_http
from stillframe.mcp.server import make_server
from stillframe.mcp.settings import Settings
from stillframe.security.policy import UrlPolicy

TOKEN = "a-token-that-somebody-chose"


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(HANG_S):
        while not true():  # noqa: ASYNC110  nobody announces it
            await asyncio.sleep(0.01)


async def watcher_ended() -> None:
    """Wait for the task by which the library of streams waits for the end of the process: here the loop goes on."""
    AppStatus.should_exit = True
    try:
        await until(lambda: not _get_shutdown_state().watcher_started)
    finally:
        AppStatus.should_exit = False


@asynccontextmanager
async def listening(browser: Browser, capsys: pytest.CaptureFixture[str], **settings: Any) -> AsyncIterator[str]:
    """Serve over HTTP with the token for the block, and yield the URL."""
    server = make_server(Settings(policy=UrlPolicy(allow_private=True), **settings), browser)
    task = asyncio.create_task(serve_http(server, HttpOptions(token=TOKEN)))
    told = ""

    def listens() -> bool:
        nonlocal told
        told += capsys.readouterr().err
        return "serving" in told or task.done()

    try:
        await until(listens)
        assert TOKEN not in told
        yield told.partition("serving ")[2].partition("\n")[0]
    finally:
        task.cancel()
        await asyncio.wait([task])
        await watcher_ended()


async def opened(client: HttpClient, url: str) -> str:
    """Load a page in the session of calls without a name, and return the reply."""
    return (await client.call("navigate", {"url": url})).text


async def listed(client: HttpClient) -> list[str]:
    reply = await client.call("sessions", {"action": "list"})
    assert reply.structured is not None
    return [info["sessionId"] for info in reply.structured["sessions"]]


async def test_two_clients_never_see_one_another(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = "".join(f"<p>row {number} of a long page</p>" for number in range(300))
    before = len(browser.contexts)
    async with (
        listening(browser, capsys) as url,
        over_http(url, token=TOKEN) as one,
        over_http(url, token=TOKEN) as other,
    ):
        await opened(one, site.html("/one", f"<h1>One</h1>{rows}"))
        await opened(other, site.html("/other", "<h1>Other</h1>"))
        assert "One" in (await one.call("aria_snapshot", {"budget": 600})).text
        assert "Other" in (await other.call("aria_snapshot")).text
        await one.call("sessions", {"action": "open", "sessionId": "own", "url": site.html("/own", "<h1>Own</h1>")})
        assert await listed(one) == ["default", "own"]
        assert await listed(other) == ["default"]
        refused = await other.call("aria_snapshot", {"sessionId": "own"})
        assert refused.error["code"] == "session_unknown"
        # What a reply left out is its client's, too.
        script = "for (let n = 0; n < 40; n++) document.body.insertAdjacentHTML('beforeend', `<h2>n ${n}</h2>`)"
        await opened(one, site.html("/much", f'<button onclick="{script}">Much</button>'))
        click = {"action": "click_element", "selector": "button"}
        much = await one.call("execute_sequence", {"actions": [click], "budget": 600, "limit": 100})
        (link,) = [part["uri"] for part in much.content if part["type"] == "resource_link"]
        assert [each["uri"] for each in (await one.request("resources/list"))["resources"]] == [link]
        assert (await other.request("resources/list"))["resources"] == []
        with pytest.raises(Refused, match="nothing is stored"):
            await other.request("resources/read", {"uri": link})
        # The end of an MCP session closes what it opened, and nothing else.
        assert len(browser.contexts) == before + 3
        assert await one.end_session() == 200
        await until(lambda: len(browser.contexts) == before + 1)
        assert "Other" in (await other.call("aria_snapshot")).text
    assert len(browser.contexts) == before


@pytest.mark.parametrize(("shared", "eras"), [(True, ("handshake", "handshake")), (False, ("stateless", "stateless"))])
async def test_clients_share_their_pages_where_that_is_wanted_or_nothing_tells_them_apart(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str], shared: bool, eras: tuple[Era, Era]
) -> None:
    async with (
        listening(browser, capsys, shared=shared) as url,
        over_http(url, era=eras[0], token=TOKEN) as one,
        over_http(url, era=eras[1], token=TOKEN) as other,
    ):
        await opened(one, site.html("/shared", "<h1>Shared</h1>"))
        assert "Shared" in (await other.call("aria_snapshot")).text


async def test_the_token_that_was_given_is_the_one_that_is_asked_for(
    browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    async with listening(browser, capsys) as url, over_http(url, token="another", greet=False) as client:
        assert (await client.post(client.message("tools/list", id=1))).status == 401


@pytest.mark.parametrize("token", ["short", "x" * (MIN_TOKEN - 1), "with a space in it here", "naïve-naïve-naïve"])
def test_a_token_that_is_guessed_or_cannot_be_sent_is_refused(token: str) -> None:
    with pytest.raises(OptionInvalid, match=re.escape(f"at least {MIN_TOKEN} printable ASCII characters")) as raised:
        HttpOptions(token=token)
    assert raised.value.option == "token"
    assert token not in str(raised.value)


@pytest.mark.parametrize(("dialogs", "said"), [("accept", "Yes"), ("dismiss", "No")])
async def test_dialogs_are_answered_as_the_server_was_told(serving, site: Site, dialogs: str, said: str) -> None:
    async with serving(context={"dialogs": dialogs, "viewport": {"width": 500, "height": 300}}) as call:
        script = "this.textContent = confirm('Really?') ? 'Yes' : 'No'; out.textContent = innerWidth"
        await call("navigate", url=site.html("/confirm", f'<button onclick="{script}">Go</button><p id=out>'))
        answer = await call.run({"action": "click_element", "selector": "button"})
        assert f'"{said}"' in answer.text
        assert '"500"' in answer.text
        assert f'dialog: confirm "Really?", {dialogs}ed' in answer.text
