"""Log in to the bundled shop with one call, and see what that led to."""

import asyncio

import stillframe
from stillframe import Click, Secret, SetValue
from stillframe.demo import Shop


async def main() -> None:
    async with Shop() as shop, stillframe.launch() as browser:
        page = await browser.new_page(shop.url("/login"))
        result = await page.execute_sequence(
            [
                SetValue("#user", "ann"),
                SetValue("#pass", Secret("lantern")),
                Click("#submit"),
            ]
        )
        print(f"{result.completed} actions done; still: {result.stable}, {result.reason}")
        if change := result.state_change:
            for row in change.appeared:
                print("+", row.selector, row.text)
            for row in change.disappeared:
                print("-", row.selector)
            for row in change.changed:
                print("~", row.selector, row.field, row.from_, "->", row.to)


asyncio.run(main())
