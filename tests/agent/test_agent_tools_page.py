"""The tools that read and leave the page, and those of the memory."""

from __future__ import annotations

import pytest
from agent_tools import call, tool_context
from aiohttp import web

from site_server import Site
from stillframe.agent.limits import Limits
from stillframe.agent.turn import Turn
from stillframe.api.browser import Browser, Page
from stillframe.errors import ToolFailed
from stillframe.security.policy import UrlPolicy


async def test_inspect_page_reads_the_whole_page_within_its_budget(page: Page, site: Site) -> None:
    rows = "".join(f"<p>row {number} of the page</p>" for number in range(1000))
    await page.goto(site.html("/long", f"<h1>Rows</h1>{rows}<button>End</button>"))
    small = await call(tool_context(page, Limits(max_prompt_chars=1_000)), "inspect_page")
    large = await call(tool_context(page, Limits(max_prompt_chars=100_000)), "inspect_page")
    assert "row 999 of the page" in large.text
    assert len(small.text) < 2_000 < len(large.text)
    assert 'button "End" [ref=' in large.text


async def test_check_page_ready_says_what_it_waits_for(page: Page, site: Site) -> None:
    await page.goto(site.html("/wait", "<p>x</p>"))
    context = tool_context(page)
    assert (await call(context, "check_page_ready")).text.startswith("ready: the page is still")
    await page.evaluate("void fetch('/gate/slow')")
    answer = await call(context, "check_page_ready", timeout=200)
    assert answer.text.startswith("NOT ready: the page is not still")
    assert "/gate/slow" in answer.text
    capped = await call(tool_context(page, Limits(command_timeout=100)), "check_page_ready", timeout=600_000)
    assert "NOT ready" in capped.text
    site.open("slow")
    assert (await call(context, "check_page_ready")).text.startswith("ready")


async def test_navigation_tools_say_where_they_led(page: Page, site: Site) -> None:
    first, second = site.html("/first", "<h1>First</h1>"), site.html("/second", "<h1>Second</h1>")
    await page.goto(first)
    context = tool_context(page)
    went = await call(context, "navigate_to_url", url=second)
    assert "1 of 1 action done" in went.text
    assert f'url: "{second}"' in went.text
    back = await call(context, "navigate_back")
    assert f'url: "{first}"' in back.text
    assert "First" in back.text
    site.html("/first", "<h1>Newer</h1>")
    assert "Newer" in (await call(context, "refresh_page")).text


async def test_navigate_back_without_a_history_fails(browser: Browser) -> None:
    async with await browser.new_context() as context, await context.new_page() as page:
        with pytest.raises(ToolFailed, match="navigate_back: cannot go back"):
            await call(tool_context(page), "navigate_back")


@pytest.mark.slow  # T4 has a URL, the test below the tool
async def test_the_rules_of_the_run_hold_for_a_url(page: Page, site: Site) -> None:
    """T4: a host that is not allowed is refused before anything is sent."""
    url = site.html("/a", "<p>a</p>")
    await page.goto(url)
    policy = UrlPolicy(allowed_hosts=("127.0.0.1",))
    with pytest.raises(ToolFailed, match="allowed_hosts"):
        await call(tool_context(page, policy=policy), "navigate_to_url", url=site.url("/a", host="localhost"))
    assert page.url == url
    assert site.requests == ["/a"]


async def test_the_rules_of_the_run_hold_for_a_redirect(page: Page, site: Site) -> None:
    """T4: where a redirect led is left again."""
    url = site.html("/a", "<p>a</p>")
    await page.goto(url)
    away = site.url("/redirect?to=" + site.url("/a", host="localhost"))
    with pytest.raises(ToolFailed, match="the page went back"):
        await call(tool_context(page, policy=UrlPolicy(allowed_hosts=("127.0.0.1",))), "navigate_to_url", url=away)
    assert page.url == url


async def test_the_policy_of_the_browser_holds(browser: Browser, site: Site) -> None:
    policy = UrlPolicy(allowed_hosts=("127.0.0.1",))
    async with await browser.new_context(policy=policy) as context, await context.new_page() as page:
        with pytest.raises(ToolFailed, match="refused"):
            await call(tool_context(page), "navigate_to_url", url="http://localhost:1/")


@pytest.mark.slow  # test_agent_bad_replies.py has such URLs
@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://", "no url"])
async def test_what_is_not_a_url_fails(page: Page, url: str) -> None:
    with pytest.raises(ToolFailed):
        await call(tool_context(page), "navigate_to_url", url=url)


