"""Replace, change and refuse what a page asks its API for."""

import json

from playwright.async_api import Request, Route, async_playwright, expect


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        context = await browser.new_context(extra_http_headers={"X-Test": "yes"})
        page = await context.new_page()
        failed: list[Request] = []
        page.on("requestfailed", lambda request: failed.append(request))

        async def shorter(route: Route):
            response = await route.fetch()
            names = await response.json()
            await route.fulfill(response=response, json=[name.upper() for name in names[:2]])

        await page.route("**/api/search*", shorter)
        await page.goto(f"{url}/search")
        await page.get_by_label("Search").fill("lamp")
        await expect(page.get_by_role("option")).to_have_text(["LAMP 1", "LAMP 2"])
        await page.unroute("**/api/search*", shorter)

        seen = {}

        async def empty_cart(route: Route, request: Request):
            seen.update(method=request.method, body=json.loads(request.post_data), header=request.headers.get("x-test"))
            await route.fulfill(status=200, content_type="application/json", body='{"count": 99}')

        await page.route(lambda address: address.endswith("/api/cart"), empty_cart, times=1)
        await page.goto(f"{url}/p/1")
        add = page.get_by_role("button", name="Add to cart")
        await add.click()
        await expect(page.locator("#badge")).to_have_text("99")
        async with page.expect_response("**/api/cart") as real:
            await add.click()
        count = await (await real.value).json()
        await expect(page.locator("#badge")).to_have_text("1")

        await page.route("**/api/details/*", lambda route: route.abort("connectionrefused"))
        async with page.expect_event("requestfailed") as refused:
            await page.get_by_role("tab", name="Details").click()
        request = await refused.value
        reason = request.failure
        panel = await page.get_by_role("tabpanel").inner_text()
        await browser.close()
    return [seen, count, panel, reason, [r.url.rsplit("/", 2)[1] for r in failed], request.is_navigation_request()]
