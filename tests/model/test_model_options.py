"""Options: their defaults are the contract's, and what is wrong is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import OptionInvalid
from stillframe.model.options import FIELDS, Expect, parse_options


def refused(**options: Any) -> OptionInvalid:
    with pytest.raises(OptionInvalid) as caught:
        parse_options(options)
    return caught.value


def test_the_defaults_are_those_of_the_contract() -> None:
    options = parse_options({})
    assert options.session_id is None
    assert (options.stability_ms, options.poll_interval_ms, options.timeout_ms) == (500, 100, 5000)
    assert (options.verbose, options.settle, options.horizon_ms) == (False, "causal", 2000)
    assert (options.expect, options.limit, options.guard) == (None, 12, False)


def test_json_names_and_python_names_mean_the_same() -> None:
    assert parse_options({"stabilityMs": 7, "sessionId": "a"}) == parse_options({"stability_ms": 7, "session_id": "a"})


def test_an_unknown_option_is_refused_with_the_nearest_name() -> None:
    error = refused(stabilityMS=3, timeout=4)
    assert error.option == "stabilityMS"
    assert "did you mean 'stability_ms'?" in str(error)
    assert "known: session_id" in str(error)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stability_ms", 0),
        ("stabilityMs", -1),
        ("stability_ms", "500"),
        ("stability_ms", 0.5),
        ("poll_interval_ms", 0),
        ("timeout_ms", -1),
        ("timeout_ms", 600_001),
        ("verbose", "yes"),
        ("verbose", 1),
        ("settle", "networkidle"),
        ("settle", None),
        ("observe", 3),
        ("horizon_ms", 0),
        ("limit", -1),
        ("limit", 1001),
        ("guard", None),
        ("action_timeout_ms", 0),
        ("expect", "#a"),
        ("expect", {"selektor": "#a"}),
        ("session_id", 7),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(name: str, value: Any) -> None:
    error = refused(**{name: value})
    python_name = {"stabilityMs": "stability_ms"}.get(name, name)
    assert error.option == python_name
    assert python_name in str(error)


def test_a_timeout_of_zero_means_not_to_wait() -> None:
    assert parse_options({"timeout_ms": 0}).timeout_ms == 0


def test_the_three_ways_to_settle() -> None:
    assert [parse_options({"settle": way}).settle for way in ("causal", "quiet", "virtual")]
    assert refused(settle="never").option == "settle"


@pytest.mark.parametrize("fields", [{}, {"selector": "#a", "url": "b"}])
def test_expect_takes_exactly_one_thing(fields: dict[str, str]) -> None:
    with pytest.raises(OptionInvalid, match="exactly one"):
        Expect(**fields)
    assert refused(expect=fields).option == "expect"


def test_expect_is_taken_as_a_struct_and_as_json() -> None:
    assert parse_options({"expect": Expect(text="done")}) == parse_options({"expect": {"text": "done"}})


@given(st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=10), st.integers() | st.text() | st.booleans()))
def test_any_options_are_taken_or_refused_by_type(options: dict[str, Any]) -> None:
    named: str | None = None
    try:
        parse_options(options)
    except OptionInvalid as error:
        named = error.option
    assert named is None or named in options or named in FIELDS
