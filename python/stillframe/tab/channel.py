"""The way from a page's own world to Python: by events to the isolated world of the document, from there by a binding.

A binding of the page's own world would need Runtime.enable to outlive a navigation, and would have a name there.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import Any

import msgspec

from stillframe import injected
from stillframe.cdp_types import runtime
from stillframe.tab.document_scripts import DocumentScript, DocumentScripts
from stillframe.tab.frame_tree import FrameTree
from stillframe.tab.frames import WORLD, Frame, World

KEY = f"_{secrets.token_hex(8)}"
"""The type of the events between the two worlds. Chosen once per process: no page can find it."""
BINDING = "__sfPage"
"""The function of the isolated world that calls Python."""

Told = Callable[[Frame, dict[str, Any]], None]


class Channel:
    """Brings messages of scripts in the page's own world to Python; nothing is sent before `open`."""

    def __init__(self, frames: FrameTree, scripts: DocumentScripts) -> None:
        self._frames = frames
        self._scripts = scripts
        self._handlers: dict[str, Told] = {}
        self._is_open = False

    def open(self, kind: str, handler: Told) -> None:
        """Give messages of a kind to a handler, in all documents from now on; awaits nothing."""
        self._handlers[kind] = handler
        if self._is_open:
            return
        self._is_open = True
        self._frames.scripts.bindings[BINDING] = self._heard
        for frame in self._frames:
            if frame.context_id is not None:  # a world that is being made takes the binding by itself
                frame.session.post(runtime.AddBinding(name=BINDING, execution_context_id=frame.context_id))
        self._scripts.add(f'{injected.read("channel/relay")}("{KEY}")', world=WORLD, now=True)

    def run(self, script: str, *arguments: str) -> DocumentScript:
        """Run a file of `injected/channel` in the page's own world of every document, those there now included."""
        given = ", ".join(json.dumps(argument) for argument in (KEY, *arguments))
        return self._scripts.add(f"{injected.read(f'channel/{script}')}({given})", now=True)

    async def send(self, world: World, topic: str, text: str) -> None:
        """Give a text to the scripts in the page's own world of a document; raises CommandError if it is gone."""
        await world.call("(topic, text) => globalThis.__sfChannel(topic, text)", topic, text)

    def withdraw(self, script: DocumentScript, topic: str) -> None:
        """Run a script in no later document, and tell the ones that are there to stop; awaits nothing."""
        self._scripts.remove(script)
        for frame in self._frames:
            if frame.context_id is not None and frame.session.error is None:
                expression = f"globalThis.__sfChannel?.({json.dumps(topic)})"
                frame.session.post(runtime.Evaluate(expression=expression, context_id=frame.context_id, silent=True))

    def _heard(self, frame: Frame, payload: str) -> None:
        try:
            told = msgspec.json.decode(payload, type=dict[str, Any])
        except msgspec.DecodeError:
            return
        handler = self._handlers.get(str(told.get("kind")))
        if handler is not None:
            handler(frame, told)
