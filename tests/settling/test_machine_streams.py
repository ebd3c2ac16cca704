"""Recorded signals of real pages, replayed: exactly, with new fences, and with late signals."""

from __future__ import annotations

import pytest
import streams
from record_streams import SCENARIOS

from stillframe.settling.machine import REASONS
from stillframe.settling.signals import ActionsDone, Armed

BEHIND_MS = 15.0
"""How late a signal may be in a rehearsal: more than the event loop of a busy machine is, less than any window."""

VERDICTS = streams.verdicts()


def test_every_stream_has_a_verdict_and_a_scenario() -> None:
    assert set(streams.names()) == set(SCENARIOS), streams.RECORD_AGAIN
    assert set(streams.names()) == set(VERDICTS), streams.RECORD_AGAIN


@pytest.mark.parametrize("name", streams.names())
def test_a_stream_leads_to_the_verdict_that_was_given(name: str) -> None:
    assert streams.kept(streams.replay(streams.read(name))) == VERDICTS[name], streams.RECORD_AGAIN


@pytest.mark.parametrize("name", streams.names())
def test_a_page_that_is_asked_at_other_times_gets_the_same_verdict(name: str) -> None:
    verdict = streams.kept(streams.rehearse(streams.read(name)))
    expected = VERDICTS[name]
    assert (verdict.stable, verdict.reason, verdict.detail) == (expected.stable, expected.reason, expected.detail)
    assert verdict.pending == VERDICTS[name].pending


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", streams.names())
def test_signals_that_are_late_change_nothing(name: str, seed: int) -> None:
    verdict = streams.kept(streams.rehearse(streams.read(name), seed=seed, delay_ms=BEHIND_MS))
    assert (verdict.stable, verdict.reason) == (VERDICTS[name].stable, VERDICTS[name].reason)


@pytest.mark.parametrize("name", streams.names())
@pytest.mark.parametrize("cut", [0.3, 0.6, 0.9])
def test_a_stream_that_breaks_off_ends_by_the_deadline(name: str, cut: float) -> None:
    lines = streams.read(name)
    whole = [signal for _, signal in lines if isinstance(signal, (Armed, ActionsDone))]
    kept = [line for at, line in enumerate(lines) if at < cut * len(lines) or line[1] in whole]
    verdict = streams.rehearse(kept)
    limits = next(signal.limits for signal in whole if isinstance(signal, Armed))
    assert verdict.waited_ms <= limits.timeout_ms + 1
    assert verdict.reason in REASONS
