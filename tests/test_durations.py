"""The summary lists tests that take too long, and counts what ran; the record of `make test-all` adds that up."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

import durations
import record_green

ROOT = Path(__file__).parent.parent


def test_what_takes_too_long_is_listed_the_longest_first() -> None:
    lines = durations.too_long({"tests/a.py::x": 6.0, "tests/a.py::y": 4.9, "tests/a.py::z[1]": 70.25}, 1.0)
    assert list(lines) == ["  70.2 s  tests/a.py::z[1]", "   6.0 s  tests/a.py::x"]


def test_a_reason_is_for_all_rows_of_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durations, "REASONS", {"tests/a.py::z": "it waits for a real timeout"})
    assert list(durations.too_long({"tests/a.py::z[1]": 70.0}, 1.0)) == []


def test_a_machine_that_is_loaded_on_purpose_may_take_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STILLFRAME_LOAD", "3")
    assert list(durations.too_long({"tests/a.py::x": 19.0}, durations.pace())) == []


@pytest.mark.parametrize("name", durations.REASONS)
def test_every_reason_is_for_a_test_that_exists(name: str) -> None:
    path, _, test = name.partition("::")
    assert f"def {test.rpartition('::')[2]}(" in (ROOT / path).read_text()
    assert durations.REASONS[name]


def test_the_counts_of_several_runs_are_added_up(tmp_path: Path) -> None:
    file = tmp_path / "counts"
    durations.append_counts(file, {"passed": [1, 2], "skipped": [1]})
    durations.append_counts(file, {"passed": [1]})
    assert record_green.totals(file.read_text()) == {"passed": 3, "failed": 0, "error": 0, "skipped": 1}


def test_the_record_says_when_everything_was_green_and_how_long_it_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts, record = tmp_path / "counts", tmp_path / "last_green.json"
    counts.write_text('{"passed": 10, "failed": 0, "error": 0, "skipped": 1}\n')
    monkeypatch.setattr(record_green, "RECORD", record)
    monkeypatch.setattr(record_green, "ROOT", tmp_path)
    monkeypatch.setattr(record_green, "commit", lambda: "0123456789ab")
    record_green.main(str(time.time() - 90), str(counts))
    written = json.loads(record.read_text())
    assert set(written) == {"date", "commit", "minutes", "tests", "python", "cores"}
    assert (written["minutes"], written["tests"]["passed"], written["commit"]) == (1.5, 10, "0123456789ab")
