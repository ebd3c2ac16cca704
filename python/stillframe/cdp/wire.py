"""The message format of the protocol: one decode per frame; results and parameters stay raw.

Pure: bytes in, values out. No asyncio, no sockets, no clocks.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from stillframe import _core, errors

MAX_SENT = 64 * 1024 * 1024
"""Bytes of the largest message that is sent. Above 100 MiB Chrome drops the whole connection, silently on a pipe."""

MAX_ID = 2**31 - 1
"""The largest command id. Chrome answers a larger one with an error without an id, so the caller would hang."""

SAMPLE = 200
"""Bytes of an unreadable frame that its error keeps: enough to recognise HTML or another protocol."""

UNKNOWN_SESSION = -32001
"""Chrome's error code for a command to a session that does not exist."""

SERVER_ERROR = -32000
"""Chrome's error code for every failure without a code of its own; only their texts differ."""

METHOD_NOT_FOUND = -32601
"""The error code of JSON-RPC for a command that this version of Chrome does not have."""

INVALID_PARAMS = -32602
"""Chrome's error code for invalid parameters, such as the unique id of an unknown execution context."""

# These failures have no code of their own, so the text must tell them apart; nothing else in the package reads texts of
# errors. The texts are constants in V8's inspector and Chrome's devtools sources; an entry matches as a substring.
CONTEXT_LOST_TEXTS = (
    "Inspected target navigated or closed",
    "Cannot find context with specified id",
    "Execution context was destroyed",
    "uniqueContextId not found",
    "Cannot find default execution context",
    "Promise was collected",
    "Frame was detached",
)
TARGET_CRASHED_TEXT = "Target crashed"
UNSUPPORTED_TEXTS = frozenset(
    {
        "Not supported",
        "Not allowed",
        "Browser context management is not supported.",
        "Failed to create browser context.",
    }
)
"""The whole texts with which a WebView refuses what only a browser has: tabs, windows, contexts."""


class ErrorBody(msgspec.Struct, gc=False):
    """The `error` member of a reply."""

    code: int = 0
    message: str = ""
    data: Any = None


class Message(msgspec.Struct, rename={"session_id": "sessionId"}, gc=False):
    """One message from the browser: a reply if it has an id, else an event if it has a method.

    `result` and `params` are undecoded slices of the frame.
    """

    id: int | None = None
    method: str = ""
    session_id: str = ""
    params: msgspec.Raw = msgspec.Raw(b"{}")
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: ErrorBody | None = None


_decode = msgspec.json.Decoder(Message).decode


Frame = bytes | bytearray


def decode(frame: Frame) -> Message:
    """Decode one frame.

    Raises ProtocolError, with the first bytes of the frame, if it is neither JSON nor CBOR or has an unknown shape.
    CBOR with more than 300 levels of nesting, Chrome's own limit, returns a message with `error` set.
    """
    try:
        message = _read(_core.cbor_to_json(frame) if is_cbor(frame) else frame)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _unreadable(frame, str(error)) from error
    if message.id is None and not message.method and message.error is None:
        raise _unreadable(frame, "it has neither id, method nor error")
    return message


def is_cbor(frame: Frame) -> bool:
    """Return whether a frame is Chrome's CBOR; it starts with a tag byte that no JSON text starts with."""
    return frame[:1] == b"\xd8"


# At each backslash: a surrogate pair, a lone surrogate (group 1), or any other escape.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL
)


def _read(frame: Frame) -> Message:
    try:
        return _decode(frame)
    except msgspec.DecodeError:
        mended = mend(frame)
        if mended == frame:
            raise
        return _decode(mended)


def mend(json: Frame) -> Frame:
    """Replace lone surrogates, which the text of web pages may contain, by U+FFFD.

    Chrome sends them unchanged and strict JSON parsers reject them; one in a console message must not end the
    connection.
    """
    return _ESCAPE.sub(lambda escape: b"\\ufffd" if escape[1] else escape[0], json)


LARGE = 1 << 16
"""Bytes from which skipping the parser pays: from here on, it costs more than the rest of the command."""

_HEAD = re.compile(rb'\{"id":(\d{1,10}),"result":(?=\{)')
_CBOR_HEAD = re.compile(
    rb"\xd8\x18\x5a.{4}\xbfbid(?:([\x00-\x17])|\x18(.)|\x19(..)|\x1a(....))fresult(?=\xd8\x18\x5a)", re.DOTALL
)


