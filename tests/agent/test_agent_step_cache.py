"""The step cache: what is put is found again, and a bad file is an empty cache."""

from __future__ import annotations

import json
import logging
import stat
from pathlib import Path

import pytest

from stillframe.agent.step_cache import StepCache
from stillframe.errors import OptionInvalid
from stillframe.scripts.script import ScriptAction

ACTIONS = (ScriptAction(action={"action": "click_element", "selector": "#save"}, target='button "Save"'),)


def test_actions_are_found_by_page_goal_and_step() -> None:
    cache = StepCache()

    cache.put("hash", "goal", "step", ACTIONS)

    assert cache.get("hash", "goal", "step") == ACTIONS
    others = [("other", "goal", "step"), ("hash", "other", "step"), ("hash", "goal", "other"), ("hashgoal", "", "step")]
    assert [cache.get(*key) for key in others] == [None] * 4


def test_a_file_keeps_them_and_is_private(tmp_path: Path) -> None:
    path = tmp_path / "steps.json"
    StepCache(path).put("hash", "a goal with words", "step", ACTIONS)

    assert StepCache(path).get("hash", "a goal with words", "step") == ACTIONS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "words" not in path.read_text()
    assert [file.name for file in tmp_path.iterdir()] == ["steps.json"]


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    cache = StepCache(tmp_path / "steps.json")
    cache.put("hash", "goal", "step", ACTIONS)

    cache.forget("hash", "goal", "step")
    cache.forget("hash", "goal", "never there")

    assert len(cache) == len(StepCache(tmp_path / "steps.json")) == 0


def test_the_least_recently_used_goes_first() -> None:
    cache = StepCache(max_entries=2)
    cache.put("1", "", "", ACTIONS)
    cache.put("2", "", "", ACTIONS)
    cache.get("1", "", "")
    cache.put("3", "", "", ACTIONS)

    assert [cache.get(each, "", "") is not None for each in "123"] == [True, False, True]


BAD = [
    b"",
    b"nonsense",
    b"\xff",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"version": 9, "entries": {}}',
    b'{"version": 1, "entries": {"k": [{"action": {"action": "evaluate"}}]}}',
    b'{"version": 1, "entries": {"k": [{"action": {"action": "go_back"}, "fingerprint": {}}]}}',
    b'{"version": 1, "entries": {"k": [{"action": {"action": "type_text", "text": {"secret": "x"}}}]}}',
    b'{"version": 1, "entries": {}, "more": 1}',
]


@pytest.mark.parametrize("content", BAD)
def test_a_corrupt_file_counts_as_empty(tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "steps.json"
    path.write_bytes(content)
    path.chmod(0o600)

    with caplog.at_level(logging.WARNING):
        cache = StepCache(path)

    assert len(cache) == 0
    assert "counts as empty" in caplog.text
    cache.put("hash", "goal", "step", ACTIONS)
    assert json.loads(path.read_text())["version"] == 1


def test_a_file_that_others_may_write_to_is_not_believed(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "steps.json"
    StepCache(path).put("hash", "goal", "step", ACTIONS)
    path.chmod(0o666)

    assert len(StepCache(path)) == 0
    assert "chmod 600" in caplog.text


def test_a_file_that_cannot_be_written_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cache = StepCache(tmp_path / "missing" / "steps.json")

    cache.put("hash", "goal", "step", ACTIONS)

    assert cache.get("hash", "goal", "step") == ACTIONS
    assert "was not written" in caplog.text


def test_a_cache_for_nothing_is_refused() -> None:
    with pytest.raises(OptionInvalid):
        StepCache(max_entries=0)
