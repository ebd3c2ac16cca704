"""Which user a connection on loopback comes from."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from stillframe.chrome import interception
from stillframe.chrome.interception import is_own, owner_in

TABLE = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0200007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 3 1 0 20 4 30 10 -1
   3: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 4 1 0 20 4 30 10 -1
"""
SERVER = ("127.0.0.1", 8080)


@pytest.mark.skipif(sys.byteorder == "big", reason="the table is that of a little-endian machine")
@pytest.mark.parametrize(("client", "user"), [("127.0.0.1", 1000), ("127.0.0.2", 1001), ("127.0.0.3", None)], ids=str)
def test_both_ends_decide_whose_a_connection_is(client: str, user: int | None) -> None:
    assert owner_in(TABLE, (client, 50000), SERVER) == user


def test_a_connection_of_ours_is_ours_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        with socket.create_connection(listening.getsockname()) as client:
            ends = client.getsockname(), client.getpeername()
            assert is_own(*ends)
            with monkeypatch.context() as another:
                user = os.geteuid() + 1
                another.setattr(os, "geteuid", lambda: user)
                assert not is_own(*ends)
        if sys.platform.startswith("linux"):
            assert not is_own((ends[0][0], 1), ends[1])


def test_where_the_system_does_not_say_linux_is_strict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interception, "CONNECTIONS", tmp_path / "none")
    monkeypatch.setattr(sys, "platform", "linux")
    assert not is_own(("127.0.0.1", 1), SERVER)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert is_own(("127.0.0.1", 1), SERVER)
