"""Clients over HTTP: each MCP session has its own browser sessions, which end with it; dialogs and tokens by option."""

from __future__ import annotations

import base64
import re
from contextlib import AsyncExitStack

import pytest
from mcp_client import HttpClient, Refused, over_http
from mcp_listening import TOKEN, listening, until

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.errors import OptionInvalid
from stillframe.mcp.http import MIN_TOKEN, HttpOptions


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


async def test_clients_share_their_pages_where_that_is_wanted(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    async with (
        listening(browser, capsys, shared=True) as url,
        over_http(url, token=TOKEN) as one,
        over_http(url, era="stateless", token=TOKEN) as other,
    ):
        await opened(one, site.html("/shared", "<h1>Shared</h1>"))
        assert "Shared" in (await other.call("aria_snapshot")).text


@pytest.mark.parametrize("way", ["header", "url", "cookie"])
async def test_stateless_clients_that_give_a_name_or_keep_a_cookie_have_pages_of_their_own(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str], way: str
) -> None:
    async with listening(browser, capsys) as url, AsyncExitStack() as stack:
        clients = []
        for name in ("one", "other"):
            own = f"{url}?client={name}" if way == "url" else url
            client = await stack.enter_async_context(over_http(own, era="stateless", token=TOKEN, greet=False))
            if way == "header":
                client.headers["Stillframe-Client"] = name
            if way == "cookie":
                first = await client.post(client.message("server/discover", id=1))
                cookie = first.headers["Set-Cookie"]
                assert "HttpOnly; SameSite=Strict" in cookie
                client.headers["Cookie"] = cookie.partition(";")[0]
                assert "Set-Cookie" not in (await client.post(client.message("server/discover", id=1))).headers
            clients.append(client)
            await opened(client, site.html(f"/{name}", f"<h1>{name}</h1>"))
        one, other = clients
        assert "one" in (await one.call("aria_snapshot")).text
        assert "other" in (await other.call("aria_snapshot")).text
        await one.call("sessions", {"action": "open", "sessionId": "own"})
        assert await listed(one) == ["default", "own"]
        assert await listed(other) == ["default"]
        assert (await other.call("aria_snapshot", {"sessionId": "own"})).error["code"] == "session_unknown"
        picture = await one.call("screenshot")
        assert picture.structured is not None
        uri = picture.structured["resource"]
        read = await one.request("resources/read", {"uri": uri})
        assert base64.b64decode(read["contents"][0]["blob"]).startswith(b"\xff\xd8")
        with pytest.raises(Refused, match="nothing is stored"):
            await other.request("resources/read", {"uri": uri})


async def test_a_stateless_client_without_a_name_gets_a_session_that_only_its_id_opens(
    browser: Browser, site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    page = site.html("/mine", "<h1>Mine</h1>")
    before = len(browser.contexts)
    async with (
        listening(browser, capsys) as url,
        over_http(url, era="stateless", token=TOKEN) as one,
        over_http(url, era="stateless", token=TOKEN) as other,
    ):
        refused = await one.call("aria_snapshot")
        assert refused.error["code"] == "session_required"
        assert "?client=NAME" in refused.text
        reply = await one.call("navigate", {"url": page})
        assert reply.structured is not None
        name = reply.structured["sessionId"]
        assert f"send sessionId '{name}' with the next calls" in reply.text
        assert f"send sessionId '{name}'" in reply.structured["text"]
        assert "Mine" in (await one.call("aria_snapshot", {"sessionId": name})).text
        # Others see nothing of it: neither in lists nor in errors.
        assert await listed(other) == []
        unknown = await other.call("aria_snapshot", {"sessionId": "s-guessed"})
        assert unknown.error["code"] == "session_unknown"
        assert name not in unknown.text
        second = await other.call("execute_sequence", {"actions": [{"action": "navigate", "url": page}]})
        assert second.structured is not None
        assert second.structured["sessionId"] != name
        picture = await one.call("screenshot", {"sessionId": name})
        assert picture.structured is not None
        assert (await other.request("resources/list"))["resources"] == []
        assert (await one.request("resources/read", {"uri": picture.structured["resource"]}))["contents"]
        chosen = await one.call("sessions", {"action": "open", "sessionId": "chosen"})
        assert not chosen.is_error
        assert not (await one.call("sessions", {"action": "close", "sessionId": "chosen"})).is_error
        assert len(browser.contexts) == before + 2
    assert len(browser.contexts) == before


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
async def test_dialogs_are_answered_as_the_server_is_configured(serving, site: Site, dialogs: str, said: str) -> None:
    async with serving(context={"dialogs": dialogs, "viewport": {"width": 500, "height": 300}}) as call:
        script = "this.textContent = confirm('Really?') ? 'Yes' : 'No'; out.textContent = innerWidth"
        await call("navigate", url=site.html("/confirm", f'<button onclick="{script}">Go</button><p id=out>'))
        answer = await call.run({"action": "click_element", "selector": "button"})
        assert f'"{said}"' in answer.text
        assert '"500"' in answer.text
        assert f'dialog: confirm "Really?", {dialogs}ed' in answer.text
