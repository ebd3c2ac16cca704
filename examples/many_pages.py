"""Work on several pages at once, each with cookies of its own, in one browser.

It prints:

    ann: 2 actions done, Ember is in your cart.
    ben: 2 actions done, Moth is in your cart.
    eve: stopped at action 1, element_not_found
"""

import asyncio

from stillframe import Action, Click, SequenceResult, Sessions, WaitFor
from stillframe.demo import Shop

WANTED = {"ann": "#add-ember", "ben": "#add-moth", "eve": "#add-sun"}


def told(result: SequenceResult | Exception) -> str:
    if isinstance(result, Exception):
        return f"failed: {result}"
    if result.failed:
        return f"stopped at action {result.failed.index}, {result.failed.code}"
    change = result.state_change
    message = next(row.text for row in change.appeared if row.role == "status") if change else ""
    return f"{result.completed} actions done, {message}"


async def main() -> None:
    async with Shop() as shop, Sessions() as sessions:
        await asyncio.gather(*(sessions.open(name, url=shop.url("/shop")) for name in WANTED))
        plans: dict[str, list[Action]] = {name: [WaitFor("#lamps"), Click(button)] for name, button in WANTED.items()}
        results = await sessions.parallel(plans, action_timeout_ms=500)
        for name, result in sorted(results.items()):
            print(f"{name}: {told(result)}")


asyncio.run(main())
