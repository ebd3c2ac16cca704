"""The simulated queue: that it counts right, and that the recorded figures are those of the documentation."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from bench.farm import lease_cost, queue_record, simulation

DOCUMENT = Path(__file__).parents[2] / "docs/farm.md"
NEAR = 1.2
"""How much more a lease of a long queue may cost than one of a short queue."""


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


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    """The record that the documentation cites."""
    return queue_record.read()


@pytest.mark.parametrize("lines", [queue_record.paces, queue_record.servers, queue_record.faults, queue_record.leases])
def test_the_documentation_has_the_recorded_figures(record: dict[str, Any], lines: Any) -> None:
    text = DOCUMENT.read_text()
    assert [line for line in lines(record) if line not in text] == []


def test_the_recorded_figures_are_within_the_goals(record: dict[str, Any]) -> None:
    now = record[queue_record.NOW]
    assert {row["clients"] for row in now["postgresql"]["server"]} == {16, 64, 256}
    for kinds in now.values():
        assert all(row["round_trips_a_page"] <= 4 for row in kinds.get("timed", ()) if not row["polls"])
        assert all((row["lost"], row["twice"]) == (0, 0) for row in (*kinds.get("timed", ()), *kinds["faults"]))
    short, *others = now["postgresql"]["lease"]
    for cost in ("buffers", "server_cpu_ms"):
        assert [row for row in others if row[cost] > NEAR * short[cost]] == []
