"""Certificates and their keys for `ssl`, by cryptography, which is an extra."""

from __future__ import annotations

import os
import secrets
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stillframe.errors import OptionInvalid

if TYPE_CHECKING:
    import ssl

OPTION = "client_certificates"


X509 = "cryptography.x509"
EC = "cryptography.hazmat.primitives.asymmetric.ec"
HASHES = "cryptography.hazmat.primitives.hashes"
SERIALIZATION = "cryptography.hazmat.primitives.serialization"
PKCS12 = "cryptography.hazmat.primitives.serialization.pkcs12"


def is_installed() -> bool:
    """Return whether cryptography is there, without importing it."""
    return find_spec("cryptography") is not None


def library(module: str) -> Any:
    """Return a module of cryptography; raises OptionInvalid if it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise OptionInvalid(
            f"option {OPTION} needs cryptography: pip install 'stillframe[certificates]'", option=OPTION
        ) from None


def load(context: ssl.SSLContext, chain: bytes, key: Any) -> None:
    """Give a TLS context a chain of certificates (PEM) and a key of cryptography; raises OSError, ssl.SSLError.

    `ssl` reads them from a file only. That file is its owner's alone, encrypted with a passphrase that nothing else
    has, and gone when this returns.
    """
    form, passphrase = library(SERIALIZATION), secrets.token_hex(32)
    locked = form.BestAvailableEncryption(passphrase.encode())
    pem = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, locked)
    descriptor, path = tempfile.mkstemp(prefix="sf-pair-")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(chain + pem)
        context.load_cert_chain(path, password=passphrase)
    finally:
        Path(path).unlink()