@pytest.mark.slow  # T30 has command_timeout with a navigation
async def test_a_navigation_has_the_limit_of_commands(page: Page, site: Site) -> None:
    with pytest.raises(ToolFailed, match="navigate_to_url"):
        await call(tool_context(page, Limits(command_timeout=200)), "navigate_to_url", url=site.url("/hang"))


DATA = """<ul><li data-id=1>One</li><li>Two</li></ul><h1>Title</h1><input value=typed><a href=/x>link</a>"""


@pytest.mark.parametrize(
    ("selector", "attribute", "kept"),
    [
        ("h1", None, "Title"),
        ("li", None, ["One", "Two"]),
        ("li", "data-id", ["1", None]),
        ("a", "href", "/x"),
        ("input", None, "typed"),
        ("input", "value", "typed"),
    ],
)
async def test_data_is_kept_by_name(page: Page, site: Site, selector: str, attribute: str | None, kept: object) -> None:
    """T14: what a tool extracts is there for later steps."""
    await page.goto(site.html("/data", DATA))
    context = tool_context(page)
    answer = await call(context, "extract_data", selector=selector, dataName="it", attribute=attribute)
    assert context.journey.extracted == {"it": kept}
    assert 'as "it"' in answer.text


async def test_more_data_than_an_answer_shows(page: Page, site: Site) -> None:
    await page.goto(site.html("/data", "<p>x</p>" * 12 + "<pre>" + "y" * 30_000))
    context = tool_context(page)
    assert "… 2 more values are kept" in (await call(context, "extract_data", selector="p", dataName="all")).text
    assert len((await call(context, "extract_data", selector="pre", dataName="long")).text) < 1_000
    assert len(context.journey.extracted["all"]) == 12
    assert len(context.journey.extracted["long"]) == 20_000


async def test_nothing_to_extract_fails_in_its_time(page: Page, site: Site) -> None:
    await page.goto(site.html("/data", DATA))
    with pytest.raises(ToolFailed, match=r"within 0\.1 s"):
        await call(tool_context(page, Limits(command_timeout=100)), "extract_data", selector="#no", dataName="it")


async def test_secrets_are_not_kept(browser: Browser, site: Site) -> None:
    async with await browser.new_context(secrets={"pw": "hunter2-x"}) as context, await context.new_page() as page:
        await page.goto(site.html("/secret", "<p>it is hunter2-x</p><button>hunter2-x</button>"))
        tools = tool_context(page)
        answer = await call(tools, "extract_data", selector="p", dataName="it")
        explored = await call(tools, "explore_element", action="focus", selector="button")
        assert "hunter2-x" not in f"{answer}{tools.journey.extracted}{explored}"


async def test_history_is_found_by_its_text(page: Page) -> None:
    """T17: a turn that the prompt no longer shows is found by a word."""
    context = tool_context(page)
    for number in range(30):
        context.journey.record(Turn(step=1, iteration=number, url=f"/page/{number}", status="continue"))
    latest = (await call(context, "recall_history")).text.splitlines()
    assert latest[0] == "10 of 30 remembered turns"
    assert "/page/20" in latest[1]
    found = (await call(context, "recall_history", query="PAGE/7", maxSteps=5)).text.splitlines()
    assert found == ['1 of 30 remembered turns with "PAGE/7"', "Turn 1.7 /page/7; status continue"]


async def test_a_crash_is_reported(page: Page) -> None:
    """A page that is gone ends no tool with an error of another kind."""
    context = tool_context(page)
    await page.close()
    for tool in ("take_screenshot", "inspect_page", "refresh_page", "refresh_som_markers"):
        with pytest.raises(ToolFailed):
            await call(context, tool)
    with pytest.raises(ToolFailed):
        await call(context, "explore_element", action="hover", selector="body")


@pytest.mark.slow  # T9 to T12 call the tool
async def test_explorations_by_the_tool(page: Page, site: Site) -> None:
    async def never(_: web.Request) -> web.Response:
        raise AssertionError("it was sent")

    site.route("/api", never)
    body = "<button onclick=\"fetch('/api', {method: 'PUT'}).catch(() => p.hidden = false)\">Info</button>"
    await page.goto(site.html("/explore", f"{body}<p id=p hidden>offline</p>"))
    answer = await call(
        tool_context(page), "explore_element", action="click_info", selector="button", purpose="what it is for"
    )
    assert answer.image is None
    assert answer.text.startswith('click_info of button "Info"; the page is NOT as it was before')
    assert 'purpose: "what it is for"' in answer.text
    assert "offline" in answer.text
    assert "blocked: PUT" in answer.text
