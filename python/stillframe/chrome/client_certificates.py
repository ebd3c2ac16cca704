"""The option `client_certificates`: read and checked as a whole when it is given.

Keys stay inside: neither the texts of these values nor an error shows one.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from stillframe.chrome import key_pairs
from stillframe.chrome.key_pairs import OPTION
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown
from stillframe.security.urls import Host, is_origin, parse_url

PATHS = {"certPath": "cert", "keyPath": "key", "pfxPath": "pfx"}
"""Fields with the path of a file, and the fields that its content may be given as."""
OURS = {"cert_path": "certPath", "key_path": "keyPath", "pfx_path": "pfxPath"}
"""Our spelling of fields, and that of Playwright."""
FIELDS = ("origin", *PATHS.values(), *PATHS, "passphrase")

Endpoint = tuple[Host, int]


class ClientCertificate:
    """A certificate, the chain behind it, and its key, for the servers of one origin."""

    def __init__(self, origin: str, chain: bytes, key: Any) -> None:
        self.origin = origin
        """`https://host[:port]`."""
        self.endpoint = _endpoint(origin)
        """The host and the port."""
        self._chain = chain
        self._key = key
        self._contexts: dict[tuple[bool, Sequence[str]], ssl.SSLContext] = {}

    def __repr__(self) -> str:
        return f"ClientCertificate({self.origin!r})"

    def context(self, *, verify: bool, protocols: Sequence[str] = ()) -> ssl.SSLContext:
        """Return what a TLS client of the origin needs; `protocols` are what it offers (ALPN), the best one first.

        The server's certificate is verified with the system's trust store, or not at all. Raises OSError.
        """
        wanted = verify, tuple(protocols)
        if wanted not in self._contexts:
            context = ssl.create_default_context()
            if not verify:
                context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.post_handshake_auth = True  # a server may ask once it knows the path (RFC 8446 §4.6.2)
            if protocols:
                context.set_alpn_protocols(list(protocols))
            key_pairs.load(context, self._chain, self._key)
            self._contexts[wanted] = context
        return self._contexts[wanted]


def certificate_for(certificates: Iterable[ClientCertificate], endpoint: Endpoint) -> ClientCertificate | None:
    """Return the certificate for a host and a port, if there is one."""
    return next((each for each in certificates if each.endpoint == endpoint), None)


def certificate_of_url(certificates: Iterable[ClientCertificate], url: str) -> ClientCertificate | None:
    """Return the certificate for a URL, if there is one; raises ValueError for what is not a URL."""
    parsed = parse_url(url)
    if parsed.scheme not in ("https", "wss") or parsed.host is None or parsed.port is None:
        return None
    return certificate_for(certificates, (parsed.host, parsed.port))


def read_certificates(given: Any) -> tuple[ClientCertificate, ...]:
    """Turn the list of mappings into values; raises OptionInvalid, which says which one is wrong and what to do."""
    if isinstance(given, Mapping | str | bytes) or not isinstance(given, Iterable):
        raise OptionInvalid(f"option {OPTION}: give a list of mappings, one for each origin", option=OPTION)
    found: dict[Endpoint, ClientCertificate] = {}
    for index, item in enumerate(given):
        read = item if isinstance(item, ClientCertificate) else _read(item, index)
        if read.endpoint in found:
            _refuse(read.origin, "has two certificates; give one")
        found[read.endpoint] = read
    return tuple(found.values())


def _read(item: Any, index: int) -> ClientCertificate:
    fields = _fields(item, index)
    origin = fields.get("origin")
    if not isinstance(origin, str) or not is_origin(origin) or not origin.lower().startswith("https:"):
        raise OptionInvalid(
            f"option {OPTION}: {origin!r} is not an origin with TLS; write https://host[:port] without a path",
            option=OPTION,
        )
    passphrase = fields.get("passphrase")
    if not isinstance(passphrase, str | None):
        _refuse(origin, "the passphrase is not text")
    contents = {name: _content(fields, name, origin) for name in PATHS.values()}
    pfx, cert, key = contents["pfx"], contents["cert"], contents["key"]
    if pfx is not None and cert is None and key is None:
        chain, private = _of_pfx(pfx, passphrase, origin)
    elif pfx is None and cert is not None and key is not None:
        chain, private = _of_pem(cert, key, passphrase, origin)
    else:
        _refuse(origin, "needs either cert and key, or pfx; each may be a path instead (certPath, keyPath, pfxPath)")
    certificate = ClientCertificate(origin, chain, private)
    try:
        key_pairs.load(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), chain, private)
    except ssl.SSLError as error:
        _refuse(origin, f"TLS does not take this certificate: {error.reason or error}")
    except OSError as error:
        _refuse(origin, f"cannot write a file for TLS to read: {error.strerror}; set TMPDIR to another directory")
    return certificate


def _fields(item: Any, index: int) -> dict[str, Any]:
    """Return the fields of a mapping by Playwright's names, without those that are None."""
    if not isinstance(item, Mapping):
        raise OptionInvalid(f"option {OPTION}: item {index} is not a mapping of {', '.join(FIELDS)}", option=OPTION)
    fields = {OURS.get(name, str(name)): value for name, value in item.items() if value is not None}
    for name in fields:
        if name not in FIELDS:
            raise OptionInvalid(unknown(f"field of option {OPTION}", name, FIELDS), option=OPTION)
    return fields


