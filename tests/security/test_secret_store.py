"""Declared secrets: where they come from, what refuses them, and that nothing shows them."""

from __future__ import annotations

import logging
import weakref
from pathlib import Path
from typing import Any

import pytest

from stillframe.core import Redactor, secret_forms
from stillframe.errors import ActionInvalid, NavigationFailed, OptionInvalid, SecretRefused, SecretUnknown
from stillframe.model.action_list import parse_actions, secrets_of, texts_of
from stillframe.model.actions import SetValue
from stillframe.model.secret import REDACTED, Secret, SecretName
from stillframe.security.redaction import Redaction, logger
from stillframe.security.secret_store import Secrets

CANARY = "c4n4ry-under-ground"


def test_a_store_shows_names_alone() -> None:
    secrets = Secrets({"pin": CANARY})
    secrets.add("other", CANARY + "2", hosts=["*.example.org"])
    for shown in (repr(secrets), str(secrets), repr(secrets.find("pin")), str(secrets.find("other"))):
        assert "c4n4ry" not in shown
    assert list(secrets) == ["pin", "other"]
    assert "pin" in secrets
    assert len(secrets) == 2


def test_an_action_names_a_secret_in_python_and_in_json() -> None:
    in_python, in_json = parse_actions(
        [
            SetValue("#a", SecretName("pin")),
            {"action": "set_value", "selector": "#a", "value": {"secretName": "pin"}},
        ]
    )
    assert in_python == in_json
    assert texts_of(secrets_of(in_python)) == ()
    assert repr(in_python).count("SecretName('pin')") == 1


@pytest.mark.parametrize("value", [{"secretName": "a", "secret": "b"}, {}, {"secretname": "a"}, {"secretName": 3}])
def test_a_malformed_name_is_refused(value: Any) -> None:
    with pytest.raises(ActionInvalid, match="text"):
        parse_actions([{"action": "type_text", "text": value}])


def test_an_unknown_name_has_its_nearest() -> None:
    with pytest.raises(SecretUnknown, match="did you mean 'shop-password'") as caught:
        Secrets({"shop-password": CANARY}).find("shop-pasword")
    assert caught.value.name == "shop-pasword"


@pytest.mark.parametrize("value", ["", "abc", "  a  ", 5, None])
def test_a_text_too_short_to_mask_is_not_a_secret(value: Any) -> None:
    with pytest.raises(OptionInvalid):
        Secrets({"pin": value})


@pytest.mark.parametrize("hosts", ["example.org", ["https://x/"], [3], 5])
def test_hosts_that_are_none_are_refused(hosts: Any) -> None:
    with pytest.raises(OptionInvalid, match="hosts"):
        Secrets().add("pin", CANARY, hosts)


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://shop.example/login", True),
        ("https://SHOP.example./login", True),
        ("https://pay.shop.example:8443/", True),
        ("https://shop.example.evil.test/", False),
        ("https://shop.example@evil.test/", False),
        ("https://evil.test/?shop.example", False),
        ("about:srcdoc", False),
        ("data:text/html,shop.example", False),
        ("", False),
    ],
)
def test_a_secret_goes_to_its_hosts_only(url: str, allowed: bool) -> None:
    secrets = Secrets()
    secrets.add("pin", CANARY, hosts=["shop.example", "*.shop.example"])
    if allowed:
        secrets.find("pin").check_url(url)
        return
    with pytest.raises(SecretRefused) as caught:
        secrets.find("pin").check_url(url)
    assert caught.value.name == "pin"
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (".env", f'# mine\n\nexport PIN={CANARY}\nB=\'two words\'\nC="a\\nb\\"c" # x\nD = bare text # not this\n'),
        ("s.json", f'{{"PIN": "{CANARY}", "B": {{"value": "two words", "hosts": ["a.test"]}}}}'),
    ],
)
def test_a_store_is_read_from_a_private_file(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    path.chmod(0o600)
    secrets = Secrets.load(path)
    assert secrets.find("PIN").value == CANARY
    assert secrets.find("B").value == "two words"
    if name == ".env":
        assert secrets.find("C").value == 'a\nb"c'
        assert secrets.find("D").value == "bare text"
    else:
        assert secrets.find("B").hosts == ("a.test",)


DOTENV = {
    "PIN=pass#word": "pass#word",
    "PIN=pass word # a comment": "pass word",
    "PIN='it\\'s # text'": "it's # text",
    'PIN="two\nlines"': "two\nlines",
    'PIN="a\\tb\\qc"': "a\tb\\qc",
    "PIN=a$HOME-${HOME}": "a$HOME-${HOME}",
    "'PIN'=quoted": "quoted",
    "\ufeffPIN=with-a-mark": "with-a-mark",
    "\r\n\r\nexport PIN=windows\r\n": "windows",
    "PIN=first\nPIN=second": "second",
}
"""Files and what python-dotenv reads in them: the text that users know from everywhere else."""


@pytest.mark.parametrize(("content", "value"), DOTENV.items())
def test_a_dotenv_file_says_what_it_says_elsewhere(tmp_path: Path, content: str, value: str) -> None:
    path = tmp_path / ".env"
    path.write_bytes(content.encode())
    path.chmod(0o600)
    assert Secrets.load(path).find("PIN").value == value


@pytest.mark.parametrize("line", ["no equals sign", "PIN='never ends", "PIN='a' b", "PIN", "=value"])
def test_a_line_of_a_dotenv_file_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / ".env"
    path.write_text(f"# a comment\nA={CANARY}\n\n{line}\n")
    path.chmod(0o600)
    with pytest.raises(OptionInvalid, match=rf"line 4 of {path} is not NAME=text") as caught:
        Secrets.load(path)
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "mode"),
    [
        (".env", f"PIN={CANARY}", 0o644),
        (".env", f"PIN={CANARY}", 0o620),
        (".env", f"{CANARY} without a name", 0o600),
        ("s.json", f'["{CANARY}"]', 0o600),
        ("s.json", f'{{"PIN": {{"value": "{CANARY}", "host": []}}}}', 0o600),
        ("s.json", '{"PIN": "\\ud800"}', 0o600),
    ],
)
def test_a_file_that_is_not_a_store_is_refused_and_not_quoted(
    tmp_path: Path, name: str, content: str, mode: int
) -> None:
    path = tmp_path / name
    path.write_text(content)
    path.chmod(mode)
    with pytest.raises(OptionInvalid) as caught:
        Secrets.load(path)
    assert CANARY not in str(caught.value)
    assert caught.value.option == "secrets"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(OptionInvalid, match=r"nothing\.env"):
        Secrets.load(tmp_path / "nothing.env")


