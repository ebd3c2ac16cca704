"""Move notes between lanes, and a slider by the mouse."""

from playwright.async_api import Locator, Page, async_playwright, expect


async def notes_of(lane: Locator) -> list[str]:
    return await lane.locator(".note").all_inner_texts()


async def drag_slider(page: Page, distance: int):
    box = await page.locator("#slider").bounding_box()
    x, y = box["x"] + 10, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + distance, y, steps=5)
    await page.mouse.up()


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        page = await browser.new_page(viewport={"width": 1000, "height": 700})
        await page.goto(f"{url}/board")
        lanes = {name: page.get_by_label(name) for name in ("Todo", "Doing", "Done")}

        await page.get_by_text("Note 1").drag_to(lanes["Doing"])
        await expect(lanes["Doing"].locator(".note")).to_have_count(1)
        await page.drag_and_drop("text=Note 2", "[aria-label=Done]")
        await expect(lanes["Done"]).to_contain_text("Note 2")
        await page.get_by_text("Note 1").drag_to(lanes["Done"], target_position={"x": 20, "y": 80})
        await expect(lanes["Done"].locator(".note")).to_have_text(["Note 2", "Note 1"])

        await drag_slider(page, 120)
        slid = await page.text_content("#slider")
        order = {name: await notes_of(lane) for name, lane in lanes.items()}
        left = lanes["Todo"].locator("css=.note >> visible=true")
        await expect(left).to_have_count(1)
        doing = lanes["Doing"].filter(has=page.locator(".note"))
        empty = await doing.count() == 0
        await lanes["Todo"].hover(position={"x": 5, "y": 5})
        await browser.close()
    return [order, slid, empty]
