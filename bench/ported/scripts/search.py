"""Choose from an autocomplete list, by mouse and by keys."""

from playwright.async_api import async_playwright, expect


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        page = await browser.new_page()
        page.set_default_timeout(5_000)
        await page.goto(f"{url}/search")
        requests = []
        page.on("request", lambda request: requests.append(request.url) if "/api/search" in request.url else None)
        box = page.get_by_role("combobox", name="Search")
        options = page.get_by_role("option")

        async with page.expect_request("**/api/search?q=*") as asked:
            await box.press_sequentially("lamp 1", delay=20)
        request = await asked.value
        await expect(options).to_have_count(5)
        by_mouse = await options.all_text_contents()
        await options.filter(has_text="Lamp 12").click()
        await expect(page.locator("#chosen")).to_have_text("You chose Lamp 12")
        await expect(page.get_by_role("listbox")).to_be_hidden()

        await box.clear()
        await box.type("Lamp 2")
        await expect(options.nth(1)).to_be_visible()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowDown")
        await expect(options.nth(1)).to_have_attribute("aria-selected", "true")
        await page.keyboard.press("Enter")
        chosen = await page.inner_text("#chosen")
        await expect(box).to_have_value("Lamp 20")

        await box.fill("nothing like it")
        await expect(page.get_by_role("listbox")).not_to_be_visible()
        await box.press("Control+a")
        await box.press("Delete")
        empty = await box.input_value()
        await browser.close()
    return [by_mouse, chosen, empty, len(requests) >= 2, request.method]