def skim_id(frame: Frame) -> tuple[int, int] | None:
    """Return the id of a reply and the offset of its result, or None if it does not start as usual."""
    if is_cbor(frame):
        found = _CBOR_HEAD.match(frame, 0, 64)
        return None if found is None else (int.from_bytes(found[found.lastindex or 1]), found.end())
    head = _HEAD.match(frame, 0, 64)
    return None if head is None else (int(head[1]), head.end())


def skim_result(frame: Frame, begin: int, session_id: str) -> msgspec.Raw | None:
    """Return the result of a reply by its offsets, neither parsed nor copied; None if it does not end as usual.

    Chrome writes id, result and session in this order. Parsing 2 MB to find the end of the result takes 2-5 ms, as long
    as everything else between socket and caller. The reader of the result validates it, and may find lone surrogates
    in it (see `mend`).
    """
    if is_cbor(frame):
        return _skim_envelope(frame, begin, session_id)
    tail = b'},"sessionId":"%b"}' % session_id.encode() if session_id else b"}}"
    if not frame.endswith(tail):
        return None
    return msgspec.Raw(memoryview(frame)[begin : len(frame) - len(tail) + 1])


def _skim_envelope(frame: Frame, begin: int, session_id: str) -> msgspec.Raw | None:
    end = begin + 7 + int.from_bytes(frame[begin + 3 : begin + 7])
    head = b"x%c" % len(session_id) if len(session_id) > 23 else b"%c" % (0x60 | len(session_id))
    tail = b"isessionId%b%b\xff" % (head, session_id.encode()) if session_id else b"\xff"
    return msgspec.Raw(memoryview(frame)[begin:end]) if frame[end:] == tail else None


def decode_value(decoder: msgspec.json.Decoder[Any], raw: msgspec.Raw, what: str) -> Any:
    """Decode a result or parameters; raises ProtocolError that names `what` if they do not match their definition."""
    try:
        return decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise misfit(what, raw, error) from error


def misfit(what: str, raw: msgspec.Raw, why: Exception) -> errors.ProtocolError:
    """Return the error for a well-formed message that does not match the pinned protocol."""
    error = errors.ProtocolError(
        f"{what}: the browser's message does not match the definition: {why}; the browser may be newer or older than "
        "the pinned protocol (send_raw and call accept any answer)",
        sample=bytes(raw)[:SAMPLE],
    )
    error.__cause__ = why
    return error


def prefix(method: str, session_id: str) -> bytes:
    """Return the bytes between the id and the parameters of a command."""
    session = b',"sessionId":' + msgspec.json.encode(session_id) if session_id else b""
    return b',"method":' + msgspec.json.encode(method) + session + b',"params":'


def failure(body: ErrorBody, method: str, session_id: str) -> errors.CommandError:
    """Return the exception for an error reply."""
    if body.code == UNKNOWN_SESSION:
        return errors.SessionDetached(
            f"{method}: the browser knows no session {session_id}; attach to the target again",
            method=method,
            session_id=session_id,
        )
    if body.code == SERVER_ERROR and body.message == TARGET_CRASHED_TEXT:
        return crashed(method, session_id)
    kind = errors.CdpError
    if body.code == METHOD_NOT_FOUND or (body.code == SERVER_ERROR and body.message in UNSUPPORTED_TEXTS):
        kind = errors.UnsupportedByBrowser
    elif body.code in (SERVER_ERROR, INVALID_PARAMS) and any(text in body.message for text in CONTEXT_LOST_TEXTS):
        kind = errors.ContextLost
    return kind(body.code, body.message, body.data, method=method, session_id=session_id)


def crashed(method: str, session_id: str) -> errors.TargetCrashed:
    """Return the error for a command to a crashed target."""
    return errors.TargetCrashed(
        f"{method}: the renderer of the target crashed; reload, navigate or close the page",
        method=method,
        session_id=session_id,
    )


def too_large(size: int, method: str, session_id: str) -> errors.MessageTooLarge:
    """Return the error for a message above MAX_SENT."""
    return errors.MessageTooLarge(
        f"{method} would be a message of {size} bytes; the limit is {MAX_SENT}, because Chrome drops the connection at "
        "100 MiB; send it in parts",
        size=size,
        limit=MAX_SENT,
        method=method,
        session_id=session_id,
    )


def _unreadable(frame: Frame, why: str) -> errors.ProtocolError:
    sample = bytes(frame[:SAMPLE])
    return errors.ProtocolError(
        f"a frame of {len(frame)} bytes is not a DevTools message: {why}; check that the other end is a browser",
        sample=sample,
    )
