"""Write an agent loop of your own: the page as text in, a list of actions out, and what changed back.

`ask` stands for the model. Here it is a few rules, so that the example runs without one; the page "An agent loop of
your own" of the documentation asks a server with OpenAI's API. It prints:

    turn 1: 3 of 3 actions done; still: True
      + alert That name and password do not go together.
    turn 2: 3 of 3 actions done; still: True
      + heading Welcome back!
      + list Ember Smoked glass, warm and low € 48 Add to cart Tide Blue…
    turn 3: done
"""

import asyncio
import json
import re
import textwrap

import stillframe
from stillframe.demo import Shop
from stillframe.errors import ActionInvalid


async def run(page: stillframe.Page, goal: str, turns: int = 5) -> None:
    seen = "nothing yet"
    for turn in range(1, turns + 1):
        text = (await page.aria_snapshot(budget=4_000)).text
        reply = json.loads(await ask(f"Goal: {goal}\nThe last actions led to: {seen}\nPage:\n{text}"))
        if reply.get("done"):
            print(f"turn {turn}: done")
            break
        try:
            result = await page.execute_sequence(reply["actions"], guard=True)
        except ActionInvalid as error:  # nothing ran; the message names the action and the field
            seen = str(error)
            continue
        print(f"turn {turn}: {result.completed} of {len(reply['actions'])} actions done; still: {result.stable}")
        for row in result.state_change.appeared if result.state_change else ():
            print("  +", row.role, textwrap.shorten(row.text, 60, placeholder="…"))
        seen = result.to_json().decode()


async def ask(prompt: str) -> str:
    if "Welcome back!" in prompt:
        return '{"done": true}'
    name, password, button = re.findall(r'- (?:textbox|button) "(?:Name|Password|Log in)".*\[(ref=e\d+)\]', prompt)
    fill = {"action": "set_value", "selector": name, "value": "ann" if "do not go together" in prompt else "anna"}
    secret = {"action": "set_value", "selector": password, "value": {"secretName": "shop"}}
    return json.dumps({"actions": [fill, secret, {"action": "click_element", "selector": button}]})


async def main() -> None:
    secrets = stillframe.Secrets({"shop": "lantern"})  # the model knows the name of the password, never its text
    async with Shop() as shop, stillframe.launch(secrets=secrets) as browser:
        await run(await browser.new_page(shop.url("/login")), "Log in as ann")


asyncio.run(main())
