"""Use the same calls without asyncio, as scripts and notebooks like to.

The shop is an asyncio server, so this example starts it as a process of its own. It prints:

    3 actions done; still: True
    + #welcome
    + #lamps
    the cart has 1 lamp
"""

import subprocess
import sys

import stillframe.sync
from stillframe import Click, Secret, SetValue

SHOP = """
import asyncio
import sys
from stillframe.demo import Shop

async def serve():
    async with Shop() as shop:
        print(shop.url("/login"), flush=True)
        await asyncio.to_thread(sys.stdin.read)  # until the other program ends

asyncio.run(serve())
"""


def log_in_and_buy(url: str) -> None:
    with stillframe.sync.launch() as browser:
        page = browser.new_page(url)
        result = page.execute_sequence(
            [SetValue("#user", "ann"), SetValue("#pass", Secret("lantern")), Click("#submit")]
        )
        print(f"{result.completed} actions done; still: {result.stable}")
        for row in result.state_change.appeared if result.state_change else ():
            print("+", row.selector)
        page.click("#add-ember")
        print(f"the cart has {page.locator('#cart-count').text()} lamp")


shop = subprocess.Popen([sys.executable, "-c", SHOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert shop.stdout is not None
log_in_and_buy(shop.stdout.readline().strip())
shop.communicate()
