"""Scrape all pages of a catalogue into sorted rows."""

import re

from playwright.async_api import Page, async_playwright


def parse_price(text: str) -> float:
    match = re.search(r"[\d.]+", text)
    if match is None:
        raise ValueError(f"no price in {text!r}")
    return float(match.group())


async def scrape_page(page: Page) -> list[dict]:
    rows = []
    cards = page.locator("article.card")
    for index in range(await cards.count()):
        card = cards.nth(index)
        link = card.get_by_role("link")
        rows.append(
            {
                "name": (await link.text_content()).strip(),
                "url": await link.get_attribute("href"),
                "price": parse_price(await card.locator(".price").inner_text()),
                "sold_out": await card.get_by_text("Sold out").count() > 0,
            }
        )
    return rows


async def main(url: str):
    async with async_playwright() as p:
        browser = await p.chromium.launch()
        page = await browser.new_page()
        await page.goto(url)
        await page.wait_for_selector("article.card")
        found = []
        pages = 0
        while True:
            pages += 1
            found.extend(await scrape_page(page))
            following = page.locator("a[rel=next]")
            if not await following.is_visible():
                break
            await following.click()
            await page.wait_for_load_state("domcontentloaded")
        last_url = page.url
        await browser.close()
    cheapest = sorted(found, key=lambda row: (row["price"], row["name"]))[:3]
    return [pages, len(found), sum(row["sold_out"] for row in found), [row["name"] for row in cheapest], last_url[-7:]]
