"""A command that waits for its answer, and the functions that decode answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import msgspec

from stillframe.cdp.mux import Mux, TrackedCall

Decode = Callable[[msgspec.Raw], Any]


class PendingCall(asyncio.Future[Any], TrackedCall):
    """The future result of one command.

    Cancelling it, directly or through the task that awaits it, removes it from the mux at once.
    """

    __slots__ = ("deadline", "decode", "id", "method", "mux", "session_id", "since", "timeout")

    timeout: float | None
    decode: Decode
    mux: Mux[PendingCall]

    def cancel(self, msg: Any | None = None) -> bool:
        """Cancel the call, and ignore the answer that may still come."""
        self.mux.forget(self)
        return super().cancel(msg)

    def fail(self, error: Exception) -> None:
        """Finish with `error`; asyncio does not log it if nobody retrieves it."""
        if not self.done():
            self.set_exception(error)
            self.exception()


def ignore_result(_raw: msgspec.Raw) -> None:
    """Decode the answer to a command without a result."""


def raw_json(raw: msgspec.Raw) -> msgspec.Raw:
    """Return the result undecoded, as JSON."""
    return raw


def raw_any(raw: msgspec.Raw) -> msgspec.Raw:
    """Return the result undecoded; a large result from a CBOR pipe stays CBOR, which saves the conversion."""
    return raw


def to_builtins(raw: msgspec.Raw) -> Any:
    """Return the result as dicts and lists."""
    return msgspec.json.decode(raw)


_decoders: dict[type[Any], msgspec.json.Decoder[Any]] = {}


def decoder_for(type_: type[Any]) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a result or event type, built on first use because building it may import domains."""
    decoder = _decoders.get(type_)
    if decoder is None:
        decoder = _decoders[type_] = msgspec.json.Decoder(type_)
    return decoder


_result_decoders: dict[type[Any], Decode] = {}


def result_decoder(command: type[Any]) -> Decode:
    """Return the function that decodes the answers to commands of this type."""
    decode = _result_decoders.get(command)
    if decode is None:
        decode = ignore_result if command.result is None else decoder_for(command.result).decode
        _result_decoders[command] = decode
    return decode
