"""Right code that users write with browsers, pages and sessions: type checkers report nothing."""

from __future__ import annotations

from pathlib import Path

import stillframe
from stillframe import Browser, BrowserContext, Click, Frame, Locator, Page, SetValue, sync
from stillframe.model.aria_snapshot import AriaSnapshot
from stillframe.model.events import ConsoleMessage, PageError, Request, Response
from stillframe.model.result import NavigationResult, SequenceResult
from stillframe.model.verdict import Verdict


async def ways_in() -> None:
    async with stillframe.launch(headless=True, viewport={"width": 800, "height": 600}, timeout_ms=20_000) as browser:
        await contexts(browser)
    launched = await stillframe.launch(executable=Path("chromium"), args=["--mute-audio"], virtual_time=True)
    await launched.close(timeout_ms=5000)
    async with stillframe.connect("http://127.0.0.1:9222", timeout_ms=3000, locale="de-CH") as running:
        for page in running.pages:
            print(page.url)


async def contexts(browser: Browser) -> BrowserContext:
    context = await browser.new_context(color_scheme="dark", block=["*.png"], secrets={"login": "hunter2"})
    page = await context.new_page("https://example.org/", settle=True)
    await page.close()
    await browser.new_page()
    return context


async def one_action(page: Page) -> SequenceResult:
    await page.fill("#name", "Ann", timeout_ms=500)
    await page.press("#name", "Enter")
    await page.type("#name", "Ann")
    await page.select_option("#size", ["L", "XL"])
    await page.check("#agree")
    await page.hover("#menu")
    await page.set_input_files("#file", Path("a.txt"))
    await page.click("#go", modifiers=["Shift"])
    page.set_default_timeout(5000)
    page.context.set_default_navigation_timeout(None)
    print((await page.locator("#go").click(check=False)).failed)
    return await page.click("#go")


async def sequences(page: Page) -> None:
    result = await page.execute_sequence([SetValue("#name", "Ann"), Click("#go")], stability_ms=300, check=True)
    mixed = await page.execute_sequence([{"action": "fill", "selector": "#a", "value": "b"}, Click("#go")])
    print(result.stable, mixed.to_dict())
    verdict: Verdict = await page.settle(settle="quiet", timeout_ms=2000)
    print(verdict.reason)


async def looking(page: Page) -> None:
    arrived: NavigationResult = await page.goto("https://example.org/", timeout_ms=10_000)
    snapshot = await page.snapshot(timeout_ms=1000)
    text: AriaSnapshot = await page.aria_snapshot(budget=2000)
    html: str = await page.content()
    picture: bytes = await page.screenshot(full_page=True)
    printed: bytes = await page.pdf(landscape=True, paper_width=8.3)
    await page.set_viewport(800, 600, device_scale_factor=2, mobile=True)
    print(arrived.status, snapshot.node_count, text.text, html, len(picture + printed), await page.title())


async def locators(page: Page) -> None:
    locator: Locator = page.locator("#go")
    text: str = await locator.text()
    value: str = await locator.value()
    link: str | None = await locator.attribute("href")
    count: int = await locator.count()
    visible: bool = await locator.is_visible()
    print(text, value, link, count, visible, await locator.box())
    for each in await locator.all():
        await each.click()
    await locator.fill("Ann")


async def events(page: Page) -> None:
    def on_console(message: ConsoleMessage) -> None:
        print(message.type, message.text)

    def on_error(error: PageError) -> None:
        print(error.message)

    def on_request(request: Request) -> None:
        print(request.method, request.url)

    def on_response(response: Response) -> None:
        print(response.status, response.ok)

    page.on("console", on_console)
    page.on("pageerror", on_error)
    page.on("request", on_request)
    page.on("response", on_response)
    async with page.context.expect_page(timeout_ms=2000) as opened:
        await page.click("#popup")
    popup: Page = await opened
    print(popup.url)


async def scripting(page: Page) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    await page.add_init_script("window.answer = 42")
    await page.expose_function("add", add)
    await page.set_extra_http_headers({"x-test": "1"})
    frame: Frame = page.main_frame
    print(await frame.evaluate("1 + 1"), await page.evaluate("1 + 1", timeout_ms=500))


def synchronous() -> None:
    with sync.launch(headless=True) as browser:
        page = browser.new_page("https://example.org/")
        page.fill("#name", "Ann")
        result = page.click("#go").raise_for_failure()
        print(result.stable, page.locator("#name").value())


async def sessions() -> None:
    async with stillframe.Sessions(headless=True, idle_ms=60_000) as open_sessions:
        session = await open_sessions.open("shop", url="https://example.org/", timeout_ms=5000)
        result = await session.execute_sequence([Click("#go")], timeout_ms=2000)
        print(result.stable)
