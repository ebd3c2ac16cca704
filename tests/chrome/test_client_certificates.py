"""The option `client_certificates`: the forms it takes, and what is wrong with others."""

from __future__ import annotations

import os
import re
import ssl
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certified import PASSPHRASE, Authority, Pair
from stillframe.chrome import key_pairs
from stillframe.chrome.client_certificates import certificate_for, certificate_of_url, read_certificates
from stillframe.errors import OptionInvalid
from stillframe.security.urls import Host
from stillframe.tab.context.options import parse_context_options

ORIGIN = "https://shop.test:8443"


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def written(folder: Path, pair: Pair) -> dict[str, Path]:
    """The parts of a pair as files."""
    paths = {name: folder / name for name in ("cert", "key", "pfx")}
    for name, path in paths.items():
        path.write_bytes(getattr(pair, name))
    return paths


@pytest.mark.parametrize(
    "form",
    [
        lambda pair, _: {"cert": pair.cert, "key": pair.key},
        lambda pair, _: {"cert": pair.cert.decode(), "key": pair.key.decode(), "passphrase": None},
        lambda pair, _: {"cert": pair.cert, "key": pair.key, "passphrase": "of no use"},
        lambda pair, _: {"cert": pair.cert, "key": pair.locked_key, "passphrase": PASSPHRASE},
        lambda pair, _: {"pfx": pair.pfx, "passphrase": PASSPHRASE},
        lambda _, paths: {"certPath": paths["cert"], "keyPath": str(paths["key"])},
        lambda _, paths: {"cert_path": paths["cert"], "key_path": paths["key"]},
        lambda _, paths: {"pfxPath": paths["pfx"], "passphrase": PASSPHRASE},
    ],
)
def test_every_form_becomes_the_same(
    authority: Authority, tmp_path: Path, form: Callable[[Pair, dict[str, Path]], dict[str, Any]]
) -> None:
    given = form(authority.client, written(tmp_path, authority.client))
    (read,) = read_certificates([{"origin": ORIGIN, **given}])
    assert read.endpoint == (Host("shop.test"), 8443)
    assert read._chain == authority.client.cert
    assert read._key.private_numbers() == authority.client.private.private_numbers()
    assert repr(read) == f"ClientCertificate({ORIGIN!r})"


def test_an_origin_is_a_host_and_a_port(authority: Authority) -> None:
    pair = {"cert": authority.client.cert, "key": authority.client.key}
    certificates = read_certificates([{"origin": "https://shop.test", **pair}])
    assert certificate_for(certificates, (Host("shop.test"), 443)) is certificates[0]
    assert certificate_of_url(certificates, "wss://SHOP.test:443/x") is certificates[0]
    for url in ("http://shop.test:443/", "https://shop.test:444/", "https://www.shop.test/", "about:blank"):
        assert certificate_of_url(certificates, url) is None


