"""The frames of a page's own WebSocket as frames of one flat session, and the other way round. No I/O.

A WebSocket to `/devtools/page/<id>` speaks for one page: its frames have no session id, except those of the page's
out-of-process frames and workers. A browser endpoint speaks for many, and every frame of a page has its session id.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

Frame = bytes | bytearray

_COMMAND = re.compile(rb'\{"id":(\d+),"method":"([^"]+)"(,"sessionId":"([^"]*)")?,"params":')
_SESSION_TAIL = re.compile(rb',"sessionId":"([^"\\]*)"\}$')
TAIL_BYTES = 160
"""Bytes at the end of a frame in which its session id stands: an id has 32 characters."""

ATTACHED = b'{"method":"Target.attachedToTarget"'
DETACHED = b'{"method":"Target.detachedFromTarget"'
WINDOW_OPEN = b'{"method":"Page.windowOpen"'


class Command(NamedTuple):
    """A command of this client; `params` is the JSON after `"params":`, without the frame's last brace."""

    id: int
    method: str
    session_id: str
    params: bytes

    @property
    def without_session(self) -> bytes:
        """The frame for a WebSocket that speaks for this session alone."""
        return b'{"id":%d,"method":"%b","params":%b}' % (self.id, self.method.encode(), self.params)


def parse_command(frame: bytes) -> Command:
    """Return the parts of a frame that `CDPSession` wrote, without parsing its parameters."""
    head = _COMMAND.match(frame)
    assert head is not None  # wire.prefix writes nothing else
    return Command(int(head[1]), head[2].decode(), (head[4] or b"").decode(), frame[head.end() : -1])


def in_session(frame: Frame, session_id: bytes) -> Frame:
    """Return a frame of a page's WebSocket as one of the page's session; one of a child session stays as it is.

    Chrome writes the session id last, and no other text is last in a frame, so the end of the frame tells.
    """
    if _SESSION_TAIL.search(frame[-TAIL_BYTES:]):
        return frame
    return frame[:-1] + b',"sessionId":"%b"}' % session_id


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
