"""Scroll a feed to its end and watch what it loads."""

from playwright.async_api import Response, async_playwright


async def main(url: str):
    loaded: list[str] = []

    async def on_response(response: Response):
        if "/api/feed" in response.url:
            body = await response.json()
            loaded.append(body["items"][0])

    async with async_playwright() as p:
        browser = await p.chromium.launch(headless=True)
        context = await browser.new_context(viewport={"width": 800, "height": 600})
        page = await context.new_page()
        page.on("response", on_response)
        async with page.expect_response(lambda r: "/api/feed" in r.url and r.status == 200) as first:
            await page.goto(f"{url}/feed")
        response = await first.value
        beginning = (await response.json())["items"][:2]
        posts = page.locator("#feed li")
        await posts.first.wait_for()
        rounds = 0
        while await page.get_by_text("No more").count() == 0 and rounds < 20:
            rounds += 1
            before = await posts.count()
            await page.mouse.wheel(0, 2000)
            await page.wait_for_function(
                "before => document.querySelectorAll('#feed li').length > before || end.textContent === 'No more'",
                arg=before,
            )
        texts = await posts.evaluate_all("items => items.map(item => item.textContent)")
        numbers = [int(text.split()[1]) for text in texts]
        last = posts.last
        await last.scroll_into_view_if_needed()
        box = await last.bounding_box()
        visible = 0 <= box["y"] <= 600
        page.remove_listener("response", on_response)
        await browser.close()
    return [beginning, numbers == list(range(1, 36)), rounds < 20, visible, sorted(loaded)]
