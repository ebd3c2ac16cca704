"""The key that a browser trusts: its hash, and the certificate that is made of it."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from stillframe.chrome.loopback_key import BASE, ORDER, SWITCH, LoopbackKey, _times


def numbers(key: ec.EllipticCurvePrivateKey) -> tuple[int, int]:
    public = key.public_key().public_numbers()
    return public.x, public.y


@given(st.integers(1, ORDER - 1))
@settings(max_examples=20)
def test_a_multiple_of_the_base_point_is_that_of_the_library(number: int) -> None:
    assert _times(number, BASE) == numbers(ec.derive_private_key(number, ec.SECP256R1()))


@pytest.mark.parametrize("number", [1, 2, 3, ORDER - 1])
def test_the_ends_of_the_range_are_right(number: int) -> None:
    assert _times(number, BASE) == numbers(ec.derive_private_key(number, ec.SECP256R1()))
    assert _times(ORDER, BASE) is None


def test_the_switch_has_the_hash_of_the_key_in_the_certificate() -> None:
    key = LoopbackKey()
    certificate, private = key._pair
    public = private.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert key.switch == f"{SWITCH}={base64.b64encode(hashlib.sha256(public).digest()).decode()}"
    assert certificate.startswith(b"-----BEGIN CERTIFICATE-----")


def test_each_browser_has_another_key() -> None:
    one, other = LoopbackKey(), LoopbackKey()
    assert one.switch == one.switch != other.switch
    assert str(one._number) not in repr(one)


def test_contexts_are_made_once_for_each_protocol() -> None:
    key = LoopbackKey()
    assert key.context("h2") is key.context("h2") is not key.context(None)


def test_a_launch_does_without_the_library() -> None:
    code = (
        "import sys, stillframe; from stillframe.chrome.loopback_key import LoopbackKey; LoopbackKey().switch; "
        "sys.exit('cryptography' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
