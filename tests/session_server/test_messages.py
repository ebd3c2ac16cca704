"""What goes over the socket."""

from __future__ import annotations

import msgspec

from stillframe.errors import ElementNotFound, SessionUnknown
from stillframe.session_server.messages import Answer, CallMessage, error_of, failure_of, line


def test_a_message_is_one_line() -> None:
    request = CallMessage("act", "1", "shop", {"actions": [{"action": "press_key", "key": "\n"}]})
    assert line(request).count(b"\n") == 1
    assert msgspec.json.decode(line(request), type=CallMessage) == request


def test_only_an_event_is_not_the_last_answer() -> None:
    answers = (Answer(event={}), Answer(result={}), Answer(error=failure_of(SessionUnknown("no", session_id="a"))))
    assert [answer.is_last for answer in answers] == [False, True, True]


def test_an_error_arrives_with_its_class_and_its_data() -> None:
    sent = line(Answer(error=failure_of(SessionUnknown("no session", session_id="shop"))))
    failure = msgspec.json.decode(sent, type=Answer).error
    assert failure is not None
    error = error_of(failure)
    assert isinstance(error, SessionUnknown)
    assert (str(error), error.session_id) == ("no session", "shop")
    assert isinstance(error_of(failure_of(ElementNotFound("x", selector="#a"))), ElementNotFound)
