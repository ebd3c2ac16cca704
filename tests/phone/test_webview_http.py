"""The requests and answers of a facade, without a browser."""

from __future__ import annotations

import doctest
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe_phone import webview, webview_http
from stillframe_phone.webview_http import Answer, Request
from stillframe_phone.webview_messages import Disguise, View

UPGRADE = {"upgrade": "WebSocket"}


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:9222", True),
        ("localhost", True),
        ("localhost:1", True),
        ("[::1]:9222", True),
        ("[::1]", True),
        ("10.1.2.3:80", True),
        ("a.localhost:80", True),
        ("example.com", False),
        ("example.com:9222", False),
        ("127.0.0.1.example.com", False),
        ("", False),
        (":80", False),
        ("[", False),
    ],
)
def test_a_host_is_an_address_or_localhost(host: str, allowed: bool) -> None:
    assert webview_http.is_address(host) is allowed
    refusal = webview_http.refusal(Request("GET", "/json", {"host": host}), None)
    assert refusal == (None if allowed else Answer(500, webview_http.BAD_HOST))


def test_a_request_without_a_host_is_answered() -> None:
    assert webview_http.refusal(Request("GET", "/json", {}), None) is None


@pytest.mark.parametrize(("milestone", "refused"), [(None, True), (111, True), (110, False)])
def test_websockets_with_an_origin_are_refused_since_111(milestone: int | None, refused: bool) -> None:
    answer = webview_http.refusal(Request("GET", "/", {"origin": "http://x", **UPGRADE}), milestone)
    assert (answer is not None and answer.status == 403) is refused
    assert webview_http.refusal(Request("GET", "/", {"origin": "http://x"}), milestone) is None


def test_an_answer_has_its_length_in_bytes_and_says_nothing_of_closing() -> None:
    assert Answer(404, "ü").encode() == (
        b"HTTP/1.1 404 Not Found\r\nContent-Length:2\r\nContent-Type:text/html\r\n\r\n\xc3\xbc"
    )
    head, _, body = Answer(200, [{"a": "ü"}]).encode().partition(b"\r\n\r\n")
    assert b"\r\nContent-Type:application/json; charset=UTF-8" in head
    assert json.loads(body) == [{"a": "ü"}]


def test_a_request_is_parsed_with_headers_in_lower_case() -> None:
    head = b"PUT /json/new?about:blank HTTP/1.1\r\nHost: localhost:1\r\nUPGRADE:  x \r\n\r\n"
    assert webview_http.parse_request(head) == Request(
        "PUT", "/json/new?about:blank", {"host": "localhost:1", "upgrade": "x"}
    )


@given(st.binary(max_size=60))
def test_garbage_is_not_a_request(head: bytes) -> None:
    request = webview_http.parse_request(head)
    assert request is None or b"HTTP/1." in head


VISIBLE = {"attached": True, "empty": False, "screenX": 0, "screenY": 63, "visible": True}


@pytest.mark.parametrize(
    ("view", "milestone", "expected"),
    [
        (View(), 74, {**VISIBLE, "height": 1731, "width": 1080}),
        (View(), None, {**VISIBLE, "height": 1731, "width": 1080, "never_attached": False}),
        (View(empty=True), 74, {**VISIBLE, "empty": True}),
        (
            View(attached=False, never_attached=True, visible=False, screen_x=-5, width=10, height=20),
            113,
            {
                "attached": False,
                "never_attached": True,
                "visible": False,
                "empty": False,
                "screenX": -5,
                "screenY": 63,
                "width": 10,
                "height": 20,
            },
        ),
    ],
)
def test_a_description_is_the_json_of_a_view(view: View, milestone: int | None, expected: dict[str, object]) -> None:
    assert json.loads(webview_http.description(view, milestone)) == expected


@pytest.mark.parametrize(("kind", "type_", "described"), [("webview", "page", True), ("webview", "worker", False)])
def test_only_the_pages_of_webviews_are_described(kind: str, type_: str, described: bool) -> None:
    row = {"id": "T", "type": type_, "title": "a &lt;b&gt;", "url": "x", "description": ""}
    made = webview_http.target(row, Disguise("webview", None), "localhost:5")
    assert bool(made["description"]) is described
    assert made["webSocketDebuggerUrl"] == "ws://localhost:5/devtools/page/T"
    assert made["title"] == "a &lt;b&gt;"
    assert webview_http.target(row, Disguise("chrome", None), "h")["description"] == ""


def test_the_examples_in_docstrings_run() -> None:
    assert doctest.testmod(webview) == (0, 1)
