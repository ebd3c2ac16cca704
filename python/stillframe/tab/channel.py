"""Send messages from the main world to Python: by events to the isolated world, and from there by a binding.

A binding of the main world would need Runtime.enable to outlive a navigation, and its name would be visible there.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe import injected
from stillframe.cdp_types import runtime
from stillframe.injected.call import Call
from stillframe.tab.frames import WORLD, Frame, World

if TYPE_CHECKING:
    from stillframe.tab.document_scripts import DocumentScript, DocumentScripts
    from stillframe.tab.frame_tree import FrameTree

KEY = f"_{secrets.token_hex(8)}"
"""The type of the events between the two worlds, random per process, so that no page can guess it."""
BINDING = "__sfPage"
"""The function of the isolated world that calls Python."""

MessageHandler = Callable[[Frame, dict[str, Any]], None]


class Channel:
    """Delivers messages of scripts in the main world to Python; sends nothing before `open`."""

    def __init__(self, frames: FrameTree, scripts: DocumentScripts) -> None:
        self._frames = frames
        self._scripts = scripts
        self._handlers: dict[str, MessageHandler] = {}
        self._is_open = False

    def open(self, kind: str, handler: MessageHandler) -> None:
        """Pass messages of a kind to a handler, from all documents from now on; awaits nothing."""
        self._handlers[kind] = handler
        if self._is_open:
            return
        self._is_open = True
        self._frames.bind(BINDING, self._received)
        self._scripts.add(f'{injected.read("relay")}("{KEY}")', world=WORLD, now=True)

    def run(self, script: str, *arguments: str) -> DocumentScript:
        """Run a bundle of `injected` in the main world of every document, including current ones."""
        given = ", ".join(json.dumps(argument) for argument in (KEY, *arguments))
        return self._scripts.add(f"{injected.read(script)}({given})", now=True)

    async def send(self, world: World, topic: str, text: str) -> None:
        """Send a text to the scripts in the main world of a document; raises CommandError if it is gone."""
        await world.call(Call("__sfChannel", (topic, text)))

    def withdraw(self, script: DocumentScript, topic: str) -> None:
        """Stop running a script in new documents, and signal the current ones to stop; awaits nothing."""
        self._scripts.remove(script)
        for frame in self._frames:
            if frame.context_id is not None and frame.session.error is None:
                expression = f"globalThis.__sfChannel && __sfChannel({json.dumps(topic)})"
                frame.session.post(runtime.Evaluate(expression=expression, context_id=frame.context_id, silent=True))

    def _received(self, frame: Frame, payload: str) -> None:
        try:
            message = msgspec.json.decode(payload, type=dict[str, Any])
        except msgspec.DecodeError:
            return
        handler = self._handlers.get(str(message.get("kind")))
        if handler is not None:
            handler(frame, message)
