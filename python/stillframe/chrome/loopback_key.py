"""The key of a browser's own loopback connections: the browser trusts it, and only this process can sign with it.

A proxy that ends the TLS of a browser's connections needs a certificate that the browser accepts. Chrome accepts any
certificate whose key is listed at its launch, without a mark on the page; so each browser is launched with the hash of
the key of this process. It never leaves the memory of the process but to `ssl`, and no other process can use it.
Chrome warns of such a switch in a bar of its first window only, which `--no-startup-window` leaves out (Chromium 156).

`cryptography`, an extra, makes the key, which takes some milliseconds at the first launch of a process: a browser needs
the hash before anybody knows whether a context will have certificates. Without the extra no context can have some, and
no browser gets a hash.
"""

from __future__ import annotations

import base64
import hashlib
import ssl
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from typing import Any

from stillframe.chrome import key_pairs

SWITCH = "--ignore-certificate-errors-spki-list"
"""Chrome's switch: certificates with these keys are valid, for any host. It works with `--user-data-dir` only."""

LIFETIME = timedelta(days=3650)
"""Chrome does not look at the dates of a certificate whose key is listed; other readers might."""


class LoopbackKey:
    """A new key; `switch` lets a browser accept certificates with it."""

    def __init__(self) -> None:
        """Make it; raises OptionInvalid if cryptography is not installed."""
        ec = key_pairs.library(key_pairs.EC)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._contexts: dict[str | None, ssl.SSLContext] = {}

    @cached_property
    def switch(self) -> str:
        """The switch for the launch of the browser."""
        form = key_pairs.library(key_pairs.SERIALIZATION)
        public = self._key.public_key().public_bytes(form.Encoding.DER, form.PublicFormat.SubjectPublicKeyInfo)
        return f"{SWITCH}={base64.b64encode(hashlib.sha256(public).digest()).decode()}"

    def context(self, protocol: str | None) -> ssl.SSLContext:
        """Return what a TLS server for the browser needs, which takes one protocol (ALPN), or speaks of none."""
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
        x509, hashes = key_pairs.library(key_pairs.X509), key_pairs.library(key_pairs.HASHES)
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "stillframe")])
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder(issuer_name=name, subject_name=name, public_key=self._key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + LIFETIME)
        )
        certificate = builder.sign(self._key, hashes.SHA256())
        return certificate.public_bytes(key_pairs.library(key_pairs.SERIALIZATION).Encoding.PEM), self._key


@cache
def own_key() -> LoopbackKey | None:
    """Return the key of this process, which all browsers that it launches accept; None without cryptography."""
    return LoopbackKey() if key_pairs.is_installed() else None
