"""Secrets are typed and shown nowhere."""

from __future__ import annotations

import pickle

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.model.result import NewTarget, SequenceResult
from stillframe.model.secrets import REDACTED, Secret, forms, redact, redact_all, reveal
from stillframe.model.verdict import Pending


def test_a_secret_is_shown_by_no_way_of_printing() -> None:
    secret = Secret("hunter2")
    shown = (repr(secret), str(secret), f"{secret}", f"{secret!r}", f"{[secret]}", "%s" % secret, format(secret))  # noqa: UP031
    assert all("hunter2" not in text and REDACTED in text for text in shown)


def test_a_secret_survives_a_pickle() -> None:
    assert pickle.loads(pickle.dumps(Secret("hunter2"))) == Secret("hunter2")


def test_only_reveal_shows_it() -> None:
    assert reveal(Secret("hunter2")) == "hunter2"
    assert reveal("open") == "open"


@pytest.mark.parametrize("json", [b'{"secret": 5}', b'{"secret": "a", "b": 1}', b"{}"])
def test_a_malformed_secret_is_refused(json: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(json, type=Secret)


@given(st.text(max_size=40), st.lists(st.text(min_size=1, max_size=6), max_size=3))
def test_no_secret_is_left_in_redacted_text(text: str, secrets: list[str]) -> None:
    longest_first = sorted(set(secrets), key=len, reverse=True)
    shown = redact(text, longest_first)
    for secret in longest_first:
        if secret not in REDACTED and not set(secret) & set(REDACTED):
            assert secret not in shown.split(REDACTED)


def test_the_longer_of_two_secrets_leaves_no_tail() -> None:
    assert redact("key=abcdef;abc", ["abcdef", "abc"]) == f"key={REDACTED};{REDACTED}"


def test_the_forms_of_a_secret_are_those_of_urls_too() -> None:
    assert forms("plain") == {"plain"}
    in_urls = {"a%20b%26%C3%BC", "a+b%26%C3%BC", "a%20b&%C3%BC"}
    lower = {"a%20b%26%c3%bc", "a+b%26%c3%bc", "a%20b&%c3%bc"}
    assert forms("a b&ü") == {"a b&ü", "ab&ü", "a\\ b\\&ü"} | in_urls | lower
    assert {"a%20+%2Fb", "a%20%2B/b", "a%20%2B%2Fb", "a%20+/b", "a+%2B%2Fb"} <= forms("a +/b")
    assert {'1"\\', '\\31 \\"\\\\', '1\\"\\\\', "1%22%5C", "1__"} <= forms('1"\\')


def test_a_whole_result_is_redacted() -> None:
    result = SequenceResult(
        completed=1,
        state_change=None,
        stability_wait_ms=1,
        stable=False,
        reason="horizon: request GET /?q=hunter2",
        pending=(Pending("request", "GET /?q=hunter2", 1.0, "/?q=hunter2"),),
        ignored=(),
        late=(),
        dialogs=(),
        downloads=(),
        new_targets=(NewTarget(target_id="t", type="page", url="/hunter2"),),
    )
    shown = redact_all(result, ["hunter2"])
    assert b"hunter2" not in shown.to_json()
    assert shown.new_targets[0].url == f"/{REDACTED}"
    assert redact_all(result, []) == result
