"""The rule of docs/design/proposal.md with a simulated clock."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from stillframe.model.verdict import Verdict
from stillframe.settling.quiet_rule import QuietRule, Sample

STILL = Sample(url="http://site/", title="Shop", element_count=12, ready=True)


def changed(sample: Sample = STILL, **fields: object) -> Sample:
    return msgspec.structs.replace(sample, **fields)


def wait(page: Callable[[float], Sample | None], *, took: float = 2.0, timeout_ms: float = 5000) -> Verdict:
    """Poll a page, given as a function of time, until the rule has a verdict; each sample takes `took` ms."""
    rule = QuietRule(0.0, stability_ms=500, poll_ms=100, timeout_ms=timeout_ms)
    now = 0.0
    while True:
        now += took
        verdict = rule.take(now, page(now))
        if verdict is not None:
            return verdict
        now = max(now, rule.next_poll)


def test_w20_a_static_page_takes_the_stability_time_from_the_first_equal_sample() -> None:
    verdict = wait(lambda _: STILL)
    assert (verdict.stable, verdict.reason) == (True, "quiet")
    assert 500 <= verdict.waited_ms < 700


@pytest.mark.parametrize("field", ["url", "title", "element_count"])
def test_a_changing_part_starts_the_stability_time_anew(field: str) -> None:
    value = 13 if field == "element_count" else "other"
    verdict = wait(lambda now: changed(**{field: value}) if now > 350 else STILL)
    assert 850 <= verdict.waited_ms < 1150


def test_w14_a_visible_indicator_is_never_stable_and_is_named() -> None:
    verdict = wait(lambda _: changed(indicators=("#wheel",)))
    assert not verdict.stable
    assert verdict.outcome == "timeout: indicator #wheel"
    assert (verdict.pending[0].kind, verdict.pending[0].what) == ("indicator", "#wheel")
    assert verdict.waited_ms == pytest.approx(5000, abs=5)


def test_stability_counts_from_when_the_indicator_went_away() -> None:
    verdict = wait(lambda now: changed(indicators=("#wheel",)) if now < 800 else STILL)
    assert verdict.stable
    assert 1300 <= verdict.waited_ms < 1500


def test_w17_a_request_in_flight_holds_the_verdict() -> None:
    verdict = wait(lambda now: changed(requests=("GET http://site/api",)) if now < 900 else STILL)
    assert 1400 <= verdict.waited_ms < 1600


def test_a_request_without_end_is_named() -> None:
    verdict = wait(lambda _: changed(requests=("GET http://site/api",)), timeout_ms=1000)
    assert verdict.outcome == "timeout: request GET http://site/api"
    assert verdict.pending[0].url == "http://site/api"


def test_w19_an_unready_document_is_never_stable() -> None:
    verdict = wait(lambda _: changed(ready=False), timeout_ms=1500)
    assert not verdict.stable
    assert verdict.outcome == "timeout: document http://site/"


def test_w19_stability_counts_from_when_the_document_is_ready() -> None:
    verdict = wait(lambda now: changed(ready=now > 700))
    assert 1200 <= verdict.waited_ms < 1400


def test_w21_a_poll_without_a_document_is_survived() -> None:
    def page(now: float) -> Sample | None:
        return None if 200 < now < 400 else changed(url="http://site/2") if now > 200 else STILL

    verdict = wait(page)
    assert verdict.stable
    assert 900 <= verdict.waited_ms < 1100


def test_a_page_that_never_answers_hangs() -> None:
    verdict = wait(lambda _: None, took=1000)
    assert (verdict.stable, verdict.reason) == (False, "hung")


def test_a_signature_that_never_rests() -> None:
    verdict = wait(lambda now: changed(element_count=int(now)), timeout_ms=1200)
    assert verdict.outcome == "timeout: changes the signature kept changing"


def test_slow_samples_do_not_stretch_the_grid() -> None:
    assert wait(lambda _: STILL, took=90).waited_ms < 700
