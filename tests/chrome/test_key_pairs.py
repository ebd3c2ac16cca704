"""Certificates and keys for `ssl`: the file that it reads, and the library that is an extra."""

from __future__ import annotations

import ssl
import stat
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from certified import Authority
from stillframe.chrome import key_pairs
from stillframe.errors import OptionInvalid


class Reading(ssl.SSLContext):
    """A TLS context that keeps what it is given to read."""

    read: list[tuple[int, bytes]]

    def load_cert_chain(self, certfile: Any, keyfile: Any = None, password: Any = None) -> None:
        path = Path(certfile)
        self.read = [(stat.S_IMODE(path.stat().st_mode), path.read_bytes())]
        super().load_cert_chain(certfile, keyfile, password)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def test_the_file_is_private_encrypted_and_gone(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    context = Reading(ssl.PROTOCOL_TLS_CLIENT)
    key_pairs.load(context, authority.client.cert, authority.client.private)
    ((mode, content),) = context.read
    assert mode == 0o600
    assert b"BEGIN ENCRYPTED PRIVATE KEY" in content
    assert b"BEGIN PRIVATE KEY" not in content
    assert list(tmp_path.iterdir()) == []


def test_the_file_is_gone_if_it_is_not_accepted(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(ssl.SSLError):
        key_pairs.load(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), authority.client.cert, authority.server.private)
    assert list(tmp_path.iterdir()) == []


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.x509", None)
    with pytest.raises(OptionInvalid, match=r"stillframe\[certificates\]"):
        key_pairs.library(key_pairs.X509)
