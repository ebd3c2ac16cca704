"""Read the details of several products side by side, without their pictures."""

import asyncio

from playwright.async_api import BrowserContext, Route, async_playwright

IDS = [1, 2, 3, 5, 8, 13]
blocked = []


async def skip_pictures(route: Route):
    if route.request.resource_type == "image":
        blocked.append(route.request.url)
        await route.abort()
    else:
        await route.continue_()


async def scrape(context: BrowserContext, url: str, number: int, limit: asyncio.Semaphore) -> dict:
    async with limit:
        page = await context.new_page()
        try:
            response = await page.goto(f"{url}/p/{number}", wait_until="domcontentloaded")
            assert response.ok, response.status
            await page.get_by_role("tab", name="Details").click()
            panel = page.get_by_role("tabpanel")
            await page.wait_for_function("document.querySelector('[role=tabpanel]').textContent.startsWith('Details')")
            return {
                "title": await page.title(),
                "text": await panel.text_content(),
                "stock": int(await page.get_by_test_id("stock").inner_text()),
                "buyable": await page.locator("#add").is_enabled(),
            }
        finally:
            await page.close()


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        context = await browser.new_context(user_agent="details-bot/1.0")
        await context.route("**/*", skip_pictures)
        limit = asyncio.Semaphore(3)
        rows = await asyncio.gather(*(scrape(context, url, number, limit) for number in IDS))
        missing = await (await context.new_page()).goto(f"{url}/p/99")
        left = len(context.pages)
        await context.close()
        await browser.close()
    return [rows, missing.status, left, len(blocked)]
