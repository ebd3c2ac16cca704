"""How a wait ended: one word, what caused it, and both as people read them."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from stillframe.model.verdict import GONE, Pending, Reason, SequenceReason, Verdict
from stillframe.settling.machine import CLAIMS_QUIET, REASONS
from stillframe.settling.timekeeper import LIMIT_REASONS

BLAMED = Verdict(
    stable=False,
    reason="timeout",
    detail="indicator #spinner",
    waited_ms=5000.0,
    pending=(Pending("indicator", "#spinner", 4800.0),),
)


def test_every_reason_has_a_meaning() -> None:
    assert get_args(Reason) == tuple(REASONS)
    assert get_args(SequenceReason) == (*REASONS, "unseen", "within_handler")
    assert set(REASONS) >= {*GONE, *CLAIMS_QUIET, *LIMIT_REASONS}


def test_the_json_has_reason_and_detail_beside_each_other() -> None:
    told = BLAMED.to_dict()
    assert list(told)[:3] == ["stable", "reason", "detail"]
    assert (told["reason"], told["detail"]) == ("timeout", "indicator #spinner")
    assert msgspec.structs.replace(BLAMED, detail=None).to_dict()["detail"] is None


def test_people_read_reason_and_detail_as_one_text() -> None:
    assert BLAMED.outcome == "timeout: indicator #spinner"
    assert Verdict(stable=True, reason="no_effect", waited_ms=1.0).outcome == "no_effect"


def test_another_word_is_refused() -> None:
    changed = BLAMED.to_json().replace(b'"timeout"', b'"timeout: indicator"')
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(changed, type=Verdict)
