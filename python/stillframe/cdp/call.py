"""One command on its way: a future that the mux knows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from stillframe.cdp.mux import Mux

Decode = Callable[[msgspec.Raw], Any]


class PendingCall(asyncio.Future[Any]):
    """The answer to one command.

    Cancelling it, also by cancelling whoever awaits it, takes it out of the table of pending calls at once.
    """

    __slots__ = ("deadline", "decode", "id", "method", "mux", "session_id", "timeout")

    id: int
    method: str
    session_id: str
    deadline: float
    timeout: float | None
    decode: Decode
    mux: Mux[PendingCall]

    def cancel(self, msg: Any | None = None) -> bool:
        self.mux.forget(self)
        return super().cancel(msg)

    def fail(self, error: Exception) -> None:
        """End with `error`. Whether anybody looks is their choice: an unread one is not logged."""
        if not self.done():
            self.set_exception(error)
            self.exception()


def nothing(_raw: msgspec.Raw) -> None:
    """The result of a command that has none."""


def untouched(raw: msgspec.Raw) -> msgspec.Raw:
    """The result as the bytes it came in."""
    return raw


def as_sent(raw: msgspec.Raw) -> msgspec.Raw:
    """The result in the browser's own encoding, where that saves work: a large one from a CBOR pipe stays CBOR."""
    return raw


def builtins(raw: msgspec.Raw) -> Any:
    """The result as dicts and lists."""
    return msgspec.json.decode(raw)


_decoders: dict[type[Any], msgspec.json.Decoder[Any]] = {}


def decoder_of(type_: type[Any]) -> msgspec.json.Decoder[Any]:
    """The decoder of a result or event type; made at its first use, since that may import other domains."""
    decoder = _decoders.get(type_)
    if decoder is None:
        decoder = _decoders[type_] = msgspec.json.Decoder(type_)
    return decoder


_results: dict[type[Any], Decode] = {}


def result_decode(command: type[Any]) -> Decode:
    """How the answer to a command of this type is read."""
    decode = _results.get(command)
    if decode is None:
        decode = nothing if command.result is None else decoder_of(command.result).decode
        _results[command] = decode
    return decode
