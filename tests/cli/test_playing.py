"""`stillframe run` with a recording: its URL, its secrets, what is found again, and what fails."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from command_line import COMMAND, stillframe
from stillframe.demo import Shop

pytestmark = pytest.mark.browser

Connecting = tuple[str, str]


def login(shop: Shop, tmp_path: Path, button: str = "#submit", **more: object) -> Path:
    actions = [
        {"action": "set_value", "selector": "#user", "value": "ann"},
        {"action": "set_value", "selector": "#pass", "value": {"secretName": "password"}},
        {"action": "click_element", "selector": button},
    ]
    targets = [{}, {}, {"selectors": ['role=button[name="Log in"]'], "target": 'button "Log in"'}]
    value = {"url": shop.url("/login"), "actions": actions, "targets": targets, "expect": {"selector": "#welcome"}}
    file = tmp_path / "login.json"
    file.write_text(json.dumps(value | more))
    return file


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    file = tmp_path / "secrets.env"
    file.write_text("password=lantern\n")
    file.chmod(0o600)
    return file


async def test_it_begins_at_its_own_url_and_waits_for_what_it_expects(
    tmp_path: Path, secrets: Path, connecting: Connecting
) -> None:
    async with Shop() as shop:
        done = await stillframe("run", login(shop, tmp_path), "--secrets", secrets, *connecting)
    assert done.code == 0, done.err
    assert "wait_for" in done.out
    assert "lantern" not in done.out


async def test_secrets_that_nobody_gives_are_named(tmp_path: Path, connecting: Connecting) -> None:
    async with Shop() as shop:
        done = await stillframe("run", login(shop, tmp_path), *connecting)
    assert done.code == 2
    assert "the recording asks for password: give a file with lines NAME=text to --secrets" in done.err


async def test_a_terminal_is_asked_for_secrets(tmp_path: Path, connecting: Connecting) -> None:
    async with Shop() as shop:
        ours, theirs = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            *(*COMMAND, "run", str(login(shop, tmp_path)), "--json", *connecting),
            stdin=theirs,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        os.close(theirs)
        assert process.stderr is not None
        try:
            async with asyncio.timeout(60):
                asked = await process.stderr.readuntil(b"password: ")
                os.write(ours, b"lantern\n")
                out, err = await process.communicate()
        finally:
            os.close(ours)
    assert process.returncode == 0, err.decode()
    assert b"lantern" not in asked + out + err
    assert json.loads(out)["completed"] == 4


async def test_what_is_found_again_is_reported(tmp_path: Path, secrets: Path, connecting: Connecting) -> None:
    async with Shop() as shop:
        file = login(shop, tmp_path, "#log-in-now")
        given = ("--secrets", secrets, *connecting)
        plain = await stillframe("run", file, *given, "--action-timeout-ms", "200")
        healed = await stillframe("run", file, *given, "--heal", "--json")
    assert plain.code == 1
    assert "Element not found: #log-in-now" in plain.out
    assert healed.code == 0, healed.err


async def test_an_expectation_that_does_not_come_true_fails(
    tmp_path: Path, secrets: Path, connecting: Connecting
) -> None:
    async with Shop() as shop:
        file = login(shop, tmp_path, expect={"text": "Good bye"})
        given = ("--secrets", secrets, *connecting)
        done = await stillframe("run", file, *given, "--action-timeout-ms", "500", "--json")
    assert done.code == 1
    assert done.json["failed"]["action"] == "wait_for"
