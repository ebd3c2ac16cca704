"""What the console of a page says, and how often."""

from __future__ import annotations

from site_server import Site
from stillframe.api.browser import Page
from stillframe.model.actions import Click
from stillframe.model.events import ConsoleMessage


async def test_what_a_worker_logs_comes_once(page: Page, site: Site) -> None:
    await page.goto(site.html("/", ""))
    heard: list[ConsoleMessage] = []
    page.on("console", heard.append)
    script = "console.log('in a worker'); postMessage(1)"
    await page.evaluate(
        f"new Promise(done => new Worker(URL.createObjectURL(new Blob([`{script}`]))).onmessage = () => done())"
    )
    await page.cdp_session.drain_events()
    assert [(message.text, message.source) for message in heard] == [("in a worker", "console-api")]


async def test_what_this_package_does_in_a_sandbox_is_not_in_its_console(page: Page, site: Site) -> None:
    site.html("/inner", "<script>1</script>")
    heard: list[ConsoleMessage] = []
    page.on("console", heard.append)
    await page.goto(
        site.html("/", "<button>go</button><iframe sandbox srcdoc=x></iframe><iframe sandbox src=/inner></iframe>")
    )
    result = await page.execute_sequence([Click("button")], verbose=True)
    await page.aria_snapshot()
    assert result.console == ()
    refused = [message for message in heard if message.source == "security"]
    assert [message.location and message.location.url for message in refused] == [site.url("/inner")]
