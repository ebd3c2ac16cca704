"""The tabs of a session: list, open, close and switch."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from mcp_serving import capable

from site_server import Site
from stillframe.api.browser import Browser
from stillframe.security.policy import UrlPolicy


@pytest.fixture(scope="module")
async def call(browser: Browser) -> AsyncIterator[object]:
    async with capable(browser, "tabs") as caller:
        yield caller


@pytest.fixture
async def one(call, site: Site) -> str:
    """Leave one tab open, with a page, and return its URL."""
    while len((await call("tabs")).structured["tabs"]) > 1:
        await call("tabs", action="close")
    url = site.html("/one", "<h1>One</h1>", title="One")
    await call("navigate", url=url)
    return url


async def test_a_tab_is_opened_with_its_text_and_is_the_current_one(call, one: str, site: Site) -> None:
    url = site.html("/two", "<button>Go</button>", title="Two")
    opened = await call("tabs", action="open", url=url)
    assert [(tab["index"], tab["title"], tab["current"]) for tab in opened.structured["tabs"]] == [
        (0, "One", False),
        (1, "Two", True),
    ]
    assert f'- 0: "One" "{one}"' in opened.text
    assert f'* 1: "Two" "{url}"' in opened.text
    clicked = await call.run({"action": "click_element", "selector": f"ref={opened.ref('- button')}"})
    assert clicked.structured["completed"] == 1


async def test_calls_act_on_the_tab_that_was_switched_to(call, one: str, site: Site) -> None:
    await call("tabs", action="open", url=site.html("/other", "<h1>Other</h1>"))
    await call("tabs", action="switch", tab=0)
    assert 'heading "One"' in (await call("aria_snapshot")).text
    target = (await call("tabs")).structured["tabs"][1]["targetId"]
    await call("tabs", action="switch", tab=target)
    assert 'heading "Other"' in (await call("aria_snapshot")).text
    assert (await call("tabs", action="switch", tab="0")).structured["tabs"][0]["current"]


async def test_closing_the_current_tab_leads_to_another_one(call, one: str) -> None:
    await call("tabs", action="open")
    closed = await call("tabs", action="close")
    assert [tab["title"] for tab in closed.structured["tabs"]] == ["One"]
    assert closed.structured["tabs"][0]["current"]
    assert 'heading "One"' in (await call("aria_snapshot")).text
    await call("tabs", action="open")
    assert len((await call("tabs", action="close", tab=0)).structured["tabs"]) == 1


async def test_a_session_whose_tab_closed_itself_goes_on_in_another(call, one: str, site: Site) -> None:
    url = site.html("/closes", "<button onclick='window.close()'>close</button>")
    await call.run({"action": "navigate", "url": site.html("/opens", f"<a target=_blank href='{url}'>open</a>")})
    answer = await call.run({"action": "click_element", "selector": "a"})
    await call("tabs", action="switch", tab=answer.structured["newTargets"][0]["targetId"])
    await call.run({"action": "click_element", "selector": "button"})
    assert [tab["current"] for tab in (await call("tabs")).structured["tabs"]] == [False]
    dead = await call("aria_snapshot")
    assert dead.error["code"] == "target_closed"
    await call("tabs", action="switch", tab=0)
    assert "open" in (await call("aria_snapshot")).text


@pytest.mark.every_row
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"action": "switch", "tab": 7}, "tab_unknown", "open: 0 to 0"),
        ({"action": "close", "tab": -1}, "tab_unknown", "open: 0 to 0"),
        ({"action": "switch", "tab": "nowhere"}, "tab_unknown", "nowhere"),
        ({"action": "switch"}, "option_invalid", "needs the tab"),
        ({"action": "close"}, "last_tab", "only tab"),
        ({"action": "list", "tab": 0}, "option_invalid", "close and switch"),
        ({"action": "close", "url": "http://x/"}, "option_invalid", "open"),
        ({"action": "open", "url": "file:///etc/passwd"}, "url_refused", "file"),
    ],
)
async def test_bad_calls_are_refused_and_open_nothing(
    call, one: str, arguments: dict[str, object], code: str, words: str
) -> None:
    answer = await call("tabs", **arguments)
    assert answer.error["code"] == code
    assert words in answer.text
    assert answer.error["advice"]
    assert len((await call("tabs")).structured["tabs"]) == 1


async def test_the_policy_holds_for_new_tabs(browser: Browser, site: Site) -> None:
    async with capable(browser, "tabs", policy=UrlPolicy(allowed_hosts=("example.org",))) as call:
        answer = await call("tabs", action="open", url=site.url("/x"))
        assert answer.error["code"] == "url_refused"
        assert len((await call("tabs")).structured["tabs"]) == 1
