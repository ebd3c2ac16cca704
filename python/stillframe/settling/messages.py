"""Record the messages that a page shows during a wait: those that are gone at its end are in no snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stillframe.settling.signals import Report

MAX_MESSAGES = 20
"""How many messages to keep per wait: a page may announce any number in any number of documents."""


class Message(msgspec.Struct, frozen=True):
    """A message as the observer announces it."""

    id: int
    selector: str
    tag: str
    role: str
    text: str


class _Said(msgspec.Struct):
    frame: str
    document: object
    """The isolated world of the document that said it."""
    message: Message
    gone: bool = False


class Messages:
    """The messages of one wait, in the order in which they came."""

    def __init__(self) -> None:
        self._said: list[_Said] = []

    def clear(self) -> None:
        """Forget all messages: the next wait begins."""
        self._said.clear()

    def heard(self, frame: str, document: object, payload: str) -> None:
        """Record a message that a document of a frame announced; leaves out a payload that cannot be decoded.

        A document announces a message again, with the same id, once its text is longer.
        """
        try:
            message = msgspec.json.decode(payload, type=Message)
        except msgspec.MsgspecError:
            return
        for said in self._said:
            if said.frame == frame and said.document is document and said.message.id == message.id:
                said.message = message
                return
        if len(self._said) < MAX_MESSAGES:
            self._said.append(_Said(frame, document, message))

    def reported(self, frame: str, document: object, report: Report) -> None:
        """Record which messages a document no longer shows."""
        for said in self._said:
            if said.frame == frame and said.document is document:
                said.gone = said.message.id in report.gone_messages

    def passed(self, documents: Mapping[str, object]) -> tuple[Message, ...]:
        """Return the messages that are gone; `documents` are those that the frames show now."""
        return tuple(said.message for said in self._said if said.gone or documents.get(said.frame) is not said.document)
