"""Certificates and their keys for `ssl`, by cryptography, which is an extra."""

from __future__ import annotations

import os
import secrets
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from stillframe.errors import OptionInvalid

if TYPE_CHECKING:
    import ssl

OPTION = "client_certificates"


class Library(NamedTuple):
    """The modules of cryptography that certificates need."""

    x509: Any
    ec: Any
    hashes: Any
    serialization: Any
    pkcs12: Any


def library() -> Library:
    """Return the modules of cryptography; raises OptionInvalid if it is not installed."""
    try:
        return Library(
            import_module("cryptography.x509"),
            import_module("cryptography.hazmat.primitives.asymmetric.ec"),
            import_module("cryptography.hazmat.primitives.hashes"),
            import_module("cryptography.hazmat.primitives.serialization"),
            import_module("cryptography.hazmat.primitives.serialization.pkcs12"),
        )
    except ImportError:
        raise OptionInvalid(
            f"option {OPTION} needs cryptography: pip install 'stillframe[certificates]'", option=OPTION
        ) from None


def load(context: ssl.SSLContext, chain: bytes, key: Any) -> None:
    """Give a TLS context a chain of certificates (PEM) and a key of cryptography; raises OSError, ssl.SSLError.

    `ssl` reads them from a file only. That file is its owner's alone, encrypted with a passphrase that nothing else
    has, and gone when this returns.
    """
    form, passphrase = library().serialization, secrets.token_hex(32)
    locked = form.BestAvailableEncryption(passphrase.encode())
    pem = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, locked)
    descriptor, path = tempfile.mkstemp(prefix="sf-pair-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(chain + pem)
        context.load_cert_chain(path, password=passphrase)
    finally:
        Path(path).unlink()
