"""A closed connection is explained from the adb server up to the page: the first thing missing counts."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from stillframe.adb.devtools.loss import Loss, classify
from stillframe.errors import AdbServerDied, AppKilled, ConnectionLost, SessionLost, TargetClosed, TransportLost

ALL_WELL: dict[str, Any] = {
    "server_reachable": True,
    "state": "device",
    "shell_answers": True,
    "pid_alive": True,
    "socket_listed": True,
    "frozen": False,
    "target_listed": True,
}


def loss(**known: Any) -> Loss:
    identity: dict[str, Any] = {"package": "com.example", "pid": 4321, "target_id": "1A"}
    return Loss("R58M", "127.0.0.1:5037", "webview_devtools_remote_4321", "no close frame", **{**identity, **known})


@pytest.mark.parametrize(
    ("known", "error", "words"),
    [
        ({"server_reachable": False}, AdbServerDied, ["127.0.0.1:5037 ended", "adb start-server"]),
        ({"state": "offline"}, TransportLost, ["its state is 'offline' now", "cable or network"]),
        ({"state": "unauthorized"}, TransportLost, ["its state is 'unauthorized' now"]),
        ({"state": ""}, TransportLost, ["the adb server does not list it any more"]),
        ({"shell_answers": False}, TransportLost, ["still says 'device', and the device does not answer"]),
        ({"pid_alive": False}, AppKilled, ["com.example (pid 4321) on R58M has ended", "gives no reason"]),
        ({"pid_alive": False, "exit_reason": "LOW_MEMORY"}, AppKilled, ["Android's reason is 'LOW_MEMORY'"]),
        ({"pid_alive": None, "pid": None, "socket_listed": False}, AppKilled, ["com.example on R58M has ended"]),
        ({"target_listed": False}, TargetClosed, ["the page '1A' of com.example (pid 4321)"]),
        ({"socket_listed": False, "target_listed": None}, ConnectionLost, ["has switched its DevTools socket off"]),
        ({"frozen": True, "target_listed": None}, ConnectionLost, ["in the background", "frozen"]),
        ({"target_listed": None}, ConnectionLost, ["did not say in time whether the page is still there"]),
        ({"target_id": None, "target_listed": None}, ConnectionLost, ["device and app are there"]),
        ({}, ConnectionLost, ["(no close frame): device, app and page are there"]),
    ],
)
def test_one_thing_is_missing(known: dict[str, Any], error: type[SessionLost], words: list[str]) -> None:
    found = classify(loss(**{**ALL_WELL, **known}))
    assert type(found) is error
    for word in words:
        assert word in str(found)
    assert "None" not in str(found)


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ({}, "the adb server did not say in time"),
        ({"server_reachable": True, "state": "device"}, "the device is connected, and did not say in time"),
    ],
)
def test_what_could_not_be_found_out_is_reported(known: dict[str, Any], words: str) -> None:
    found = classify(loss(**known))
    assert type(found) is ConnectionLost
    assert words in str(found)
    assert "connect again" in str(found)


ORDER: list[tuple[str, Any, type[SessionLost]]] = [
    ("server_reachable", False, AdbServerDied),
    ("state", "offline", TransportLost),
    ("shell_answers", False, TransportLost),
    ("pid_alive", False, AppKilled),
    ("target_listed", False, TargetClosed),
]


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(range(len(ORDER)), 2)))
def test_of_two_things_the_one_nearer_to_this_machine_counts(first: int, second: int) -> None:
    known = {ORDER[each][0]: ORDER[each][1] for each in (first, second)}
    assert type(classify(loss(**{**ALL_WELL, **known}))) is ORDER[first][2]


CASES = list(
    itertools.product(
        (None, True, False), (None, "device", "offline", ""), *[(None, True, False)] * 5, (None, 7), (None, "1A")
    )
)


def test_every_combination_of_facts_has_an_error() -> None:
    for server, state, shell, pid, socket, frozen, target, number, target_id in CASES:
        found = classify(
            loss(
                server_reachable=server,
                state=state,
                shell_answers=shell,
                pid_alive=pid,
                socket_listed=socket,
                frozen=frozen,
                target_listed=target,
                pid=number,
                target_id=target_id,
                package=None,
            )
        )
        assert isinstance(found, SessionLost)


def test_the_errors_carry_the_facts() -> None:
    killed = classify(loss(**{**ALL_WELL, "pid_alive": False, "exit_reason": "ANR"}))
    assert isinstance(killed, AppKilled)
    assert (killed.serial, killed.package, killed.pid, killed.exit_reason) == ("R58M", "com.example", 4321, "ANR")
    lost = classify(loss(**{**ALL_WELL, "state": "offline"}))
    assert isinstance(lost, TransportLost)
    assert (lost.serial, lost.state) == ("R58M", "offline")
    died = classify(loss(server_reachable=False))
    assert isinstance(died, AdbServerDied)
    assert died.address == "127.0.0.1:5037"
