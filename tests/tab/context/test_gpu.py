"""The GPU process of a browser is restarted when it hangs, for whichever page notices, and not without an end."""

from __future__ import annotations

import asyncio

import pytest

import stillframe
from site_server import Site
from stillframe.api.browser import Page
from stillframe.cdp_types import browser
from stillframe.model.actions import Click
from stillframe.tab.context.gpu import PAUSES_S, PERIOD_S, GpuProcess
from stillframe.tab.deadline import Deadline
from stillframe.tab.hung_gpu import restarted_if_hung

# Chrome itself draws this for minutes where there is no GPU.
LAYERS = (
    "<style>div { position: fixed; inset: 0; backdrop-filter: blur(200px); animation: move 1s infinite } \
@keyframes move { to { transform: translate(9px) } }</style>"
    + "<div></div>" * 300
)
BUTTON = "<button id=go onclick='this.textContent = \"done\"'>go</button>"
LIMITS = {"timeout_ms": 2000, "action_timeout_ms": 1000}


class Session:
    """Counts the restarts that a browser is asked for."""

    def __init__(self) -> None:
        self.root = self
        self.restarts = 0

    def post(self, command: object) -> None:
        assert isinstance(command, browser.CrashGpuProcess)
        self.restarts += 1


@pytest.mark.parametrize(
    ("hung_since", "restarts"),
    [
        ([0, 0, 0], 1),  # three pages noticed one hang
        ([0, 0.1], 1),  # it hangs again at once
        ([0, PAUSES_S[1] + 1], 2),
        ([sum(PAUSES_S[: number + 1]) + number for number in range(9)], len(PAUSES_S)),
        ([0, *(PERIOD_S * number for number in range(1, 6))], 6),
    ],
)
async def test_it_is_restarted_once_for_one_hang_and_seldom_for_many(
    monkeypatch: pytest.MonkeyPatch, hung_since: list[float], restarts: int
) -> None:
    gpu, session = GpuProcess(), Session()
    loop = asyncio.get_running_loop()
    for since in hung_since:
        with monkeypatch.context() as patch:
            patch.setattr(loop, "time", lambda since=since: since + 1.0)
            gpu.restart(session, since)  # type: ignore[arg-type]
    assert session.restarts == restarts


async def test_a_page_that_is_drawn_or_busy_restarts_nothing(page: Page, site: Site) -> None:
    await page.goto(site.html("/drawn", BUTTON))
    assert await restarted_if_hung(page._tab, Deadline(1)) == ""
    await page.evaluate("void setTimeout(() => { const end = Date.now() + 900; while (Date.now() < end); }, 0)")
    assert await restarted_if_hung(page._tab, Deadline(1)) == ""


@pytest.mark.serial
@pytest.mark.own_browser("its GPU process hangs")
async def test_a_page_is_usable_after_another_one_has_hung_the_process(site: Site) -> None:
    site.html("/layers", LAYERS)
    async with stillframe.launch() as chrome:
        page = await (await chrome.new_context()).new_page(site.html("/page", BUTTON))
        hostile = await chrome.new_context()
        other = await hostile.new_page()
        await other.goto(site.url("/layers"), until="commit")
        await page.evaluate("new Promise((done) => setTimeout(done, 500))")  # until it draws
        await hostile.close()
        result = await page.execute_sequence([Click("#go")], **LIMITS)
        assert result.failed is not None, "the layers were drawn: this machine needs more of them"
        assert result.failed.code == "page_unresponsive"
        assert "its GPU process hung and was restarted" in result.failed.error
        assert (result.stable, result.reason) == (False, "hung")
        assert await page.screenshot(timeout_ms=5000)
        again = await page.execute_sequence([Click("#go")], timeout_ms=3000, action_timeout_ms=3000)
        assert (again.completed, again.stable) == (1, True)
