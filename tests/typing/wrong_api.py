"""Wrong code with browsers, pages and sessions: type checkers report each marked line, and no other."""

from __future__ import annotations

import stillframe
from stillframe import Browser, Click, Locator, Page, sync
from stillframe.model.events import PageError


def on_error(error: PageError) -> None:
    print(error.message)


async def ways_in() -> None:
    stillframe.launch(headles=True)  # error
    stillframe.launch(headless="yes")  # error
    stillframe.launch(timeout=30)  # error
    stillframe.launch(timeout_ms="30s")  # error
    stillframe.launch(viewport=800)  # error
    stillframe.connect()  # error
    stillframe.connect("http://127.0.0.1:9222", headless=True)  # error
    stillframe.connect("http://127.0.0.1:9222", timeout=3)  # error


async def contexts(browser: Browser) -> None:
    await browser.new_context(color_scheme="black")  # error
    await browser.new_context(viewport={"width": 800})  # error
    await browser.new_page(7)  # error
    browser.pages = []  # error


async def one_action(page: Page) -> None:
    await page.click()  # error
    await page.click(7)  # error
    await page.click("#go", buton="right")  # error
    await page.click("#go", timeout=3)  # error
    await page.fill("#name")  # error
    await page.fill("#name", 7)  # error
    await page.press("#name", 13)  # error
    await page.select_option("#size", 3)  # error
    (await page.click("#go")).raise_for_status()  # error
    await page.click("#go", check="no")  # error
    await page.wait_for_timeout(500)  # error


async def sequences(page: Page) -> None:
    await page.execute_sequence(Click("#go"))  # error
    await page.execute_sequence(["#go"])  # error
    await page.execute_sequence([Click("#go")], timeout=5)  # error
    await page.execute_sequence([Click("#go")], stability_ms="500")  # error
    await page.execute_sequence([Click("#go")], settle="networkidle")  # error
    await page.settle(verbose=True)  # error
    await page.settle(check=True)  # error
    page.set_default_timeout("5s")  # error


async def looking(page: Page) -> None:
    await page.goto()  # error
    await page.goto("https://example.org/", timeout=30)  # error
    await page.goto("https://example.org/", until="networkidle")  # error
    await page.pdf(paper_width="8in")  # error
    await page.set_viewport("800", 600)  # error
    await page.set_viewport(800, 600, mobil=True)  # error
    await page.evaluate("1 + 1", timeout=5)  # error


async def locators(page: Page, locator: Locator) -> None:
    page.locator()  # error
    await locator.attribute()  # error
    await locator.fill(7)  # error
    text: int = await locator.text()  # error
    print(text)


async def events(page: Page) -> None:
    page.on("consol", on_error)  # error
    page.on("console", on_error)  # error
    await page.set_extra_http_headers({"x-test": 1})  # error


def synchronous() -> None:
    with sync.launch() as browser:
        browser.new_page().click(7)  # error
