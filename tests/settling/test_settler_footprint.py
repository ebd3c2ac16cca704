"""What a page can notice of a wait: nothing with `protocol` and `dom`; with `calls`, the items listed below.

The page of tests/pages/footprint sets traps before its first script and posts its findings once loaded, and again when
the fragment of its URL changes; nothing has to ask it. The oracle is the same page in a browser of its own, over a
connection that has sent Page.enable and Page.navigate and nothing else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiohttp import web

from launched import chrome_itself
from sampling import sampled
from site_server import Site
from stillframe import chrome
from stillframe.api.browser import Browser
from stillframe.cdp_types import page as cdp_page
from stillframe.cdp_types import runtime, target
from stillframe.model.actions import WaitFor
from stillframe.model.options import Observe
from stillframe.settling.settler import Settler

PAGE = "/footprint/index.html"
SECONDS = 60.0
"""How long the reports may take, which only tells a hang: with 17 processes on two cores it was more than 20."""
Seen = dict[str, Any]
Goto = Callable[[str], Awaitable[object]]

SHOWN_BY_CALLS = {
    "obscure": "in a worker: a property with a random name, hidden, on the prototype of async generator functions",
    "argument": "the stack of an error that is thrown by an argument has a line for the wrapper",
    "text": "the text of a wrapped function lacks its name",
}
"""What the page sees of the call hooks, by probe. Beyond these, a scheduling call takes some microseconds longer."""


class Reports:
    """The reports of the page, by occasion."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._came: dict[str, asyncio.Future[Seen]] = {}
        site.route("/footprint/report", self._take)

    async def _take(self, request: web.Request) -> web.Response:
        # Larger than the server's limit for a form.
        self._future(request.query_string).set_result(json.loads(await request.content.read()))
        return web.Response(text="thanks")

    def _future(self, occasion: str) -> asyncio.Future[Seen]:
        return self._came.setdefault(occasion, asyncio.get_running_loop().create_future())

    async def of(self, goto: Goto, between: Callable[[], Awaitable[object]]) -> Seen:
        """Load the page, act, and return everything that it has reported, flattened."""
        self._came.clear()
        async with asyncio.timeout(SECONDS):
            await goto(self.site.url(PAGE))
            await self._future("load")
            await between()
            await goto(f"{self.site.url(PAGE)}#after")
            return dict(_flat({occasion: await self._future(occasion) for occasion in ("load", "after")}))


def _flat(value: Any, path: str = "") -> Any:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _flat(inner, f"{path}/{name}")
    else:
        yield path, set(value) if value and isinstance(value, list) and isinstance(value[0], str) else value


def differences(undriven: Seen, driven: Seen) -> dict[str, tuple[Any, Any]]:
    """Return the differences of two runs; for lists, the items that only one of them has."""
    found = {}
    for path in undriven.keys() | driven.keys():
        one, other = undriven.get(path), driven.get(path)
        if isinstance(one, set) and isinstance(other, set):
            one, other = sorted(one - other), sorted(other - one)
        if one != other:
            found[path] = (one, other)
    return found


async def nothing() -> None:
    """Do nothing between the two reports."""


async def look_undriven(site: Site) -> Seen:
    """Return the report of a page that no engine drives, in a window that is visible and not in front.

    In front, Chrome tells the page of its focus once its document is there: before the traps, or after them (30 of 80
    beside busy processes).
    """
    with chrome_itself():
        async with chrome.launched(chrome.LaunchOptions()) as process:
            root = process.connection.root
            created = await root.send(target.CreateTarget(url="about:blank", new_window=True, background=True))
            session = await root.attach(created.target_id)
            await session.send(cdp_page.Enable())
            return await Reports(site).of(lambda url: session.send(cdp_page.Navigate(url=url)), nothing)


async def look_driven(site: Site, browser: Browser, observe: Observe) -> Seen:
    """Return the report of a page that is settled and captured between its two reports."""
    async with await browser.new_context(observe=observe) as context, await context.new_page() as page:

        async def settle() -> None:
            for _ in range(2):
                verdict = await page.settle(observe=observe)
                assert verdict.stable, verdict
            result = await page.execute_sequence([WaitFor("#text", state="attached")], observe=observe)
            assert result.stable, result

        return await Reports(site).of(page.goto, settle)


@pytest.fixture(scope="module")
async def undriven(site_server: Site) -> Seen:
    """The report of the oracle, read once."""
    site_server.reset()
    return await look_undriven(site_server)


@pytest.mark.slow
@pytest.mark.browser
async def test_the_oracle_agrees_with_itself(site: Site, undriven: Seen) -> None:
    assert differences(undriven, await look_undriven(site)) == {}


@pytest.mark.browser
def test_the_page_looks_at_what_it_should(undriven: Seen) -> None:
    """A probe that fails silently would find no difference."""
    assert len(undriven["/load/page/inventory"]) > 10_000
    assert len(undriven["/load/worker/inventory"]) > 3_000
    foreign = {line.split()[0] for line in undriven["/load/page/inventory"] if line.endswith("foreign")}
    assert ".observe" in foreign
    assert not {".Date.now", ".setInterval", ".Element.prototype.append", ".Function.prototype.toString"} & foreign
    assert undriven["/after/page/counts/prepareStackTrace"] > 1
    assert (undriven["/after/page/ids/timeout"], undriven["/after/page/ids/frame"]) == (2, 1)
    assert undriven["/after/page/innerNative"] is undriven["/after/page/freshNative"] is True


@pytest.mark.parametrize("observe", sampled(("protocol", "dom"), ("dom",)))
async def test_no_page_can_tell_that_its_protocol_or_dom_is_observed(
    site: Site, chrome_browser: Browser, undriven: Seen, observe: Observe
) -> None:
    assert differences(undriven, await look_driven(site, chrome_browser, observe)) == {}


async def test_what_a_page_can_tell_of_observed_calls(site: Site, chrome_browser: Browser, undriven: Seen) -> None:
    found = differences(undriven, await look_driven(site, chrome_browser, "calls"))
    assert {path.split("/")[-1] for path in found} == SHOWN_BY_CALLS.keys(), found


@pytest.mark.slow
async def test_the_probes_find_a_trace_where_there_is_one(
    site: Site, chrome_browser: Browser, undriven: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oracle is useful only if it catches a careless engine."""
    careless = "window.seen = 1; setTimeout(() => {}); requestAnimationFrame(() => {}); document.querySelector('p')"
    armed = Settler._arm

    def arm(settler: Settler, *args: Any, **more: Any) -> None:
        settler.tab.session.post(runtime.Evaluate(expression=careless))
        armed(settler, *args, **more)

    monkeypatch.setattr(Settler, "_arm", arm)
    found = differences(undriven, await look_driven(site, chrome_browser, "dom"))
    assert {"/after/page/inventory", "/after/page/ids/timeout", "/after/page/ids/frame"} <= found.keys()
    assert "/after/page/counts/querySelector" in found
