"""What a cassette holds in the place of secrets, of random keys and of texts with a name."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import msgspec
import pytest
from PIL import Image

from stillframe.errors import OptionInvalid
from stillframe.security.redaction import Redaction, base64_forms
from stillframe.security.secret_store import Secrets
from stillframe.settling import hooks
from stillframe.tab import channel
from stillframe.testing.cassette_file import CassetteEntry
from stillframe.testing.cassette_placeholders import Placeholders, hidden_late


class Known:
    """A context with secrets."""

    def __init__(self, **secrets: str) -> None:
        self.secrets = Secrets(secrets)
        self.redaction = Redaction(self.secrets.redaction)

    def __call__(self) -> list[tuple[Secrets, Redaction]]:
        return [(self.secrets, self.redaction)]


def placeholders(known: Known | None = None, **aliases: str) -> Placeholders:
    return Placeholders(aliases, known or Known())


def sent(method: str = "Runtime.evaluate", **params: Any) -> bytes:
    return msgspec.json.encode({"id": 1, "method": method, "params": params})


def params_of(frame: bytes) -> dict[str, Any]:
    return dict(msgspec.json.decode(frame)["params"])


def test_a_frame_without_any_of_it_is_left_as_it_is() -> None:
    frame = b'{"id":1, "method":"Page.enable","params":{"x":1.50}}'
    assert placeholders().hide(frame) == frame
    assert placeholders().show(frame) == frame


def test_the_keys_of_this_process_are_hidden_and_shown() -> None:
    frame = sent(expression=f"f('{channel.KEY}', '{hooks.KEY}')")
    hidden = placeholders().hide(frame)
    assert channel.KEY.encode() not in hidden
    assert hooks.KEY.encode() not in hidden
    assert placeholders().show(hidden) == frame


def test_an_alias_stands_for_another_text_in_a_replay() -> None:
    hidden = placeholders(site="127.0.0.1:8000", path="127.0.0.1:8000/a").hide(sent(url="http://127.0.0.1:8000/a"))
    assert params_of(hidden) == {"url": "http://{{stillframe:alias:path}}"}
    assert params_of(placeholders(path='quo"te').show(hidden)) == {"url": 'http://quo"te'}


@pytest.mark.parametrize("aliases", [{"site": ""}, {"": "127.0.0.1"}])
def test_an_empty_alias_is_refused(aliases: dict[str, str]) -> None:
    with pytest.raises(OptionInvalid, match="neither may be empty"):
        Placeholders(aliases, Known())


def test_a_declared_secret_is_nowhere_in_any_form_and_the_replay_has_its_own() -> None:
    secret = 'can"ary & 7'
    frame = sent(value=secret, url="/?q=can%22ary%20%26%207", echo="can&quot;ary &amp; 7", part='can"ar')
    hidden = placeholders(Known(login=secret)).hide(frame)
    assert b"can" not in hidden
    shown = params_of(placeholders(Known(login="dummy-1")).show(hidden))
    assert shown["value"] == "dummy-1"
    assert params_of(placeholders(Known(login=secret)).show(hidden)) == params_of(frame)


def test_a_text_for_a_password_field_is_hidden_from_then_on() -> None:
    known = Known()
    hiding = placeholders(known)
    assert b"lantern" in hiding.hide(sent(value="lantern"))
    known.redaction.add_typed("lantern")
    assert params_of(hiding.hide(sent(value="lantern", echo="lant"))) == {
        "value": "{{stillframe:typed:1}}",
        "echo": "{{stillframe:typed:1:to4}}",
    }
    assert dict(hiding.secrets) == {"lantern": "typed:1"}


def test_what_is_written_before_a_secret_is_known_is_hidden_from_its_first_command_on() -> None:
    entries = [
        CassetteEntry(1, recv=msgspec.Raw(b'{"method":"DOM.x","params":{"text":"buy a lantern"}}')),
        CassetteEntry(2, send=msgspec.Raw(sent(value="lantern"))),
        CassetteEntry(3, recv=msgspec.Raw(b'{"id":1,"result":{"value":"lantern"}}')),
        CassetteEntry(4, timer=4.0),
    ]
    late = list(hidden_late(entries, {"lantern": "typed:1"}))
    assert bytes(late[0].recv) == bytes(entries[0].recv), "the replay does not know it yet"
    assert params_of(bytes(late[1].send)) == {"value": "{{stillframe:typed:1}}"}
    assert b"lantern" not in bytes(late[2].recv)
    assert late[3] == entries[3]


def test_a_replay_learns_a_secret_from_its_own_command() -> None:
    hiding = placeholders()
    hiding.bind({"typed:1": "sunlight", "script": "x" * 10})
    assert hiding.show(b'"{{stillframe:typed:1}} {{stillframe:typed:1:to4}}"') == b'"sunlight sunl"'
    assert params_of(hiding.hide(sent(value="sunlight")))["value"] == "{{stillframe:typed:1}}"


def test_a_secret_that_is_a_word_of_a_placeholder_spoils_none() -> None:
    hiding = placeholders(Known(one="stillframe", two="secret"))
    hidden = hiding.hide(sent(value="stillframe secret"))
    assert hiding.hide(hidden) == hidden
    assert params_of(hiding.show(hidden)) == {"value": "stillframe secret"}


def test_the_protocol_s_own_words_and_numbers_are_not_secrets() -> None:
    hiding = placeholders(Known(a="params", b="1234", c="Runtime.evaluate"))
    frame = msgspec.json.encode({"id": 1234, "method": "Runtime.evaluate", "params": {"contextId": 1234}})
    assert msgspec.json.decode(hiding.hide(frame)) == msgspec.json.decode(frame)


def test_single_keys_do_not_spell_a_secret() -> None:
    key = {"type": "keyDown", "text": "h", "key": "h", "code": "KeyH", "windowsVirtualKeyCode": 72, "modifiers": 0}
    assert params_of(placeholders().hide(sent("Input.dispatchKeyEvent", **key))) == key
    hidden = params_of(placeholders(Known(a="hunter2")).hide(sent("Input.dispatchKeyEvent", **key)))
    assert hidden == dict.fromkeys(key, "••••") | {"type": "keyDown", "modifiers": 0}
    enter = {"type": "keyDown", "key": "Enter", "code": "Enter"}
    assert params_of(placeholders(Known(a="hunter2")).hide(sent("Input.dispatchKeyEvent", **enter))) == enter


def test_credentials_in_headers_and_in_answers_to_challenges_are_redacted() -> None:
    event = sent("Network.x", request={"headers": {"Cookie": "sid=canary", "Accept": "text/html"}})
    assert params_of(placeholders().hide(event)) == {"request": {"headers": {"Cookie": "••••", "Accept": "text/html"}}}
    answer = sent("Fetch.continueWithAuth", authChallengeResponse={"username": "ann", "password": "canary"})
    assert b"canary" not in placeholders().hide(answer)


def test_what_a_page_posts_is_left_out_in_each_of_its_forms() -> None:
    request = {"url": "http://x/", "postData": "user=ann&password=canary", "hasPostData": True}
    posted = {**request, "postDataEntries": [{"bytes": base64.b64encode(b"user=ann&password=canary").decode()}]}
    hidden = placeholders().hide(sent("Network.requestWillBeSent", request=posted))
    assert params_of(hidden) == {"request": {**request, "postData": "••••"}}
    answer = msgspec.json.encode({"id": 1, "result": {"postData": "user=ann&password=canary"}})
    assert msgspec.json.decode(placeholders().hide(answer))["result"] == {"postData": "••••"}


def test_base64_of_a_secret_is_redacted_wherever_it_stands() -> None:
    encoded = base64.b64encode(b"user=ann&password=lantern-7341").decode()
    hidden = placeholders(Known(pw="lantern-7341")).hide(sent("Network.x", token=encoded))
    assert not any(form.encode() in hidden for form in base64_forms("lantern-7341"))


@pytest.mark.parametrize("format", ["PNG", "JPEG", "WEBP"])
def test_a_picture_that_may_show_a_secret_is_left_out(format: str) -> None:
    buffer = BytesIO()
    Image.new("RGB", (40, 20), "red").save(buffer, format)
    picture = base64.b64encode(buffer.getvalue()).decode()
    answer = msgspec.json.encode({"id": 1, "result": {"data": picture}})
    assert placeholders().hide(answer) == answer
    blank = msgspec.json.decode(placeholders(Known(pw="lantern-7341")).hide(answer))["result"]["data"]
    assert Image.open(BytesIO(base64.b64decode(blank))).size == (1, 1)


def test_a_long_script_for_documents_is_left_out() -> None:
    hidden = placeholders().hide(sent("Page.addScriptToEvaluateOnNewDocument", source="x" * 20_000, worldName="w"))
    assert params_of(hidden) == {"source": "{{stillframe:script}}", "worldName": "w"}
