from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe import errors
from stillframe.cdp import wire

# A given alphabet: the table of all of Unicode takes seconds to build on a fresh machine.
TEXT = st.text('aZ9 "\\/\0\n\x7fé\u2028\u200d漢😀\ud800', max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
ENVELOPE = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("id", "method", "sessionId", "params", "result", "error", "other"), JSON)
)


def check(frame: bytes) -> None:
    try:
        message = wire.decode(frame)
    except errors.ProtocolError as error:
        sample = error.sample
    else:
        sample = message.method.encode("utf-8", "replace")[:0]
    assert len(sample) <= wire.SAMPLE


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_a_protocol_error(frame: bytes) -> None:
    check(frame)


@given(ENVELOPE)
def test_any_envelope_is_a_message_or_a_protocol_error(envelope: dict[str, object]) -> None:
    check(json.dumps(envelope).encode())


@given(ENVELOPE, st.data())
def test_a_cut_or_flipped_frame_raises_nothing_else(envelope: dict[str, object], data: st.DataObject) -> None:
    frame = bytearray(b'{"id":1,"result":' + json.dumps(envelope).encode() + b"}")
    place = data.draw(st.integers(0, len(frame) - 1))
    frame[place] = data.draw(st.integers(0, 255))
    check(bytes(frame[: data.draw(st.integers(0, len(frame)))]))


@pytest.mark.parametrize("depth", [1_000, 100_000])
@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_deep_nesting_is_a_protocol_error_at_worst(depth: int, brackets: str) -> None:
    half = len(brackets) - 1
    nested = brackets[:half] * depth + "1" + brackets[half:] * depth
    check(f'{{"id":1,"result":{nested}}}'.encode())


def test_results_and_parameters_stay_raw() -> None:
    message = wire.decode(b'{"id":7,"result":{"a" : [1, 2]},"sessionId":"S","new":{"x":1}}')
    assert (message.id, message.session_id, bytes(message.result)) == (7, "S", b'{"a" : [1, 2]}')
    event = wire.decode(b'{"method":"New.thing","params":{"z":null}}')
    assert (event.id, event.method, event.session_id) == (None, "New.thing", "")
    assert bytes(event.params) == b'{"z":null}'


def test_an_event_without_parameters_has_empty_ones() -> None:
    assert bytes(wire.decode(b'{"method":"A.b"}').params) == b"{}"


def test_the_error_without_an_id_is_a_message() -> None:
    message = wire.decode(b'{"error":{"code":-32700,"message":"JSON: bad"}}')
    assert message.id is None
    assert message.error is not None
    assert message.error.code == -32700


OBJECT = st.dictionaries(TEXT, JSON, max_size=4)
SESSION = st.text("0123ABCD", max_size=5)


@given(st.integers(1, wire.MAX_ID), OBJECT, SESSION)
def test_skimming_finds_the_same_as_reading(number: int, result: dict[str, object], session_id: str) -> None:
    envelope: dict[str, object] = {"id": number, "result": result}
    if session_id:
        envelope["sessionId"] = session_id
    frame = json.dumps(envelope, separators=(",", ":")).encode()
    found = wire.skim_id(frame)
    assert found is not None
    raw = wire.skim_result(bytearray(frame), found[1], session_id)
    assert raw is not None
    message = wire.decode(frame)
    assert (found[0], wire.mend(bytes(raw))) == (message.id, wire.mend(bytes(message.result)))


@given(JSON)
def test_text_with_lone_surrogates_is_readable(value: object) -> None:
    """Chrome sends them as they stand in the page."""
    message = wire.decode(json.dumps({"method": "A.b", "params": value}).encode())
    assert msgspec.json.decode(message.params) == replaced(value)


def replaced(value: object) -> object:
    """The slow and obvious twin of wire.mend."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, list):
        return [replaced(item) for item in value]
    if isinstance(value, dict):
        return {replaced(key): replaced(item) for key, item in value.items()}
    return value


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        (rb"\ud83d\ude00", rb"\ud83d\ude00"),
        (rb"\uD83D\uDE00", rb"\uD83D\uDE00"),
        (rb"\ude00\ud83d", rb"\ufffd\ufffd"),
        (rb"\ud83d\ud83d\ude00", rb"\ufffd\ud83d\ude00"),
        (rb"\\ud83d", rb"\\ud83d"),
        (rb"\\\ud83d", rb"\\\ufffd"),
        (rb"\ud7ff\ue000", rb"\ud7ff\ue000"),
        (rb"\n\"", rb"\n\""),
    ],
)
def test_mending_touches_only_lone_surrogates(text: bytes, mended: bytes) -> None:
    assert wire.mend(text) == mended


@pytest.mark.parametrize(
    "frame",
    [
        b'{"id":1,"error":{"code":1,"message":"x"}}',
        b'{"id": 1,"result":{}}',
        b'{"result":{},"id":1}',
        b'{"id":1,"result":[]}',
        b'{"id":99999999999,"result":{}}',
        b'{"method":"A.b","params":{}}',
        b"",
    ],
)
def test_what_looks_unusual_is_not_skimmed(frame: bytes) -> None:
    assert wire.skim_id(frame) is None


@pytest.mark.parametrize("tail", [b"}", b'},"sessionId":"T"}', b'},"more":1}', b'} ,"sessionId":"S"}'])
def test_an_unusual_end_is_not_skimmed(tail: bytes) -> None:
    assert wire.skim_result(b'{"id":1,"result":{"a":1' + tail, 17, "S") is None


@pytest.mark.parametrize("frame", [b"", b"null", b"[]", b"{}", b'{"params":{}}', b"<html>", b'{"id":"1"}', b"\xff"])
def test_what_is_not_a_message_says_so(frame: bytes) -> None:
    with pytest.raises(errors.ProtocolError, match="not a DevTools message"):
        wire.decode(frame)


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (-32601, "'No.such' wasn't found", errors.UnsupportedByBrowser),
        (-32602, "Invalid parameters", errors.CdpError),
        (-32001, "Session with given id not found.", errors.SessionDetached),
        (-32000, "Target crashed", errors.TargetCrashed),
        (-32000, "No node with given id found", errors.CdpError),
        (-32000, "Inspected target navigated or closed", errors.ContextLost),
        (-32000, "Cannot find context with specified id", errors.ContextLost),
        (-32000, "Execution context was destroyed.", errors.ContextLost),
    ],
)
def test_failures_have_their_type(code: int, text: str, kind: type[errors.CommandError]) -> None:
    error = wire.failure(wire.ErrorBody(code, text, "more"), "Some.method", "S1")
    assert type(error) is kind
    assert (error.method, error.session_id) == ("Some.method", "S1")
    assert "Some.method" in str(error)
    if isinstance(error, errors.CdpError):
        assert (error.number, error.text, error.data) == (code, text, "more")


@given(TEXT, TEXT)
def test_a_command_is_json_whatever_its_names(method: str, session_id: str) -> None:
    try:
        prefix = wire.prefix(method, session_id)
    except UnicodeEncodeError:
        return
    sent = msgspec.json.decode(b'{"id":5' + prefix + b"{}}")
    expected = {"id": 5, "method": method, "params": {}}
    assert sent == (expected | {"sessionId": session_id} if session_id else expected)
