"""Fill in a form, read the error that it shows, and correct the field.

It prints:

    ann: That is not an e-mail address.
    ann@example.org: Welcome! A letter is on its way to ann@example.org.
    left out as noise: #clock
"""

import asyncio
import re

import stillframe
from stillframe import Check, Click, SequenceResult, SetValue
from stillframe.demo import Shop
from stillframe.demo.scenes import WATCH_CLOCK


async def join(page: stillframe.Page, email: str) -> SequenceResult:
    """Send the form and print the message that appeared."""
    result = await page.execute_sequence(
        [SetValue("#email", email), Check("#letters"), Click("role=button[name=Join]")]
    )
    result.raise_for_failure()
    if change := result.state_change:
        print(f"{email}: {next(row.text for row in change.appeared if row.role in ('alert', 'status'))}")
    return result


async def main() -> None:
    async with Shop() as shop, stillframe.launch() as browser:
        page = await browser.new_page(shop.url("/join"))
        await page.evaluate(WATCH_CLOCK)  # the clock of the page has ticked before we act, as it does for a person
        await join(page, "ann")
        result = await join(page, "ann@example.org")
        noise = {match[0] for each in result.ignored if (match := re.search(r"#\w+", str(each.to_dict())))}
        print(f"left out as noise: {', '.join(sorted(noise))}")


asyncio.run(main())