def test_masks_take_in_what_is_declared_later() -> None:
    secrets = Secrets()
    redaction = Redaction(secrets.redaction)
    assert redaction.redact(CANARY) == CANARY
    secrets.add("pin", CANARY)
    assert redaction.redact(f"x{CANARY}y") == f"x{REDACTED}y"
    redaction.add_typed("typed-here")
    assert redaction.redact("typed-here") == REDACTED
    assert secrets.redaction.redact("typed-here") == "typed-here"
    secrets.add("pin", "an-other-text")
    assert redaction.redact(f"{CANARY} an-other-text") == f"{REDACTED} {REDACTED}"


def test_the_forms_hold_json_and_lines() -> None:
    assert {'a"b\\c', 'a\\"b\\\\c'} <= set(secret_forms('a"b\\c'))
    assert {"first line", "second"} <= set(secret_forms("first line\nsecond"))
    assert "a%c3%bc%20b" in secret_forms("aü b")


def test_an_error_is_redacted_with_all_it_carries() -> None:
    redaction = Redaction()
    redaction.add(CANARY)
    error = NavigationFailed(f"outer {CANARY}", url=f"http://x/?{CANARY}", reason="no")
    error.__cause__ = ValueError(f"inner {CANARY}")
    redaction.redact_error(error)
    assert CANARY not in f"{error!r} {error} {error.url} {error.__cause__!r}"
    assert error.url == f"http://x/?{REDACTED}"


def test_a_discarded_secret_is_unknown_and_stays_redacted() -> None:
    secrets = Secrets({"pin": CANARY})
    secrets.discard("pin")
    secrets.discard("pin")
    assert "pin" not in secrets
    with pytest.raises(SecretUnknown):
        secrets.find("pin")
    assert secrets.redaction.redact(CANARY) == REDACTED


def test_a_text_is_redacted_when_no_secret_lives_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Redaction, "_instances", weakref.WeakSet())
    monkeypatch.setattr(Redaction, "_combined", ({0: 1}, Redactor(["gone"])))
    assert Redaction.redact_everywhere("gone with the store") == "gone with the store"


def test_our_loggers_show_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    secrets = Secrets({"pin": CANARY})
    log = logger("stillframe.test.deep")
    with caplog.at_level(logging.DEBUG):
        log.info("typed %s", CANARY)
        log.warning("value %r", Secret(CANARY).reveal())
        try:
            raise ValueError(CANARY)
        except ValueError:
            log.exception("failed")
    assert caplog.text.count(REDACTED) >= 3
    assert CANARY not in caplog.text
    assert len(secrets) == 1


def test_every_logger_of_ours_is_one_that_masks() -> None:
    import stillframe

    root = Path(stillframe.__file__).parent
    plain = [path.name for path in root.rglob("*.py") if "logging.getLogger(" in path.read_text()]
    assert sorted(plain) == ["doctor.py", "redaction.py"]  # the first only sets a level
