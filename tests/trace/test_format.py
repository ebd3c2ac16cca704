"""What a line of a trace shows of fields that hold credentials."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.model.secret import REDACTED
from stillframe.trace import recorder
from stillframe.trace.format import SECRET_HEADERS, TYPES, line, without_credentials

CANARY = "c4nary-9f"

IN_TEXTS = {
    "a query": "http://a/?token={}&page=2",
    "a later parameter": "http://a/?page=2&access_token={}",
    "a fragment": "http://a/#id_token={}",
    "an escaped query": "http://a/?next=%2Fb%3Ftoken={}",
    "a signed URL": "http://a/o?X-Amz-Signature={}&X-Amz-Date=1",
    "a login": "http://ann:{}@a/",
    "JSON": '{{"password": "{}", "name": "Ann"}}',
    "JSON with a quote": '{{"password": "x\\"{}"}}',
    "JSON in JSON": '{{"clientSecret":"{}"}}',
    "a script": "login({{password: '{}'}})",
    "a script with quotes": 'login({{"api_key": `{}`}})',
    "a form": "POST http://a/ ?user=ann;pwd={}",
}


@pytest.mark.parametrize("text", IN_TEXTS.values(), ids=IN_TEXTS)
def test_a_value_whose_name_tells_a_secret_is_replaced(text: str) -> None:
    written = line({"at": 1, "type": "console", "message": {"text": text.format(CANARY)}})
    assert CANARY.encode() not in written
    assert json.loads(written)["message"]["text"].count("•") >= 4


@pytest.mark.parametrize(
    "text",
    [
        "http://a/?page=2&sort=name#top",
        "http://a:8080/b@c/",
        "tokens: 'three of them'",
        '{"keyboard": "qwerty", "author": "Ann"}',
        "http://[::1]:80/?q=a:b@c",
        "the password is wrong",
    ],
)
def test_other_text_stays(text: str) -> None:
    assert json.loads(line({"at": 1, "type": "console", "text": text}))["text"] == text


@given(st.dictionaries(st.text(max_size=5), st.text() | st.integers(-(2**53), 2**53) | st.lists(st.text()), max_size=4))
def test_every_line_is_one_line_of_json(fields: dict[str, object]) -> None:
    try:
        written = line({"at": 1, "type": "x", "fields": fields})
    except ValueError:
        return  # a lone surrogate
    assert written.count(b"\n") == 1
    assert msgspec.json.decode(written)["fields"].keys() == fields.keys()


def test_the_time_of_a_long_text_is_linear() -> None:
    def seconds(count: int) -> float:
        text = ("//a?b&" * 10 + '\\"token' + "password" * 5) * count
        began = time.process_time()
        line({"at": 1, "type": "console", "text": text})
        return time.process_time() - began

    seconds(50)
    short, long = min(seconds(200) for _ in range(3)), min(seconds(2000) for _ in range(3))
    assert long < 40 * short + 0.05


def test_headers_with_credentials_are_replaced() -> None:
    headers = dict.fromkeys(SECRET_HEADERS, CANARY) | {"accept": "text/html"}
    safe = without_credentials(headers)
    assert safe["accept"] == "text/html"
    assert CANARY not in safe.values()


def test_every_type_that_is_written_is_documented() -> None:
    source = Path(recorder.__file__).read_text()
    written = set(re.findall(r'_write\(\s*"(\w+)"', source)) | {name for name in recorder.EVENTS if name != "close"}
    assert written <= TYPES.keys()
    assert TYPES.keys() - written == {"unwritable", "truncated"}


def test_an_image_is_the_last_field_as_it_is() -> None:
    written = line({"at": 1, "type": "screenshot", "url": "http://a/?token=abc"}, image="/9j/4AAQ==")
    assert msgspec.json.decode(written) == {
        "at": 1,
        "type": "screenshot",
        "url": f"http://a/?token={REDACTED}",
        "data": "/9j/4AAQ==",
    }
