"""What a navigation brought, from events as Chrome sends them."""

from __future__ import annotations

from typing import Any

import pytest

from stillframe.cdp_types import network
from stillframe.cdp_types import page as cdp_page
from stillframe.farm.errors import DocumentReplaced, DocumentTruncated
from stillframe.farm.loading.documents import Documents

FRAME = "F"
PAGE, OLD = "http://h/page", "http://h/old"


class Row:
    def __init__(self, **values: Any) -> None:
        self.__dict__ = values


def asked(loader: str, url: str, frame: str = FRAME) -> Any:
    row = Row(request_id=loader, loader_id=loader, frame_id=frame, request=Row(url=url))
    return network.RequestWillBeSent, row


def answered(loader: str, status: int = 200) -> Any:
    return network.ResponseReceived, Row(request_id=loader, response=Row(status=status))


def broke(loader: str, error: str) -> Any:
    return network.LoadingFailed, Row(request_id=loader, error_text=error)


def shown(loader: str, frame: str = FRAME) -> Any:
    return cdp_page.FrameNavigated, Row(frame=Row(id=frame, loader_id=loader))


def heard(*events: Any) -> Documents:
    documents = Documents(FRAME)
    for kind, row in events:
        documents.note(kind, row)
    return documents


def test_a_document_that_came_whole_is_fine() -> None:
    documents = heard(asked("A", PAGE), answered("A"), shown("A"))
    documents.check(PAGE)
    assert documents.status == 200


@pytest.mark.parametrize(
    "error",
    [
        "net::ERR_CONTENT_LENGTH_MISMATCH",
        "net::ERR_CONNECTION_RESET",
        "net::ERR_CONTENT_DECODING_FAILED",
        "net::ERR_INCOMPLETE_CHUNKED_ENCODING",
        "net::ERR_HTTP2_PROTOCOL_ERROR",
    ],
)
def test_a_document_that_broke_after_its_response_is_not(error: str) -> None:
    with pytest.raises(DocumentTruncated) as raised:
        heard(asked("A", PAGE), answered("A"), shown("A"), broke("A", error)).check(PAGE)
    assert (raised.value.url, raised.value.reason, raised.value.code) == (PAGE, error, "document_truncated")


def test_a_page_that_stops_itself_is_fine() -> None:
    heard(asked("A", PAGE), answered("A"), shown("A"), broke("A", "net::ERR_ABORTED")).check(PAGE)


def test_an_error_without_a_body_is_whole() -> None:
    failure = "net::ERR_HTTP_RESPONSE_CODE_FAILURE"
    heard(asked("A", PAGE), answered("A"), broke("A", failure), shown("A")).check(PAGE)


def test_only_the_document_that_is_shown_counts() -> None:
    broken = (asked("A", PAGE), answered("A"), shown("A"), broke("A", "net::ERR_CONNECTION_RESET"))
    heard(*broken, asked("B", OLD), answered("B"), shown("B")).check(PAGE)
    heard(asked("A", PAGE), answered("A"), shown("A"), broke("frame", "net::ERR_CONNECTION_RESET")).check(PAGE)


def test_what_the_page_before_asked_for_meanwhile_is_not_the_page() -> None:
    race = (asked("A", PAGE), answered("A"), asked("B", OLD), shown("A"), answered("B"), shown("B"))
    for more in ((), (asked("C", OLD), answered("C"), shown("C"))):
        with pytest.raises(DocumentReplaced) as raised:
            heard(*race, *more).check(PAGE)
        assert (raised.value.url, raised.value.shown) == (PAGE, OLD)


def test_what_was_asked_for_and_never_came_harms_nothing() -> None:
    heard(asked("A", PAGE), asked("B", OLD), shown("A"), answered("A")).check(PAGE)


def test_a_page_may_lead_on_by_itself() -> None:
    heard(asked("A", PAGE), answered("A"), shown("A"), asked("B", OLD), answered("B"), shown("B")).check(PAGE)


def test_other_frames_do_not_count() -> None:
    documents = heard(
        asked("A", PAGE), asked("I", OLD, "other"), answered("A", 404), shown("A"), answered("I"), shown("I", "other")
    )
    documents.check(PAGE)
    assert documents.status == 404
