"""Options: their defaults are the contract's, and what is wrong is refused by name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stillframe.errors import OptionInvalid
from stillframe.model.options import FIELDS, Expect, SequenceOptions, parse_options


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
    assert "did you mean 'stability_ms' (milliseconds)?" in str(error)
    assert "Known: session_id" in str(error)


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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"timeout": 30}, "unknown option 'timeout'; did you mean 'timeout_ms' (milliseconds)? Known: session_id"),
        ({"horizon": 30}, "did you mean 'horizon_ms' (milliseconds)?"),
        ({"timeout_ms": "30s"}, "option timeout_ms (milliseconds): expected `float`, got `str`"),
        ({"timeoutMs": 0.5}, "option timeout_ms (milliseconds): 0.5 is less than a millisecond; write 500 for 0.5 s"),
        (
            {"stability_ms": 0.25},
            "option stability_ms (milliseconds): 0.25 is less than a millisecond; write 250 for 0.25 seconds",
        ),
        ({"settle": "causl"}, "option settle: unknown value 'causl'; did you mean 'causal'?"),
        (
            {"expect": "text"},
            "option expect: give Expect(selector=…) or an object with selector, text or url, not a text",
        ),
        ({"settle": "networkidle"}, "unknown value 'networkidle'. Known: causal, quiet, virtual"),
        ({"expect": {"selektor": "#a"}}, "option expect: "),
        ({"expect": Expect}, "option expect: "),
    ],
)
def test_a_refusal_names_the_nearest_and_the_unit(options: dict[str, Any], said: str) -> None:
    assert said in str(refused(**options))


def test_the_struct_validates_when_it_is_constructed() -> None:
    with pytest.raises(OptionInvalid, match="did you mean 'timeout_ms' \\(milliseconds\\)") as caught:
        SequenceOptions(timeout=30)  # type: ignore[call-arg]
    assert caught.value.option == "timeout"
    with pytest.raises(OptionInvalid, match="unknown field 'selektor'") as caught:
        Expect(selektor="#a")  # type: ignore[call-arg]
    assert caught.value.option == "expect.selektor"
    with pytest.raises(OptionInvalid) as caught:
        Expect(selector=3)  # type: ignore[arg-type]
    assert caught.value.option == "expect.selector"


def test_durations_may_have_fractions() -> None:
    assert parse_options({"timeout_ms": 2.5}).timeout_ms == 2.5


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
