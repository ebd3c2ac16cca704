"""The key of a browser's own loopback connections: the browser trusts it, and only this process can sign with it.

A proxy that ends the TLS of a browser's connections needs a certificate that the browser accepts. Chrome accepts any
certificate whose key is listed at its launch, without a mark on the page; so each browser is launched with the hash of
the key of this process. It never leaves the memory of the process but to `ssl`, and no other process can use it.
Chrome warns of such a switch in a bar of its first window only, which `--no-startup-window` leaves out (Chromium 156).

Every launch needs the hash, and few need the key. So the hash is computed here, in some milliseconds and once, and
`cryptography`, an extra that takes tens of milliseconds to import, makes the key of it once a context asks for it.
"""

from __future__ import annotations

import base64
import hashlib
import secrets
import ssl
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Any

from stillframe.chrome import key_pairs

SWITCH = "--ignore-certificate-errors-spki-list"
"""Chrome's switch: certificates with these keys are valid, for any host. It works with `--user-data-dir` only."""

PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
"""The curve P-256: its field, the order of its base point, and that point (SEC 2, version 2.0, §2.4.2)."""
PUBLIC_KEY_HEAD = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
"""The DER of a SubjectPublicKeyInfo with a point of P-256, up to its coordinates (RFC 5480 §2)."""

LIFETIME = timedelta(days=3650)
"""Chrome does not look at the dates of a certificate whose key is listed; other readers might."""

Point = tuple[int, int] | None
"""A point of the curve; None is the point at infinity."""


class LoopbackKey:
    """A new key; `switch` lets a browser accept certificates with it."""

    def __init__(self) -> None:
        self._number = secrets.randbelow(ORDER - 1) + 1
        self._contexts: dict[str | None, ssl.SSLContext] = {}

    @cached_property
    def switch(self) -> str:
        """The switch for the launch of the browser."""
        point = _times(self._number, BASE)
        assert point is not None  # no multiple below the order is the point at infinity
        public = PUBLIC_KEY_HEAD + b"".join(coordinate.to_bytes(32, "big") for coordinate in point)
        return f"{SWITCH}={base64.b64encode(hashlib.sha256(public).digest()).decode()}"

    def context(self, protocol: str | None) -> ssl.SSLContext:
        """Return what a TLS server for the browser needs, which takes one protocol (ALPN), or speaks of none.

        Raises OptionInvalid if cryptography is not installed.
        """
        if protocol not in self._contexts:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            key_pairs.load(context, *self._pair)
            if protocol is not None:
                context.set_alpn_protocols([protocol])
            self._contexts[protocol] = context
        return self._contexts[protocol]

    @cached_property
    def _pair(self) -> tuple[bytes, Any]:
        """The certificate as PEM, and its key. One is enough for all hosts: Chrome compares the key alone."""
        library = key_pairs.library()
        key = library.ec.derive_private_key(self._number, library.ec.SECP256R1())
        name = library.x509.Name([library.x509.NameAttribute(library.x509.NameOID.COMMON_NAME, "stillframe")])
        now = datetime.now(UTC)
        builder = (
            library.x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=key.public_key())
            .serial_number(library.x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + LIFETIME)
        )
        certificate = builder.sign(key, library.hashes.SHA256())
        return certificate.public_bytes(library.serialization.Encoding.PEM), key


@cache
def own_key() -> LoopbackKey:
    """Return the key of this process, which all browsers that it launches accept."""
    return LoopbackKey()


def _times(number: int, point: Point) -> Point:
    """Return a multiple of a point, by doubling and adding.

    Its time depends on the number. Nobody gets to measure it: it runs once per key, before anything uses the key.
    """
    total: Point = None
    while number:
        if number & 1:
            total = _sum(total, point)
        point, number = _sum(point, point), number >> 1
    return total


def _sum(one: Point, other: Point) -> Point:
    """Return the sum of two points of y² = x³ - 3x + b (SEC 1, version 2.0, §2.2.1)."""
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % PRIME == 0:
        return None
    rise, run = (3 * x1 * x1 - 3, 2 * y1) if one == other else (y2 - y1, x2 - x1)
    slope = rise * pow(run, -1, PRIME) % PRIME
    x3 = (slope * slope - x1 - x2) % PRIME
    return x3, (slope * (x1 - x3) - y1) % PRIME