def test_a_value_that_was_read_stays(authority: Authority) -> None:
    """The options of a context are read again for the next one."""
    given = [{"origin": ORIGIN, "cert": authority.client.cert, "key": authority.client.key}]
    options = parse_context_options({"client_certificates": given})
    again = parse_context_options({"client_certificates": options.client_certificates})
    assert again.client_certificates == options.client_certificates
    assert parse_context_options({"client_certificates": None}).client_certificates == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda _: {"origin": "http://shop.test"}, "'http://shop.test' is not an origin with TLS"),
        (lambda _: {"origin": "https://shop.test/path"}, "without a path"),
        (lambda _: {"origin": None}, "None is not an origin"),
        (lambda _: {"cert": None}, "needs either cert and key, or pfx"),
        (lambda _: {"key": None}, "needs either cert and key, or pfx"),
        (lambda own: {"pfx": own.client.pfx}, "needs either cert and key, or pfx"),
        (lambda _: {"certPath": "a.pem"}, "has both cert and certPath"),
        (lambda _: {"cert": None, "certPath": "/nowhere/a.pem"}, "cannot read certPath '/nowhere/a.pem': No such file"),
        (lambda _: {"cert": None, "certPath": 5}, "cannot read certPath 5"),
        (lambda _: {"cert": b"nonsense"}, "cert holds no certificate in PEM"),
        (lambda own: {"cert": own.client.pfx}, "a .p12 or .pfx file is pfx"),
        (lambda _: {"key": b"nonsense"}, "key holds no private key in PEM"),
        (lambda _: {"key": ["nonsense"]}, "key is neither bytes nor text"),
        (lambda own: {"key": own.server.key}, "the key does not belong to the certificate"),
        (lambda own: {"key": own.client.locked_key}, "the key is encrypted; give its passphrase"),
        (lambda own: {"key": own.client.locked_key, "passphrase": "wrong"}, "the passphrase does not open the key"),
        (lambda _: {"passphrase": 5}, "the passphrase is not text"),
        (lambda own: {"cert": None, "key": None, "pfx": own.client.pfx}, "the passphrase does not open pfx"),
        (
            lambda own: {"cert": None, "key": None, "pfx": own.client.pfx, "passphrase": "wrong"},
            "the passphrase does not open pfx",
        ),
        (lambda _: {"cert": None, "key": None, "pfx": b"nonsense"}, "pfx is not a PKCS #12 file"),
        (lambda _: {"certpath": "a.pem"}, "unknown field of option client_certificates 'certpath'"),
    ],
)
def test_what_is_wrong_is_reported_at_once(
    authority: Authority, change: Callable[[Authority], dict[str, Any]], words: str
) -> None:
    given = {"origin": ORIGIN, "cert": authority.client.cert, "key": authority.client.key} | change(authority)
    with pytest.raises(OptionInvalid, match=re.escape(words)) as caught:
        parse_context_options({"client_certificates": [given]})
    assert caught.value.option == "client_certificates"
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


@pytest.mark.parametrize("given", [{"origin": ORIGIN}, "a.pem", 5, ["a.pem"]])
def test_it_is_a_list_of_mappings(given: Any) -> None:
    with pytest.raises(OptionInvalid, match="mapping"):
        parse_context_options({"client_certificates": given})


def test_an_origin_has_one(authority: Authority) -> None:
    pair = {"cert": authority.client.cert, "key": authority.client.key}
    with pytest.raises(OptionInvalid, match="has two certificates"):
        read_certificates([{"origin": "https://shop.test", **pair}, {"origin": "https://shop.test:443", **pair}])


def test_a_key_that_is_too_short_is_refused_when_it_is_given(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        error = ssl.SSLError(1, "[SSL: EE_KEY_TOO_SMALL] ee key too small")
        error.reason = "EE_KEY_TOO_SMALL"
        raise error

    monkeypatch.setattr(key_pairs, "load", refuse)
    with pytest.raises(OptionInvalid, match="TLS does not take this certificate: EE_KEY_TOO_SMALL"):
        read_certificates([{"origin": ORIGIN, "cert": authority.client.cert, "key": authority.client.key}])


def test_contexts_verify_unless_verification_is_off(authority: Authority) -> None:
    (read,) = read_certificates([{"origin": ORIGIN, "cert": authority.client.cert, "key": authority.client.key}])
    strict, lax = read.context(verify=True), read.context(verify=False, protocols=("h2",))
    assert (strict.verify_mode, strict.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert (lax.verify_mode, lax.check_hostname) == (ssl.CERT_NONE, False)
    assert read.context(verify=True) is strict


def test_no_file_of_a_key_stays(authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (read,) = read_certificates([{"origin": ORIGIN, "cert": authority.client.cert, "key": authority.client.key}])
    read.context(verify=True)
    assert os.listdir(tmp_path) == []


def test_a_directory_that_cannot_be_written_to_is_named(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with pytest.raises(OptionInvalid, match="set TMPDIR to another directory"):
        read_certificates([{"origin": ORIGIN, "cert": authority.client.cert, "key": authority.client.key}])
