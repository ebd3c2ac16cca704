"""Follow popups and tabs, the console and uncaught errors."""

from playwright.async_api import ConsoleMessage, async_playwright, expect


async def main(url: str):
    messages: list[tuple[str, str]] = []
    errors: list[str] = []

    def on_console(message: ConsoleMessage):
        messages.append((message.type, message.text.split(" {")[0]))

    async with async_playwright() as p:
        browser = await p.chromium.launch()
        context = await browser.new_context()
        opened = []
        context.on("page", lambda page: opened.append(page))
        page = await context.new_page()
        page.on("console", on_console)
        page.on("pageerror", lambda error: errors.append(error.message))
        await page.goto(f"{url}/report")

        async with page.expect_popup() as popup_info:
            await page.get_by_role("button", name="Print view").click()
        popup = await popup_info.value
        await popup.wait_for_load_state()
        printed = await popup.inner_text("p")
        assert await popup.opener() is page
        async with popup.expect_event("close"):
            await popup.close()

        async with context.expect_page() as page_info:
            await page.get_by_role("link", name="Lamp 3").click()
        lamp = await page_info.value
        await expect(lamp).to_have_title("Lamp 3")
        await lamp.bring_to_front()
        names = [await each.title() for each in context.pages]

        async with page.expect_console_message() as warned:
            await page.locator("#fail").click()
        warning = await warned.value
        await lamp.goto(f"{url}/about")
        await lamp.goto(f"{url}/search")
        back = await lamp.go_back()
        await expect(lamp).to_have_url(f"{url}/about")
        forward = await lamp.go_forward()
        await browser.close()
    paths = [response.url.rsplit("/", 1)[1] for response in (back, forward)]
    return [printed, names, len(opened), messages, errors, warning.text, popup.is_closed(), paths]
