"""Expose Python functions to the scripts of a page."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Container
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from stillframe.errors import CommandError, OptionInvalid

if TYPE_CHECKING:
    from stillframe.security.redaction import Redaction
    from stillframe.tab.background import Background
    from stillframe.tab.channel import Channel
    from stillframe.tab.document_scripts import DocumentScript
    from stillframe.tab.frames import Frame, World

IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)


def check_exposed(name: str, function: Callable[..., object], *, taken: Container[str]) -> None:
    """Raise OptionInvalid for a name that scripts cannot call or that is taken, and for what is not callable."""
    if not isinstance(name, str) or not IDENTIFIER.fullmatch(name):
        raise OptionInvalid(f"option name: {name!r} is not a JavaScript identifier", option="name")
    if not callable(function):
        raise OptionInvalid(f"option function: {function!r} is not callable", option="function")
    if name in taken:
        raise OptionInvalid(f"option name: {name!r} is already exposed", option="name")


class ExposedFunctions:
    """The functions of one tab that its documents can call by name."""

    def __init__(self, channel: Channel, background: Background, redaction: Redaction) -> None:
        self._channel = channel
        self._background = background
        self._redaction = redaction
        self._functions: dict[str, Callable[..., object]] = {}

    def __len__(self) -> int:
        return len(self._functions)

    def add(self, name: str, function: Callable[..., object]) -> DocumentScript:
        """Expose a function in all current and new documents; raises OptionInvalid. Awaits nothing."""
        self.check(name, function)
        self._functions[name] = function
        self._channel.open("call", self._called)
        return self._channel.run("exposed", name)

    def check(self, name: str, function: Callable[..., object]) -> None:
        """Raise OptionInvalid unless the function can be exposed by that name."""
        check_exposed(name, function, taken=self._functions)

    def _called(self, frame: Frame, message: dict[str, Any]) -> None:
        name, number, args = message.get("name"), message.get("id"), message.get("args")
        function = self._functions.get(name) if isinstance(name, str) else None
        if function is not None and isinstance(args, list):
            work = self._answer(frame.world(), str(name), number, function, args)
            self._background.start(work, f"exposed function {name}")

    async def _answer(
        self, world: World, name: str, number: Any, function: Callable[..., object], args: list[Any]
    ) -> None:
        try:
            result = function(*args)
            value = await result if inspect.isawaitable(result) else result
            reply = json.dumps({"id": number, "value": value, "error": None}, allow_nan=False)
        except Exception as error:
            text = self._redaction.redact(f"{type(error).__name__}: {error}")
            reply = json.dumps({"id": number, "value": None, "error": text})
        # A document that is gone needs no reply.
        with suppress(CommandError):
            await self._channel.send(world, f"call {name}", reply)
