"""Secrets are typed and shown nowhere."""

from __future__ import annotations

import base64
import math
import pickle
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.core import Redactor
from stillframe.model.change import Row
from stillframe.model.events import NewTarget
from stillframe.model.result import SequenceResult
from stillframe.model.secret import REDACTED, Secret, reveal
from stillframe.model.verdict import Pending, Verdict
from stillframe.security.redaction import MAX_TYPED, MIN_LENGTH, Redaction, base64_forms, redact_all


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


def test_a_whole_result_is_redacted() -> None:
    result = SequenceResult(
        completed=1,
        state_change=None,
        stability_wait_ms=1,
        stable=False,
        reason="horizon",
        detail="request GET /?q=hunter2",
        pending=(Pending("request", "GET /?q=hunter2", 1.0, "/?q=hunter2"),),
        ignored=(),
        late=(),
        dialogs=(),
        downloads=(),
        new_targets=(NewTarget(target_id="t", type="page", url="/hunter2"),),
    )
    shown = redact_all(result, Redactor(["hunter2"]))
    assert b"hunter2" not in shown.to_json()
    assert shown.new_targets[0].url == f"/{REDACTED}"
    assert redact_all(result, Redactor()) == result


def test_words_of_ours_stay_though_somebody_has_them_for_a_password() -> None:
    ended = Verdict(stable=False, reason="timeout", waited_ms=1.0, detail="timer timeout")
    ended = redact_all(ended, Redactor(["timeout"]))
    assert (ended.reason, ended.detail) == ("timeout", f"timer {REDACTED}")
    row = Row(selector="#a > button", tag_name="button", role="button", name="button", text="x", ref="e1")
    shown = redact_all(row, Redactor(["button"]))
    assert (shown.tag_name, shown.role) == ("button", "button")
    assert (shown.selector, shown.name) == (f"#a > {REDACTED}", REDACTED)
    made = redact_all(Row(selector="", tag_name="x-button", role="", name="", text="", ref="e1"), Redactor(["button"]))
    assert made.tag_name == f"x-{REDACTED}"


def test_a_text_takes_the_place_of_its_beginning_in_the_same_field() -> None:
    redaction = Redaction()
    redaction.add_typed("lant")
    redaction.add_typed("lantern-7", instead_of="lant")
    assert len(redaction.redactor) == 1 + len(set(base64_forms("lantern-7")))
    assert redaction.redact("xlanternx lant lantern-7") == f"xlanternx {REDACTED} {REDACTED}"
    redaction.add_typed("lan", instead_of="lantern-7")
    assert redaction.redact("lantern-7") == REDACTED


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@given(before=st.binary(max_size=7), secret=st.text(min_size=MIN_LENGTH + 1, max_size=20), after=st.binary(max_size=7))
def test_a_secret_is_masked_in_base64_of_whatever_contains_it(
    encode: Callable[[bytes], bytes], before: bytes, secret: str, after: bytes
) -> None:
    redaction = Redaction()
    redaction.add(secret)
    shown = redaction.redact(encode(before + secret.encode(errors="replace") + after).decode())
    assert REDACTED in shown
    # What is left belongs to the neighbours, apart from a character on each side that the secret shares with them.
    left = shown.replace(REDACTED, "").rstrip("=")
    assert len(left) <= math.ceil(len(before) * 4 / 3) + math.ceil(len(after) * 4 / 3) + 1


def test_a_short_base64_form_is_none() -> None:
    assert list(base64_forms("abc")) == []
    assert set(base64_forms("admin")) == {"YWRtaW", "FkbWlu", "hZG1pb"}


def test_what_pages_put_into_fields_is_remembered_up_to_a_limit() -> None:
    redaction = Redaction()
    redaction.add_typed("the first one")
    for number in range(20):
        redaction.add_typed(f"{number:02}" * (MAX_TYPED // 20))
    assert (
        redaction.redact("the first one 19" + "19" * (MAX_TYPED // 20)) == f"the first one 19{REDACTED}"[:14] + REDACTED
    )


def test_a_context_masks_what_its_store_does_and_not_the_other_way_round() -> None:
    store = Redaction()
    context = Redaction(store)
    assert not context.redactor
    store.add("declared")
    context.add_typed("typed here")
    assert context.redact("declared, typed here") == f"{REDACTED}, {REDACTED}"
    assert store.redact("declared, typed here") == f"{REDACTED}, typed here"
    assert Redaction.redact_everywhere("typed here") == REDACTED


def test_a_single_typed_character_is_not_a_secret() -> None:
    redaction = Redaction()
    for digit in "4071":
        redaction.add_typed(digit)
    assert redaction.redact(["4", "Page 4 of 7", "4071"]) == ["4", "Page 4 of 7", "4071"]
    redaction.add_typed("40")
    assert redaction.redact("40") == "••••"
