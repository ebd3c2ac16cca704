"""The envelope of the protocol: one decode per frame, results and parameters kept raw.

Pure: bytes in, values out. No asyncio, no sockets, no clocks.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from stillframe import _core, errors

MAX_SENT = 64 * 1024 * 1024
"""Bytes of the largest message we send. Chrome drops the whole connection, silently on a pipe, above 100 MiB."""

MAX_ID = 2**31 - 1
"""The largest command id. Chrome answers a larger one with an error that carries no id, so the caller would hang."""

SAMPLE = 200
"""Bytes of an undecodable frame that its error carries."""

UNKNOWN_SESSION = -32001
"""Chrome's number for a command sent to a session that does not exist (any more)."""

SERVER_ERROR = -32000
"""Chrome's number for every failure that has no number of its own; only the text tells them apart."""

INVALID_PARAMS = -32602
"""Chrome's number for parameters that do not fit, an unknown context's unique id among them."""

# Chrome gives none of these a number of its own, so here alone a failure is told by its words (constants in V8's
# inspector and Chrome's devtools sources). An entry matches when the text contains it.
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


class ErrorBody(msgspec.Struct, gc=False):
    """The `error` member of a reply."""

    code: int = 0
    message: str = ""
    data: Any = None


class Message(msgspec.Struct, rename={"session_id": "sessionId"}, gc=False):
    """One frame from the browser: a reply when it has an id, else an event when it has a method.

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
    """Read one frame.

    Raises ProtocolError, with the first bytes of the frame, when it is neither JSON nor CBOR, or not of the protocol's
    shape. CBOR nested deeper than Chrome itself would turn into JSON (300 levels) gives a message with `error` set.
    """
    try:
        message = _read(_core.cbor_to_json(frame) if is_cbor(frame) else frame)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _unreadable(frame, str(error)) from error
    if message.id is None and not message.method and message.error is None:
        raise _unreadable(frame, "it has neither id, method nor error")
    return message


def is_cbor(frame: Frame) -> bool:
    """Whether a frame is Chrome's CBOR, which always begins with an envelope; JSON never begins so."""
    return frame[:1] == b"\xd8"


# At each backslash: a surrogate pair, a surrogate by itself (group 1), or any other escape.
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
    """Put U+FFFD for surrogates without a partner, as web pages may have in their text.

    Chrome sends them as they are, and no strict JSON reader takes them: one in a console message must not end the
    connection.
    """
    return _ESCAPE.sub(lambda escape: b"\\ufffd" if escape[1] else escape[0], json)


LARGE = 1 << 16
"""Bytes from which a frame is worth skimming: the pass over it then costs more than the rest of the command."""

_HEAD = re.compile(rb'\{"id":(\d{1,10}),"result":(?=\{)')
_CBOR_HEAD = re.compile(
    rb"\xd8\x18\x5a.{4}\xbfbid(?:([\x00-\x17])|\x18(.)|\x19(..)|\x1a(....))fresult(?=\xd8\x18\x5a)", re.DOTALL
)


def skim_id(frame: Frame) -> tuple[int, int] | None:
    """The id of a reply, and where its result begins, told from its first bytes; None when they are not as usual."""
    if is_cbor(frame):
        found = _CBOR_HEAD.match(frame, 0, 64)
        return None if found is None else (int.from_bytes(found[found.lastindex or 1]), found.end())
    head = _HEAD.match(frame, 0, 64)
    return None if head is None else (int(head[1]), head.end())


def skim_result(frame: Frame, begin: int, session_id: str) -> msgspec.Raw | None:
    """The result of a reply by its place, unread and uncopied; None when the end of the frame is not as usual.

    Chrome writes id, result and session in this order. Reading 2 MB only to find out where they end takes 2-5 ms,
    as long as all else on the way from the socket. Whoever reads the result finds out whether it is JSON, and may
    find surrogates without a partner in it (see `mend`).
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
    """Decode a result or parameters; ProtocolError names `what` when they do not fit their definition."""
    try:
        return decoder.decode(raw)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise misfit(what, raw, error) from error


def misfit(what: str, raw: msgspec.Raw, why: Exception) -> errors.ProtocolError:
    """The error for a well-formed message whose content is not what the pinned protocol says."""
    error = errors.ProtocolError(
        f"{what}: what the browser sent does not fit its definition: {why}; the browser may be newer or older than "
        "the pinned protocol (send_raw and call take any answer)",
        sample=bytes(raw)[:SAMPLE],
    )
    error.__cause__ = why
    return error


def prefix(method: str, session_id: str) -> bytes:
    """Everything between the id and the parameters of a command."""
    session = b',"sessionId":' + msgspec.json.encode(session_id) if session_id else b""
    return b',"method":' + msgspec.json.encode(method) + session + b',"params":'


def failure(body: ErrorBody, method: str, session_id: str) -> errors.CommandError:
    """The exception for an error reply."""
    if body.code == UNKNOWN_SESSION:
        return errors.SessionDetached(
            f"{method}: the browser knows no session {session_id}; attach to the target again",
            method=method,
            session_id=session_id,
        )
    if body.code == SERVER_ERROR and body.message == TARGET_CRASHED_TEXT:
        return crashed(method, session_id)
    kind = errors.CdpError
    if body.code in (SERVER_ERROR, INVALID_PARAMS) and any(text in body.message for text in CONTEXT_LOST_TEXTS):
        kind = errors.ContextLost
    return kind(body.code, body.message, body.data, method=method, session_id=session_id)


def crashed(method: str, session_id: str) -> errors.TargetCrashed:
    return errors.TargetCrashed(
        f"{method}: the renderer of the target crashed; reload, navigate or close the page",
        method=method,
        session_id=session_id,
    )


def too_large(size: int, method: str, session_id: str) -> errors.MessageTooLarge:
    return errors.MessageTooLarge(
        f"{method} would be a message of {size} bytes; the limit is {MAX_SENT}, since Chrome drops the connection at "
        "100 MiB. Send it in parts",
        size=size,
        limit=MAX_SENT,
        method=method,
        session_id=session_id,
    )


def _unreadable(frame: Frame, why: str) -> errors.ProtocolError:
    sample = bytes(frame[:SAMPLE])
    return errors.ProtocolError(
        f"a frame of {len(frame)} bytes from the browser is not a DevTools message: {why}. Is the other end a browser?",
        sample=sample,
    )
