"""Talk over a WebSocket, and to the API beside the page."""

from playwright.async_api import WebSocket, async_playwright, expect


async def main(url: str):
    frames: list[tuple[str, str]] = []

    def on_socket(socket: WebSocket):
        socket.on("framesent", lambda text: frames.append(("sent", text)))
        socket.on("framereceived", lambda text: frames.append(("received", text)))

    async with async_playwright() as p:
        browser = await p.chromium.launch()
        context = await browser.new_context()
        page = await context.new_page()
        page.on("websocket", on_socket)
        async with page.expect_websocket() as opened:
            await page.goto(f"{url}/chat")
        socket = await opened.value
        log = page.locator("#log li")
        await expect(log).to_have_text(["connected"])
        box = page.get_by_placeholder("Message")
        for text in ("hello", "again"):
            await box.fill(text)
            async with socket.expect_event("framereceived") as answer:
                await box.press("Enter")
            assert await answer.value == text.upper()
        await expect(log).to_have_text(["connected", "HELLO", "AGAIN"])

        api = context.request
        refused = await api.get(f"{url}/api/me")
        logged_in = await api.post(f"{url}/login", form={"user": "ann", "password": "lantern"})
        me = await api.get(f"{url}/api/me")
        added = await api.post(f"{url}/api/cart", data={"id": 4})
        await expect(me).to_be_ok()
        bodies = [await me.json(), await added.json()]
        missing = await api.fetch(f"{url}/p/99", method="GET")
        await page.goto(f"{url}/account")
        greeting = await page.get_by_role("heading", level=1).inner_text()
        await browser.close()
    answers = [response.status for response in (refused, logged_in, me, missing)]
    return [frames, socket.url.startswith("ws://"), answers, bodies, greeting]
