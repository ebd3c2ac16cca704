"""The frames of a page's own WebSocket as frames of one flat session, and the other way round. No I/O.

A WebSocket to `/devtools/page/<id>` speaks for one page: its frames have no session id, except those of the page's
out-of-process frames and workers. A browser endpoint speaks for many, and every frame of a page has its session id.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

Frame = bytes | bytearray

_HEAD = re.compile(rb'\{"id":(\d+),"method":"([^"]+)"(?:(,"sessionId":"([^"]*)"))?,"params":')
_SESSION_TAIL = re.compile(rb',"sessionId":"([^"\\]*)"\}$')
TAIL_BYTES = 160
"""Bytes at the end of a frame in which its session id stands: an id has 32 characters."""
LARGE = 1 << 16
"""Bytes from which a frame is joined from views: a copy of all but its last byte would cost as much again."""

ATTACHED = b'{"method":"Target.attachedToTarget"'
DETACHED = b'{"method":"Target.detachedFromTarget"'
WINDOW_OPEN = b'{"method":"Page.windowOpen"'
NOTED = (ATTACHED, DETACHED, WINDOW_OPEN)
"""How the events begin that the transport itself must see."""


class Command(NamedTuple):
    """A command of this client; `params` is JSON."""

    id: int
    method: str
    params: bytes


def session_of(frame: bytes) -> bytes:
    """Return the session id of a command that `CDPSession` wrote; empty for the browser itself."""
    return _head(frame)[4] or b""


def without_session(frame: bytes) -> bytes:
    """Return a command for a WebSocket that speaks for its session alone."""
    begin, end = _head(frame).span(3)
    return frame[:begin] + frame[end:]


def parse_command(frame: bytes) -> Command:
    """Return the parts of a command."""
    head = _head(frame)
    return Command(int(head[1]), head[2].decode(), frame[head.end() : -1])


def _head(frame: bytes) -> re.Match[bytes]:
    head = _HEAD.match(frame)
    assert head is not None  # wire.prefix writes nothing else
    return head


def in_session(frame: Frame, tail: bytes) -> Frame:
    """Return a frame of a page's WebSocket as one of the page's session, whose `session_tail` is `tail`.

    A frame of a child session stays as it is. Chrome writes the session id last, and no other text is last in a frame,
    so the end of the frame tells.
    """
    if frame[-2:-1] == b'"' and _SESSION_TAIL.search(frame[-TAIL_BYTES:]):
        return frame
    if len(frame) < LARGE:
        return frame[:-1] + tail
    return b"".join((memoryview(frame)[:-1], tail))


def session_tail(session_id: str) -> bytes:
    """Return what replaces the last brace of a frame to make it one of a session."""
    return b',"sessionId":"%b"}' % session_id.encode()


def child_session(frame: Frame) -> str:
    """Return the session id in the parameters of an `attachedToTarget` or `detachedFromTarget` event."""
    return msgspec.json.decode(frame, type=_TargetEvent).params.session_id


class _Params(msgspec.Struct, rename="camel"):
    session_id: str = ""


class _TargetEvent(msgspec.Struct):
    params: _Params


# -- frames that the transport itself writes -------------------------------------------------------


def result(command_id: int, value: object) -> bytes:
    """Return the frame of a result."""
    return msgspec.json.encode({"id": command_id, "result": value})


def refusal(command_id: int, code: int, text: str, session_id: str = "") -> bytes:
    """Return the frame of an error."""
    body: dict[str, object] = {"id": command_id, "error": {"code": code, "message": text}}
    return msgspec.json.encode(body | ({"sessionId": session_id} if session_id else {}))


def event(method: str, params: object) -> bytes:
    """Return the frame of an event of the browser itself."""
    return msgspec.json.encode({"method": method, "params": params})
