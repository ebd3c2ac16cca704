"""Watch a page: put each change into a queue once the page is still, whatever causes it.

A door of your own: `stillframe.extend` has what it needs of a page beyond the public calls. It prints:

    appeared: listitem Ember, € 48
    appeared: listitem Tide, € 52
    disappeared: listitem Ember, € 48
"""

import asyncio

import stillframe
from stillframe.extend import page_state
from stillframe.extend.signals import Committed, Effect, Mutated, Signal
from stillframe.model.change import StateChange

ORDERS = "<h1>Orders</h1><ul><li>Moss, € 39</li></ul>"
ADD = "text => document.querySelector('ul').insertAdjacentHTML('beforeend', `<li>${text}</li>`)"
REMOVE = "number => document.querySelectorAll('li')[number].remove()"


async def watch(page: stillframe.Page, changes: asyncio.Queue[StateChange]) -> None:
    """Put each change of a page into the queue, without secrets, until this task is cancelled."""
    state = page_state(page)
    changed = asyncio.Event()

    def heard(_now: float, signal: Signal, _effects: tuple[Effect, ...]) -> None:
        if isinstance(signal, Mutated | Committed):
            changed.set()

    remove = state.on_signal(heard)
    try:
        last = await state.capture()
        while await changed.wait():
            changed.clear()
            await page.settle()
            last, before = await state.capture(), last
            if change := state.compare(before, last, noise=await state.noise()):
                await changes.put(change)
    finally:
        remove()


async def main() -> None:
    changes: asyncio.Queue[StateChange] = asyncio.Queue()
    async with stillframe.launch() as browser:
        page = await browser.new_page()
        await page.set_content(ORDERS)
        watcher = asyncio.create_task(watch(page, changes))
        for code, argument in [(ADD, "Ember, € 48"), (ADD, "Tide, € 52"), (REMOVE, 1)]:
            await page.evaluate(code, argument)
            change = await changes.get()
            for name, rows in (("appeared", change.appeared), ("disappeared", change.disappeared)):
                for row in rows:
                    print(f"{name}: {row.role} {row.text}")
        watcher.cancel()


asyncio.run(main())