def _content(fields: Mapping[str, Any], name: str, origin: str) -> bytes | None:
    """Return what is given as a field, or in the file that its sibling names."""
    by_path = next(path for path, content in PATHS.items() if content == name)
    given, path = fields.get(name), fields.get(by_path)
    if given is not None and path is not None:
        _refuse(origin, f"has both {name} and {by_path}; give one")
    if path is not None:
        try:
            return Path(path).read_bytes()
        except (OSError, TypeError, ValueError) as error:
            _refuse(origin, f"cannot read {by_path} {path!r}: {getattr(error, 'strerror', None) or error}")
    content = given.encode() if isinstance(given, str) else given
    if not isinstance(content, bytes | None):
        _refuse(origin, f"{name} is neither bytes nor text; to name a file, use {by_path}")
    return content


def _of_pem(cert: bytes, key: bytes, passphrase: str | None, origin: str) -> tuple[bytes, Any]:
    """Return the chain as PEM and the key of two texts in PEM."""
    load = key_pairs.library(key_pairs.X509).load_pem_x509_certificates
    try:
        chain = load(cert)
    except ValueError:
        _refuse(origin, "cert holds no certificate in PEM (-----BEGIN CERTIFICATE-----); a .p12 or .pfx file is pfx")
    private = _key(key, passphrase, origin)
    if private.public_key() != chain[0].public_key():
        _refuse(origin, "the key does not belong to the certificate; the certificate itself comes first in its file")
    return _pem(chain), private


def _key(key: bytes, passphrase: str | None, origin: str) -> Any:
    load = key_pairs.library(key_pairs.SERIALIZATION).load_pem_private_key
    try:
        return load(key, None)
    except TypeError:  # it is encrypted
        if passphrase is None:
            _refuse(origin, "the key is encrypted; give its passphrase")
    except Exception:  # what exactly is wrong inside of a key stays there
        _refuse(origin, "key holds no private key in PEM (-----BEGIN PRIVATE KEY-----)")
    try:
        return load(key, passphrase.encode())
    except Exception:
        _refuse(origin, "the passphrase does not open the key")


def _of_pfx(pfx: bytes, passphrase: str | None, origin: str) -> tuple[bytes, Any]:
    """Return the chain as PEM and the key of a file in PKCS #12."""
    secret = None if passphrase is None else passphrase.encode()
    try:
        key, certificate, more = key_pairs.library(key_pairs.PKCS12).load_key_and_certificates(pfx, secret)
    except ValueError:
        _refuse(origin, "the passphrase does not open pfx, or pfx is not a PKCS #12 file (.p12, .pfx)")
    if key is None or certificate is None:
        _refuse(origin, "pfx lacks a certificate or its key; export both")
    return _pem([certificate, *more]), key


def _pem(chain: Iterable[Any]) -> bytes:
    encoding = key_pairs.library(key_pairs.SERIALIZATION).Encoding.PEM
    return b"".join(certificate.public_bytes(encoding) for certificate in chain)


def _endpoint(origin: str) -> Endpoint:
    parsed = parse_url(origin)
    assert parsed.host is not None  # it is an origin
    assert parsed.port is not None
    return parsed.host, parsed.port


def _refuse(origin: str, problem: str) -> NoReturn:
    raise OptionInvalid(f"option {OPTION}, {origin}: {problem}", option=OPTION) from None
