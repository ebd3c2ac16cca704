"""Look at a page as a phone, in the dark, somewhere else."""

import struct

from playwright.async_api import async_playwright, expect


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return struct.unpack(">II", png[16:24])


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        phone = p.devices["iPhone 13"]
        context = await browser.new_context(
            **phone,
            locale="de-DE",
            timezone_id="Europe/Berlin",
            geolocation={"latitude": 52.52, "longitude": 13.405},
            permissions=["geolocation"],
            color_scheme="dark",
        )
        page = await context.new_page()
        await page.add_init_script("window.started = Date.now()")
        await page.goto(f"{url}/about")
        await expect(page.locator("#zone")).to_have_text("Europe/Berlin")
        language = await page.locator("#language").inner_text()
        await expect(page.locator(".wide")).to_be_hidden()
        await page.get_by_role("button").tap()
        await expect(page.locator("#place")).to_have_text("52.52, 13.40", timeout=3_000)
        await context.set_geolocation({"latitude": 0, "longitude": 0})
        await page.get_by_role("button").tap()
        await expect(page.locator("#place")).to_have_text("0.00, 0.00")
        dark = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        await page.emulate_media(color_scheme="light")
        light = await page.evaluate("getComputedStyle(document.body).backgroundColor")
        ratio = await page.evaluate("devicePixelRatio")
        agent = "iPhone" in await page.evaluate("navigator.userAgent")
        shot = size_of(await page.screenshot())
        part = size_of(await page.locator("h1").screenshot(scale="css"))
        started = await page.evaluate("typeof started")
        viewport = page.viewport_size
        await context.set_offline(True)
        online = await page.evaluate("navigator.onLine")
        await browser.close()
    same = shot == (viewport["width"] * ratio, viewport["height"] * ratio)
    return [language, dark, light, ratio, agent, same, part[0] > 100, started, online]
