"""Settling in old browsers: what is missing is replaced as well as it goes, and the verdict says what is not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import pytest

from old_browsers import chromium, old_page
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.chrome.capabilities import Capabilities
from stillframe.model.options import Observe
from stillframe.model.result import SequenceResult
from stillframe.model.verdict import Observed
from stillframe.settling.observation import Means, observed, shortfall

OLD = (74, 91)
UNSEEN: dict[int, tuple[str, ...]] = {
    74: ("requested_navigations", "shadow_roots", "earlier_animations", "idle_queue"),
    83: ("shadow_roots", "earlier_animations", "idle_queue"),
    91: ("shadow_roots", "idle_queue"),
}

PAGE = """<!doctype html><meta charset=utf-8>
<style>
@keyframes wide {{ to {{ width: 90px }} }}
#box {{ width: 50px; height: 20px; transition: margin-left {ms}ms }} #box.on {{ margin-left: 100px }}
#key.on {{ animation: wide {ms}ms }} #key {{ width: 9px; height: 9px }}
#turn {{ width: 9px; height: 9px }} #turn.on {{ animation: wide 300ms infinite }}
</style>
<button id=go>Go</button><div id=out>0</div><div id=box></div><div id=key></div><div id=turn></div>
<iframe src="/inner.html"></iframe>
<script>
const $ = (id) => document.getElementById(id);
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
$("go").onclick = async () => {{ {click} }};
</script>
"""
INNER = """<!doctype html><button id=in>In</button><p id=there>0</p><script>
const there = document.getElementById("there");
document.getElementById("in").onclick = () => setTimeout(() => { there.textContent = 1 }, 300);
</script>"""


@pytest.fixture(scope="module")
async def endpoint() -> AsyncIterator[str]:
    """The address of a Chromium that nothing else is attached to."""
    async with chromium() as endpoint:
        yield endpoint


pytestmark = pytest.mark.browser


async def click(
    endpoint: str,
    site: Site,
    milestone: int,
    script: str,
    *,
    ms: int = 300,
    selector: str = "#go",
    read: str = "document.body.innerText",
    **options: Any,
) -> tuple[SequenceResult, Any]:
    """Click a button of the page in an old browser; return the result and what the page shows then."""
    site.html("/inner.html", INNER)
    url = site.html("/old.html", PAGE.format(click=script, ms=ms))
    async with old_page(endpoint, milestone, url) as page:
        result = await page.execute_sequence([{"action": "click_element", "selector": selector}], **options)
        return result.raise_for_failure(), await page.evaluate(read)


# -- what is awaited -------------------------------------------------------------------------------

AWAITED = {
    "a timer": "await later(300); $('out').textContent = 'done'",
    "a chain of timers": "for (let i = 0; i < 4; i++) await later(60); $('out').textContent = 'done'",
    "frames": "let n = 0; const f = () => ++n < 12 ? requestAnimationFrame(f) : ($('out').textContent = 'done'); f()",
    "a response": "await fetch('/slow?ms=250'); $('out').textContent = 'done'",
    "a response and its timer": "await fetch('/slow?ms=250'); await later(200); $('out').textContent = 'done'",
}


@pytest.mark.every_row
@pytest.mark.parametrize("milestone", sampled(OLD, (74,)))
@pytest.mark.parametrize("script", sampled(AWAITED.values(), (AWAITED["a response and its timer"],)), ids=AWAITED)
async def test_work_of_a_document_that_was_open_before_is_awaited(
    endpoint: str, site: Site, milestone: int, script: str
) -> None:
    result, text = await click(endpoint, site, milestone, script)
    assert "done" in text
    assert result.stable
    assert result.reason == "quiet"
    assert result.observed == Observed(level="calls", unseen=UNSEEN[milestone])  # type: ignore[arg-type]


@pytest.mark.parametrize("milestone", sampled(OLD, (74,)))
async def test_calls_of_a_frame_that_was_open_before_are_awaited(endpoint: str, site: Site, milestone: int) -> None:
    site.html("/inner.html", INNER)
    url = site.html("/old.html", PAGE.format(click="", ms=1))
    async with old_page(endpoint, milestone, url) as page:
        await page.settle()
        [inner] = [frame for frame in page.frames if frame.parent is not None]
        result = await inner.locator("#in").click()
        assert result.stable
        assert await inner.evaluate("document.getElementById('there').textContent") == "1"


@pytest.mark.every_row
@pytest.mark.parametrize("milestone", sampled((74, 83), (74,)))
@pytest.mark.parametrize("element", ["box", "key"])
async def test_animations_are_awaited_without_a_list_of_them(
    endpoint: str, site: Site, milestone: int, element: str
) -> None:
    end = "$('box').ontransitionend = $('key').onanimationend = () => { window.ended = true }"
    script = f"{end}; $('{element}').className = 'on'"
    result, ended = await click(endpoint, site, milestone, script, ms=400, read="window.ended")
    assert result.reason == "animation_done"
    assert ended is True


@pytest.mark.parametrize("milestone", sampled((74, 83), (74,)))
async def test_an_animation_without_an_end_is_not_awaited(endpoint: str, site: Site, milestone: int) -> None:
    result, _ = await click(endpoint, site, milestone, "$('turn').className = 'on'")
    assert result.stable
    assert result.stability_wait_ms < 1000


@pytest.mark.parametrize("milestone", sampled((74, 83), (74,)))
async def test_an_animation_that_is_cancelled_is_not_awaited(endpoint: str, site: Site, milestone: int) -> None:
    script = "$('box').className = 'on'; await later(100); $('box').style.display = 'none'"
    result, _ = await click(endpoint, site, milestone, script, ms=3000)
    assert result.stable
    assert result.stability_wait_ms < 1500


NEXT = "/slow?ms=300&type=text/html&body=" + quote(
    "<h1>Next</h1><script>setTimeout(() => document.body.append('late'), 200)</script>"
)


@pytest.mark.parametrize("milestone", sampled(OLD, (74,)))
@pytest.mark.parametrize(
    "script",
    [
        "location.href = next",
        "const a = document.createElement('a'); a.href = next; document.body.append(a); a.click()",
        "const f = document.createElement('form'); f.method = 'post'; f.action = next; $('out').append(f); f.submit()",
    ],
    ids=["location", "link", "form"],
)
async def test_a_navigation_is_awaited_with_its_document(
    endpoint: str, site: Site, milestone: int, script: str
) -> None:
    result, text = await click(endpoint, site, milestone, f"const next = {NEXT!r}; {script}")
    assert result.reason == "navigated"
    assert "Next" in text
    assert "late" in text


@pytest.mark.every_row
@pytest.mark.parametrize("milestone", sampled(OLD, (74,)))
@pytest.mark.parametrize("observe", sampled(("protocol", "dom"), ("protocol",)))
async def test_the_other_levels_work_as_well(endpoint: str, site: Site, milestone: int, observe: Observe) -> None:
    result, text = await click(endpoint, site, milestone, AWAITED["a response"], observe=observe)
    assert "done" in text
    assert result.observed is not None
    assert result.observed.level == observe


async def test_a_current_browser_observes_all_and_says_nothing(page: Page, site: Site) -> None:
    await page.goto(site.html("/now.html", PAGE.format(click="$('out').textContent = 'done'", ms=1)))
    result = await page.execute_sequence([{"action": "click_element", "selector": "#go"}])
    assert result.observed is None
    assert b"observed" not in result.to_json()
    assert (await page.settle()).observed is None


# -- the decision ----------------------------------------------------------------------------------

DECISIONS: dict[str, tuple[Observe, Means, Observed]] = {
    "a current browser": ("calls", Means(Capabilities(156)), Observed("calls")),
    "an unknown browser": ("calls", Means(Capabilities(None)), Observed("calls")),
    "no calls wanted": ("dom", Means(Capabilities(156)), Observed("dom")),
    "94": ("calls", Means(Capabilities(94)), Observed("calls")),
    "93": ("calls", Means(Capabilities(93)), Observed("calls", ("idle_queue",))),
    "87": ("calls", Means(Capabilities(87)), Observed("calls", ("shadow_roots", "idle_queue"))),
    "87, the protocol alone": ("protocol", Means(Capabilities(87)), Observed("protocol", ("shadow_roots",))),
    "the main world stands in": (
        "calls",
        Means(Capabilities(94), isolated=False),
        Observed("dom", ("page_interference",)),
    ),
    "no world at all": ("calls", Means(Capabilities(94), scripted=False), Observed("protocol")),
    "no world, and only the protocol wanted": (
        "protocol",
        Means(Capabilities(94), isolated=False, scripted=False),
        Observed("protocol"),
    ),
}


@pytest.mark.parametrize(("wanted", "means", "expected"), DECISIONS.values(), ids=DECISIONS)
def test_the_closest_level_is_chosen(wanted: Observe, means: Means, expected: Observed) -> None:
    assert observed(wanted, means) == expected


def test_only_a_shortfall_is_reported() -> None:
    assert shortfall("calls", Observed("calls")) is None
    assert shortfall("calls", Observed("dom")) == Observed("dom")
    assert shortfall("dom", Observed("dom", ("idle_queue",))) == Observed("dom", ("idle_queue",))
