"""Answer requests of a page instead of its server, to see what the page does then.

It prints:

    as it is: Ember is in your cart.
    sold out: The last one has just been sold.
    without network: an uncaught error, TypeError: Failed to fetch
"""

import asyncio

import stillframe
from stillframe import Route, SequenceResult
from stillframe.demo import Shop


async def sold_out(route: Route) -> None:
    await route.fulfill(status=409, json={"message": "The last one has just been sold."})


async def no_network(route: Route) -> None:
    await route.abort()


def message(result: SequenceResult) -> str:
    """Return what the page says after the click: its message, or else the first uncaught error."""
    if change := result.state_change:
        for row in change.appeared:
            if row.role in ("status", "alert"):
                return row.text
    return f"an uncaught error, {result.errors[0].message}" if result.errors else "nothing"


async def main() -> None:
    async with Shop() as shop, stillframe.launch() as browser:
        for title, answer in (("as it is", None), ("sold out", sold_out), ("without network", no_network)):
            async with await browser.new_page(shop.url("/shop")) as page:
                if answer:
                    await page.route("**/api/cart", answer)
                print(f"{title}: {message(await page.click('#add-ember', verbose=True))}")


asyncio.run(main())
