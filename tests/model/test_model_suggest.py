"""Did you mean."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stillframe.model.suggest import did_you_mean, unknown


def test_the_nearest_name_is_offered() -> None:
    assert (
        did_you_mean("stabilityMS", ["stability_ms", "timeout_ms"])
        == " (did you mean 'stability_ms', in milliseconds?)"
    )
    assert did_you_mean("limt", ["limit"]) == " (did you mean 'limit'?)"


def test_a_name_without_its_unit_means_the_one_with_it() -> None:
    known = ["action_timeout_ms", "timeout_ms", "limit"]
    said = "unknown option 'timeout'; did you mean 'timeout_ms' (milliseconds)? Known: "
    assert unknown("option", "timeout", known) == said + ", ".join(known)
    assert "did you mean 'idle_s' (seconds)?" in unknown("option", "idle", ["idle_s", "idle_tabs"])
    assert unknown("option", "zzz", ["limit"]) == "unknown option 'zzz'. Known: limit"


def test_nothing_is_offered_when_nothing_is_near() -> None:
    assert did_you_mean("zzz", ["stability_ms", "timeout_ms"]) == ""
    assert did_you_mean("anything", []) == ""


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=10), max_size=5))
def test_what_is_offered_is_always_known(name: str, known: list[str]) -> None:
    hint = did_you_mean(name, known)
    assert hint == "" or any(f"(did you mean {each!r}" in hint for each in known)
