"""A socket that left two probes without an answer is left alone until something about its app changes."""

from __future__ import annotations

import pytest

from stillframe.adb.devtools.probes import MAX_FAILED, MAX_KEYS, Occupant, Probes

KEY = ("emulator-5554", "webview_devtools_remote_7")
RUNNING = Occupant(7, False)


@pytest.fixture
def tripped() -> Probes:
    """Probes whose socket has failed as often as it may."""
    probes = Probes()
    for _ in range(MAX_FAILED):
        assert probes.may(KEY, RUNNING)
        probes.failed(KEY, RUNNING)
    return probes


def test_a_third_probe_is_refused(tripped: Probes) -> None:
    assert not tripped.may(KEY, RUNNING)
    assert not tripped.may(KEY, RUNNING)


@pytest.mark.parametrize("other", [Occupant(8, False), Occupant(7, True), Occupant(None, False)])
def test_another_process_or_state_of_the_app_starts_from_zero(tripped: Probes, other: Occupant) -> None:
    assert tripped.may(KEY, other)
    tripped.failed(KEY, other)
    assert tripped.may(KEY, other)


def test_asking_alone_changes_nothing(tripped: Probes) -> None:
    assert tripped.may(KEY, Occupant(8, False))
    assert not tripped.may(KEY, RUNNING)


@pytest.mark.parametrize("key", [("other", KEY[1]), (KEY[0], "chrome_devtools_remote")])
def test_other_sockets_and_devices_are_independent(tripped: Probes, key: tuple[str, str]) -> None:
    assert tripped.may(key, RUNNING)


def test_only_failures_in_a_row_count() -> None:
    probes = Probes()
    for _ in range(5):
        probes.failed(KEY, RUNNING)
        probes.answered(KEY)
    assert probes.may(KEY, RUNNING)
    probes.answered(("never", "failed"))


def test_the_memory_is_bounded() -> None:
    probes = Probes()
    for number in range(3 * MAX_KEYS):
        for _ in range(MAX_FAILED):
            probes.failed(("serial", str(number)), RUNNING)
    assert not probes.may(("serial", str(3 * MAX_KEYS - 1)), RUNNING)
    assert probes.may(("serial", "0"), RUNNING)
