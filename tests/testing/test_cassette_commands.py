"""Which command of a cassette a command of a replay is, and what a mismatch says."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from stillframe.errors import CassetteInvalid, CassetteMismatch
from stillframe.testing.cassette_commands import AHEAD, Commands, differences, fits


def frame(number: int, method: str, session: str = "S", **params: Any) -> bytes:
    return msgspec.json.encode({"id": number, "method": method, "sessionId": session, "params": params})


def commands(*frames: bytes, note: str = "") -> Commands:
    return Commands("a.cassette", [(10 * place, msgspec.Raw(each)) for place, each in enumerate(frames)], note)


def refused(taken: Commands, sent: bytes) -> CassetteMismatch:
    with pytest.raises(CassetteMismatch) as caught:
        taken.take(sent)
    return caught.value


def test_a_command_is_taken_once_and_its_id_may_differ() -> None:
    taken = commands(frame(4, "Page.enable"), frame(5, "Page.enable"))
    assert [taken.take(frame(number, "Page.enable")).command.place for number in (90, 91)] == [0, 10]
    assert taken.next is None
    assert refused(taken, frame(92, "Page.enable")).number is None


def test_the_commands_of_two_sessions_may_come_in_any_order() -> None:
    taken = commands(frame(1, "Page.enable", "A"), frame(2, "Page.enable", "B"))
    assert taken.take(frame(1, "Page.enable", "B")).command.place == 10
    assert taken.take(frame(2, "Page.enable", "A")).command.place == 0


def test_a_pipeline_may_come_in_another_order_but_not_a_whole_page_later() -> None:
    taken = commands(*(frame(number, "Runtime.evaluate", expression=str(number)) for number in range(AHEAD + 1)))
    assert refused(taken, frame(1, "Runtime.evaluate", expression=str(AHEAD))).number == 1
    assert taken.take(frame(1, "Runtime.evaluate", expression=str(AHEAD - 1))).command.place == 10 * (AHEAD - 1)


def test_a_mismatch_names_the_parameter_and_both_values() -> None:
    taken = commands(frame(1, "Page.navigate", "ABCDEFGHIJ", url="https://a.example/", referrer="x"))
    error = refused(taken, frame(7, "Page.navigate", "ABCDEFGHIJ", url="https://b.example/", referrer="x"))
    assert "command 1 is Page.navigate (session ABCDEFGH), and the code sent it with other parameters" in str(error)
    assert 'url was "https://a.example/" and is "https://b.example/"' in str(error)
    assert error.expected == {
        "method": "Page.navigate",
        "sessionId": "ABCDEFGHIJ",
        "params": {"url": "https://a.example/", "referrer": "x"},
    }
    assert error.got is not None
    assert error.got["params"]["url"] == "https://b.example/"
    assert (error.path, error.number, error.method) == ("a.cassette", 1, "Page.navigate")


def test_a_mismatch_of_methods_names_both() -> None:
    error = refused(commands(frame(1, "Page.enable")), frame(1, "DOM.focus", nodeId=3))
    assert 'command 1 is Page.enable (session S), but the code sent DOM.focus (session S) {"nodeId":3}' in str(error)


def test_a_command_of_a_session_that_sends_nothing_is_compared_with_the_next_one() -> None:
    taken = commands(frame(1, "Page.enable"), frame(2, "Page.reload"))
    taken.take(frame(1, "Page.enable"))
    assert "command 2 is Page.reload (session S), but the code sent Page.close (session T)" in str(
        refused(taken, frame(2, "Page.close", "T"))
    )


def test_a_command_after_the_end_is_a_mismatch_with_the_note_of_the_cassette() -> None:
    error = refused(commands(note="; its recording was cut off"), frame(1, "Page.enable"))
    assert "the cassette ends here, but the code sent Page.enable" in str(error)
    assert str(error).endswith("record the cassette again; its recording was cut off")


def test_a_replay_that_waits_learns_which_command_would_bring_it_on() -> None:
    assert "command 1 is Page.enable (session S), but the code waits" in str(
        commands(frame(1, "Page.enable")).missing()
    )
    assert "the cassette ends here, but the code waits for more" in str(commands().missing())


def test_times_that_were_left_are_not_compared_but_other_numbers_are() -> None:
    def call(source: str, value: float) -> bytes:
        return frame(1, "Runtime.callFunctionOn", functionDeclaration=source, arguments=[{"value": value}])

    assert commands(call("() => __sf.prepare()", 2972.81)).take(call("() => __sf.prepare()", 2972.4))
    assert refused(commands(call("() => __sf.prepare()", 3)), call("() => __sf.prepare()", 4))
    assert refused(commands(call("x => x", 2972.81)), call("x => x", 2972.4))


def test_temporary_files_are_not_compared() -> None:
    taken = commands(frame(1, "DOM.setFileInputFiles", files=["/tmp/a/lamp.png"], nodeId=1))
    assert taken.take(frame(1, "DOM.setFileInputFiles", files=["/tmp/b/lamp.png"], nodeId=1))


def test_a_damaged_command_is_named() -> None:
    with pytest.raises(CassetteInvalid, match=r"command 1 of the cassette a\.cassette is damaged"):
        commands(b'{"id":"x"}')


@pytest.mark.parametrize(
    ("recorded", "sent", "sentences"),
    [
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, ["b was 2 and is 3"]),
        ({"a": 1}, {"a": 1, "b": 3}, ["b was missing and is 3"]),
        ({"a": [{"x": 1}, {"x": 2}]}, {"a": [{"x": 1}, {"x": 5}]}, ["a[1].x was 2 and is 5"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a was [1] and is [1,2]"]),
        ({"a": "x" * 200 + "1"}, {"a": "x" * 200 + "2"}, [f'a was …"{"x" * 20}1" and is …"{"x" * 20}2"']),
        ({"a": 1}, {"a": 1}, []),
    ],
)
def test_differences_are_named_by_their_paths(recorded: Any, sent: Any, sentences: list[str]) -> None:
    assert list(differences(recorded, sent, "")) == sentences


def test_a_placeholder_equals_any_text_and_gives_it_its_name() -> None:
    texts: dict[str, str] = {}
    assert fits({"a": ["b", "user=ann&pw={{stillframe:typed:1}}!"]}, {"a": ["b", "user=ann&pw=lantern!"]}, texts)
    assert texts == {"typed:1": "lantern"}
    assert not fits("user=ann&pw={{stillframe:typed:1}}!", "user=bob&pw=lantern!", {})
    assert not fits("{{stillframe:typed:1}}", 5, {})
    assert not fits([1], [1, 2], {})
