"""One request and its answer, cut into any pieces by the network."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.chrome.http_exchange import HttpAnswer, HttpExchange

MOST = 1000
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
SIZED = b"HTTP/1.1 200 OK\r\nContent-Type:application/json; charset=UTF-8\r\nContent-Length:5\r\n\r\nabcde"
UNTIL_THE_END = b"HTTP/1.0 200 OK\r\n\r\nabcde"
ANSWER = HttpAnswer(200, "OK", b"abcde")


def exchange(method: str = "GET") -> HttpExchange:
    return HttpExchange("/json/version", "localhost", method=method, most=MOST)


def test_the_request_asks_for_no_second_one_and_names_no_origin() -> None:
    request = exchange().request
    assert request == b"GET /json/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert exchange("PUT").request.startswith(b"PUT /json/version HTTP/1.1\r\n")


@pytest.mark.parametrize("content", [CHUNKED, SIZED, UNTIL_THE_END, b"HTTP/1.1 103 Early\r\n\r\n" + SIZED])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_an_answer_is_read_however_it_is_cut(content: bytes, size: int) -> None:
    read = exchange()
    answers = [read.feed(content[at : at + size]) for at in range(0, len(content), size)]
    assert not any(answers[:-1])
    assert (answers[-1] or read.feed(b"")) == ANSWER


def test_a_refusal_is_an_answer_too() -> None:
    answer = exchange().feed(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 4\r\n\r\nHost")
    assert answer == HttpAnswer(500, "Internal Server Error", b"Host")


@pytest.mark.parametrize(
    "content",
    [b"SSH-2.0-OpenSSH\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", b"\0" * 50, b"a" * 300_000],
)
def test_what_is_not_http_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        exchange().feed(content)


@pytest.mark.parametrize("content", [b"", b"HTTP/1.1 200", SIZED[:-1], CHUNKED[:-3]])
def test_an_end_before_the_answer_is_complete(content: bytes) -> None:
    read = exchange()
    if content:
        assert read.feed(content) is None
    with pytest.raises(EOFError, match="before the answer was complete"):
        read.feed(b"")


@pytest.mark.parametrize(
    "content",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + b"a" * 1001,
        b"HTTP/1.0 200 OK\r\n\r\n" + b"a" * 1001,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + b"a" * 1001,
    ],
)
def test_a_body_is_not_larger_than_the_caller_wants(content: bytes) -> None:
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        exchange().feed(content)


@given(st.lists(st.binary(min_size=1, max_size=80), max_size=5), st.integers(0, len(SIZED)))
def test_garbage_is_survived(pieces: list[bytes], kept: int) -> None:
    read = exchange()
    with contextlib.suppress(ValueError, EOFError):
        for piece in (SIZED[:kept], *pieces, b""):
            if read.feed(piece) is not None:
                break
