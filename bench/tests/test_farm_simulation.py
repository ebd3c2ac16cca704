"""The simulated queue: that it counts right."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from bench.farm import lease_cost, simulation


async def test_a_small_simulation_counts_its_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "PROCESSES", 1)
    monkeypatch.setattr(simulation, "FAULT_PAGES", 24)
    monkeypatch.setattr(simulation, "SHORT_LEASE_S", 0.3)
    monkeypatch.setattr(lease_cost, "SAMPLES", 2)
    options = argparse.Namespace(
        url=f"sqlite:///{tmp_path / 'crawl.db'}",
        workers=[2],
        batch=4,
        seconds=0.2,
        rounds=1,
        polls=False,
        faults=True,
        queued=50,
        held=20,
    )
    found = await simulation.measure(options)
    (timed,), (faults,) = found["timed"], found["faults"]
    assert timed["pages"] > 0
    assert 0 < timed["round_trips_a_page"] <= 4
    assert (timed["lost"], timed["twice"], faults["lost"], faults["twice"]) == (0, 0, 0, 0)
    assert faults["pages"] == 24
    assert [(row["queued"], row["held_hosts"]) for row in found["lease"]] == [(1_000, 0), (50, 0), (1_000, 20)]
