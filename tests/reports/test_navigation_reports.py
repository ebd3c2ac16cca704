"""Loads and waits that hung or ended early in other tools; README.md lists the reports."""

from __future__ import annotations

import pytest
from aiohttp import web
from report_pages import noted, opened

from site_server import Site
from stillframe import Click, Navigate
from stillframe.api.browser import Page

ASKS = "<script>onbeforeunload = (event) => { event.preventDefault(); return 'stay?' }</script>"
"""Asks before it is left, once somebody has acted on it."""


async def test_a_fragment_is_a_navigation_that_ends(page: Page, site: Site) -> None:
    url = await opened(
        page,
        site,
        "<script>onhashchange = () => say(location.hash)</script><div style='height: 3000px'></div><p id=end>end",
    )
    for target in ("#end", "#end", "#", "#end"):
        await page.goto(url + target)
    assert await page.evaluate("scrollY") > 0
    result = await page.execute_sequence([Navigate(url + "#a"), Navigate(url + "#b")])
    assert result.failed is None
    await page.go_back()
    assert page.url == url + "#a"
    assert (await noted(page)).split() == ["#end", "#end", "#a", "#b", "#a"]


async def test_a_page_that_asks_before_it_is_left_hangs_nothing(page: Page, site: Site) -> None:
    other = site.html("/other", "<h1>Other</h1>")
    url = await opened(
        page, site, f"{ASKS}<button id=b onclick=\"say('pressed')\">B</button> <a id=away href='/other'>Away</a>"
    )
    await page.click("#b")
    left = await page.click("#away")
    assert [(dialog.type, dialog.accepted) for dialog in left.dialogs] == [("beforeunload", True)]
    assert page.url == other
    await page.goto(url)
    await page.click("#b")
    await page.reload()
    assert await noted(page) == ""
    assert (await page.execute_sequence([Click("#b"), Navigate(other)])).failed is None
    assert page.url == other


@pytest.mark.every_row
@pytest.mark.parametrize("delay", [0, 1])
async def test_a_page_that_leads_on_after_a_second_is_left(page: Page, site: Site, delay: int) -> None:
    end = site.html("/end", "<h1>End</h1>")
    url = site.html("/moved", f"<meta http-equiv=refresh content='{delay};url=/end'><p>moved")
    await page.goto(url, settle=True)
    assert page.url == end
    await page.goto(site.html("/start", f"<a href='{url}'>go</a>"))
    result = await page.click("text=go")
    assert (result.stable, result.reason, page.url) == (True, "navigated", end)
    assert 'heading "End"' in (await page.aria_snapshot()).text


async def test_an_address_for_another_program_hangs_nothing(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<a id=app href="other-app://send?text=x">App</a> <a id=mail href="mailto:ann@example.test">Mail</a>
        <button id=b onclick="say('pressed')">B</button>
        <script>location.href = 'other-app://send?phone=1'</script><iframe src="other-app://frame"></iframe>""",
    )
    for _ in range(2):
        result = await page.execute_sequence([Click("#app"), Click("#mail"), Click("#b")])
        assert result.failed is None
        assert result.stable
    assert await noted(page) == "pressed pressed"


async def test_dialogs_while_a_page_loads_hang_nothing(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<script>alert('one'); say(prompt('two', 'x')); say(confirm('three'))</script>
        <script>onload = () => { alert('four'); print(); say('loaded') }</script>
        <button id=b onclick="print(); say('printed')">Print</button>""",
    )
    await page.click("#b")
    assert await noted(page) == "null false loaded printed"
    assert await page.screenshot()


async def test_a_page_behind_another_draws_and_answers(page: Page, site: Site) -> None:
    url = await opened(
        page,
        site,
        """<button id=b>Draw</button><script>
        const draw = () => requestAnimationFrame(() => requestAnimationFrame(() => {
          say(`${document.visibilityState} ${document.hasFocus()}`)
        }))
        b.onclick = draw
        </script>""",
    )
    async with await page.context.new_page() as front:
        await front.goto(url)
        await page.click("#b")
        assert await noted(page) == "visible true"
        await front.click("#b")
        assert await noted(front) == "visible true"


async def test_a_window_that_only_downloads_leaves_its_file(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<a id=link target=_blank href="/download/a.txt?body=one">A</a>
        <a id=alone target=_blank rel=noopener href="/download/b.txt?body=two">B</a>
        <button id=window onclick="window.open('/download/c.txt?body=three')">C</button>
        <button id=blob>D</button><script>
        blob.onclick = () => {
          const link = document.createElement('a')
          link.href = URL.createObjectURL(new Blob(['four']))
          link.download = 'd.txt'
          link.click()
          URL.revokeObjectURL(link.href)
        }</script>""",
    )
    found = {}
    for selector in ("#link", "#alone", "#window", "#blob"):
        async with page.expect_download() as begun:
            result = await page.click(selector)
        download = await begun
        found[download.suggested_filename] = (await download.path()).read_text()
        assert [each.suggested_filename for each in result.downloads] == [download.suggested_filename]
    assert found == {"a.txt": "one", "b.txt": "two", "c.txt": "three", "d.txt": "four"}


@pytest.mark.desktop
async def test_a_clock_an_open_socket_and_a_stream_keep_no_page_from_rest(page: Page, site: Site) -> None:
    await opened(
        page,
        site,
        """<p id=clock></p><button id=b onclick="say('pressed')">B</button><canvas id=c></canvas><script>
        setInterval(() => { clock.textContent = performance.now() }, 50)
        const pen = c.getContext('2d')
        const spin = () => { pen.fillRect(performance.now() % 300, 9, 9, 9); requestAnimationFrame(spin) }
        spin()
        new WebSocket(location.href.replace('http', 'ws').replace('/page', '/ws'))
        new EventSource('/events?every=100')
        fetch('/hang')
        </script>""",
    )
    await page.settle()
    result = await page.click("#b")
    assert result.stable, result.pending
    assert await noted(page) == "pressed"


async def test_what_a_service_worker_answers_is_reported_with_its_body(page: Page, site: Site) -> None:
    async def worker(_: web.Request) -> web.Response:
        script = """self.onfetch = (event) => {
          if (event.request.url.endsWith('/api')) event.respondWith(new Response('from the worker'))
        }
        oninstall = () => skipWaiting(); onactivate = (event) => event.waitUntil(clients.claim())"""
        return web.Response(text=script, content_type="text/javascript")

    site.route("/worker.js", worker)
    await opened(
        page,
        site,
        """<button id=b onclick="fetch('/api').then(r => r.text()).then(say)">B</button><script>
        navigator.serviceWorker.register('/worker.js')
        navigator.serviceWorker.addEventListener('controllerchange', () => say('ready'))
        </script>""",
    )
    await page.wait_for(text="ready")
    async with page.expect_response("**/api") as coming:
        await page.click("#b")
    response = await coming
    assert await noted(page) == "ready from the worker"
    assert (response.status, await response.text()) == (200, "from the worker")
    await page.evaluate("navigator.serviceWorker.getRegistration().then(each => each.unregister())")
