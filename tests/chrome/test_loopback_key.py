"""The key that a browser trusts: its hash, and the certificate that is made of it."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from stillframe.chrome.loopback_key import SWITCH, LoopbackKey, own_key


def test_the_switch_has_the_hash_of_the_key_in_the_certificate() -> None:
    key = LoopbackKey()
    certificate, private = key._pair
    public = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert key.switch == f"{SWITCH}={base64.b64encode(hashlib.sha256(public).digest()).decode()}"
    assert certificate.startswith(b"-----BEGIN CERTIFICATE-----")


def test_each_key_is_another_one_and_a_process_has_one() -> None:
    one, other = LoopbackKey(), LoopbackKey()
    assert one.switch == one.switch != other.switch
    assert str(one._key.private_numbers().private_value) not in repr(one)
    assert own_key() is own_key()


def test_contexts_are_made_once_for_each_protocol() -> None:
    key = LoopbackKey()
    assert key.context("h2") is key.context("h2") is not key.context(None)


def test_a_launch_does_without_the_library() -> None:
    code = (
        "import sys; sys.modules['cryptography'] = None; from stillframe.chrome import key_pairs, loopback_key; "
        "sys.exit(key_pairs.is_installed() or loopback_key.own_key() is not None)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_import_does_without_the_library() -> None:
    code = "import sys, stillframe.api.launch, stillframe.chrome.loopback_key; sys.exit('cryptography' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
