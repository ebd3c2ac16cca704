"""What the drivers of Python clients share.

A driver runs in the environment of its client, so it imports neither stillframe nor the tests. It reads from standard
input what to call of each server, and writes to standard output what came back, in the same form as typescript.mjs:

    [{"server": {"url": …, "token": …} or {"command": [program, …], "env": {…}},
      "calls": [{"tool": …, "arguments": …}, …]}, …]
    [[{"read": text, "structured": object or null, "failed": bool, "images": number, "raised": text}, …], …]

`read` is what the client hands to a model, `raised` what it raised where a model would read nothing.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from typing import Any

PATIENCE_S = 100.0
"""Seconds for clients that give up by themselves: a busy machine is slow."""

Call = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]


def reply(read: str, *, structured: Any = None, failed: bool = False, images: int = 0, raised: str = "") -> Any:
    """Return what one call came to."""
    return {"read": read, "structured": structured, "failed": failed, "images": images, "raised": raised}


def raised(error: BaseException) -> Any:
    """Return what a call came to that the client raised for."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return reply("", failed=True, raised=f"{type(error).__name__}: {error}")


def of_content(parts: list[Any], **more: Any) -> Any:
    """Return what a result came to whose client hands its content to the model."""
    texts = [part.text for part in parts if part.type == "text"]
    return reply("\n".join(texts), images=sum(part.type == "image" for part in parts), **more)


async def each(calls: list[dict[str, Any]], call: Call) -> list[Any]:
    """Make the calls one after the other."""
    replies = []
    for one in calls:
        try:
            replies.append(await call(one["tool"], one["arguments"]))
        except Exception as error:
            replies.append(raised(error))
    return replies


def main(run: Callable[[dict[str, Any], list[dict[str, Any]]], Awaitable[list[Any]]]) -> None:
    """Run a driver: one connection to each server."""

    async def all_servers() -> list[Any]:
        return [await run(task["server"], task["calls"]) for task in json.load(sys.stdin)]

    json.dump(asyncio.run(all_servers()), sys.stdout)
