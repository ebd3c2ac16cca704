"""Pay in a frame of another site, beside a component with a shadow root."""

import re

from playwright.async_api import async_playwright, expect


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        page = await browser.new_page()
        await page.goto(f"{url}/pay")

        voucher = page.locator("pay-card")
        await voucher.get_by_label("Voucher").fill("TEN")
        await voucher.get_by_role("button", name="Apply").click()
        await expect(voucher.locator("em")).to_have_text("Voucher TEN applied")

        card = page.frame_locator("iframe[title=Card]")
        await card.get_by_placeholder("Card number").fill("4242 4242 4242 4242")
        await card.get_by_placeholder("MM/YY").fill("12/30")
        async with page.expect_console_message(lambda message: message.text == "clicked") as logged:
            await card.locator("button").evaluate(
                "button => button.addEventListener('click', () => console.log('clicked'))"
            )
            await card.get_by_role("button", name="Pay now").click()
        message = await logged.value
        await expect(page.locator("#paid")).to_have_text(re.compile(r"Paid with card \d{4}"), timeout=5_000)

        frame = page.frame(url=re.compile("/card"))
        assert frame is not None
        inputs = await frame.eval_on_selector_all("input", "items => items.map(item => item.value)")
        element = await frame.frame_element()
        title = await element.get_attribute("title")
        handle = await page.query_selector("iframe")
        content = await handle.content_frame()
        same = content.url == frame.url
        depth = 0
        walk = content
        while walk.parent_frame:
            walk, depth = walk.parent_frame, depth + 1
        owner = page.get_by_title("Card").content_frame.get_by_role("textbox")
        boxes = await owner.count()
        await browser.close()
    return [inputs, title, same, depth, walk.url.rsplit("/", 1)[1], message.type, boxes]
