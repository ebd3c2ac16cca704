"""What rows ask of a page beside its actions: calls that stillframe and Playwright have by the same names.

What a call gives is taken down under the name `to`, for the field `gives` of the row.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urljoin, urlsplit

from bench.doing import Do

CALL_S = 10.0
"""How long a call may take."""
Gives = dict[str, Any]
Call = Callable[[Any, Do, Gives], Awaitable[None]]


def evaluate(script: str, to: str = "value") -> Do:
    """The call `page.evaluate`."""
    return {"action": "evaluate", "script": script, "to": to}


def expose(name: str, to: str = "asked") -> Do:
    """The call `page.expose_function`: the function notes its arguments and returns how many there are."""
    return {"action": "expose", "name": name, "to": to}


def listen(event: str, to: str = "heard") -> Do:
    """Note what is heard of an event from now on, in the words of `HEARD`."""
    return {"action": "listen", "event": event, "to": to}


def route(url: str, how: str = "fulfill", to: str = "routed", **options: Any) -> Do:
    """The call `page.route`, with a handler that notes the method and the path of a request and decides it."""
    return {"action": "route", "url": url, "how": how, "to": to, "options": options}


def picture(to: str = "picture", **options: Any) -> Do:
    """The call `page.screenshot`, or that of a locator; notes width and height."""
    return {"action": "picture", "to": to, **options}


def pause(ms: int) -> Do:
    """Look at the page and do nothing."""
    return {"action": "pause", "ms": ms}


async def _evaluate(page: Any, call: Do, gives: Gives) -> None:
    gives[call["to"]] = await page.evaluate(call["script"])


async def _expose(page: Any, call: Do, gives: Gives) -> None:
    asked: list[Any] = []
    gives[call["to"]] = asked

    def noted(*arguments: Any) -> int:
        asked.extend(arguments)
        return len(arguments)

    await page.expose_function(call["name"], noted)


async def _listen(page: Any, call: Do, gives: Gives) -> None:
    heard: list[Any] = []
    gives[call["to"]] = heard
    page.on(call["event"], lambda value: heard.append(HEARD[call["event"]](value)))


async def _route(page: Any, call: Do, gives: Gives) -> None:
    routed: list[str] = []
    gives[call["to"]] = routed

    async def decide(decided: Any) -> None:
        routed.append(_request(decided.request))
        await getattr(decided, call["how"])(**call["options"])

    await page.route(call["url"], decide)


async def _picture(page: Any, call: Do, gives: Gives) -> None:
    if "selector" in call:
        locator = page.locator(call["selector"])
        of_element = hasattr(locator, "screenshot")  # stillframe's pages take the selector themselves
        image = await (locator.screenshot() if of_element else page.screenshot(selector=call["selector"]))
    else:
        image = await page.screenshot(full_page=call.get("full_page", False), clip=call.get("clip"))
    gives[call["to"]] = list(struct.unpack(">II", image[16:24]))


async def _pause(_: Any, call: Do, __: Gives) -> None:
    await asyncio.sleep(call["ms"] / 1000)


CALLS: dict[str, Call] = {
    "evaluate": _evaluate,
    "expose": _expose,
    "listen": _listen,
    "route": _route,
    "picture": _picture,
    "pause": _pause,
}


async def make(page: Any, call: Do, gives: Gives) -> None:
    """Make a call; Playwright's `evaluate` has no limit of its own."""
    await asyncio.wait_for(CALLS[call["action"]](page, call, gives), CALL_S)


def ready(call: Do, base: str) -> Do:
    """Return a call with the URL that a relative one means; globs stay."""
    url = call.get("url", "*")
    return call if url.startswith("*") else {**call, "url": urljoin(base, url)}


def _path(url: str) -> str:
    """The part of a URL after the folder of the row."""
    parts = urlsplit(url)
    return parts.path.split("/", 2)[-1] + (f"?{parts.query}" if parts.query else "")


def _request(request: Any) -> str:
    posted = "" if request.post_data is None else f" {request.post_data}"
    return f"{request.method} {_path(request.url)}{posted}"


HEARD: dict[str, Callable[[Any], str]] = {
    "console": lambda message: message.text,
    "pageerror": lambda error: error.message,
    "request": _request,
    "requestfinished": _request,
    "requestfailed": lambda failed: _request(getattr(failed, "request", failed)),
    "response": lambda response: f"{response.status} {_path(response.url)}",
    "dialog": lambda dialog: f"{dialog.type} {dialog.message}",
}
"""What is noted of the value of each event, which both give by the same names."""
