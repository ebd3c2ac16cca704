"""Frames of a page's own WebSocket become frames of a flat session, and back."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from stillframe.adb.devtools import page_frames
from stillframe.adb.devtools.page_frames import (
    child_session,
    event,
    in_session,
    parse_command,
    refusal,
    result,
    session_tail,
)
from stillframe.cdp import wire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
METHODS = st.from_regex(r"[A-Z][A-Za-z]{0,8}\.[a-z][A-Za-z]{0,12}", fullmatch=True)
SESSIONS = st.text("ABCDEF0123456789.", min_size=1, max_size=40)


@given(st.integers(1, 2**31 - 1), METHODS, st.just("") | SESSIONS, JSON)
def test_a_command_is_what_a_session_wrote(number: int, method: str, session: str, params: object) -> None:
    frame = b'{"id":%d%b%b}' % (number, wire.prefix(method, session), msgspec.json.encode(params))
    command = parse_command(frame)
    assert (command.id, command.method, page_frames.session_of(frame)) == (number, method, session.encode())
    assert msgspec.json.decode(command.params) == params
    plain = page_frames.without_session(frame) if session else frame
    assert msgspec.json.decode(plain) == {"id": number, "method": method, "params": params}


@given(st.dictionaries(st.sampled_from(["id", "method", "params", "result", "error"]), JSON, min_size=1), SESSIONS)
def test_a_frame_of_the_page_gets_its_session(body: dict[str, object], session: str) -> None:
    # Only these members can be last in a frame, and none but the session id is a text there.
    body = {key: value for key, value in body.items() if key in ("id", "method")} | {"params": body}
    frame = in_session(msgspec.json.encode(body), session_tail(session))
    assert msgspec.json.decode(frame) == body | {"sessionId": session}


@given(JSON, SESSIONS, SESSIONS)
def test_a_frame_of_a_child_keeps_its_session(params: object, child: str, page: str) -> None:
    frame = msgspec.json.encode({"method": "A.b", "params": params, "sessionId": child})
    assert in_session(frame, session_tail(page)) == frame


def test_a_session_id_in_the_parameters_is_not_that_of_the_frame() -> None:
    frame = b'{"method":"Target.detachedFromTarget","params":{"targetId":"T","sessionId":"CHILD"}}'
    assert msgspec.json.decode(in_session(bytearray(frame), session_tail("PAGE")))["sessionId"] == "PAGE"
    assert child_session(frame) == "CHILD"


def test_a_large_frame_gets_its_session_too() -> None:
    frame = b'{"id":1,"result":{"text":"%b"}}' % (b"x" * page_frames.LARGE)
    assert bytes(in_session(bytearray(frame), session_tail("PAGE"))) == frame[:-1] + b',"sessionId":"PAGE"}'


def test_frames_of_the_transport_are_read_like_chromes() -> None:
    assert bytes(wire.decode(result(3, {"a": 1})).result) == b'{"a":1}'
    refused = wire.decode(refusal(4, -32000, "Not supported", "S"))
    assert refused.error is not None
    assert (refused.error.code, refused.error.message, refused.session_id) == (-32000, "Not supported", "S")
    assert wire.decode(event("Target.targetDestroyed", {"targetId": "T"})).method == "Target.targetDestroyed"
    assert page_frames.ATTACHED in b'{"method":"Target.attachedToTarget","params":{}}'
