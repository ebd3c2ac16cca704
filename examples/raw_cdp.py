"""Use the Chrome DevTools Protocol itself, where stillframe has no call of its own.

It prints:

    the login page uses 27 % of shop.css
"""

import asyncio

import stillframe
from stillframe.cdp_types import css, dom
from stillframe.demo import Shop


async def used_style(page: stillframe.Page) -> int:
    """Return how many percent of the style sheets the page uses, as DevTools' Coverage tab counts."""
    session = page.cdp_session
    sheets: list[css.StyleSheetAdded] = []
    remove = session.on(css.StyleSheetAdded, sheets.append)
    await session.send(dom.Enable())
    await session.send(css.Enable())
    await session.send(css.StartRuleUsageTracking())
    await page.reload()
    usage = (await session.send(css.StopRuleUsageTracking())).rule_usage
    remove()
    used = sum(rule.end_offset - rule.start_offset for rule in usage if rule.used)
    return round(100 * used / sum(sheet.header.length for sheet in sheets))


async def main() -> None:
    async with Shop() as shop, stillframe.launch() as browser:
        page = await browser.new_page(shop.url("/login"))
        print(f"the login page uses {await used_style(page)} % of shop.css")


asyncio.run(main())
