"""`stillframe record` and `stillframe convert`, as commands: a person acts, the file is written, and it plays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import stillframe as api
from command_line import COMMAND, stillframe
from stillframe import Click, Page, TypeText
from stillframe.demo import Shop
from stillframe.recorder.recording import load_recording

pytestmark = pytest.mark.browser


@asynccontextmanager
async def recording(*args: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, Page]]:
    """Run `stillframe record` without a window, and yield it with its page in the hands of another client."""
    process = await asyncio.create_subprocess_exec(
        *COMMAND, "record", *args, "--headless", "--port", "0", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(60):
            assert (await process.stdout.readline()).startswith(b"recording http://127.0.0.1:")
            endpoint = (await process.stdout.readline()).decode().removeprefix("DevTools: ").strip()
            async with api.connect(endpoint) as browser:
                (page,) = [page for page in browser.pages if page.url.startswith("http://127.0.0.1")]
                yield process, page
                await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def rest_of(process: asyncio.subprocess.Process) -> list[str]:
    assert process.stdout is not None
    return (await process.stdout.read()).decode().splitlines()


async def log_in(page: Page) -> None:
    for action in (TypeText("#user", "ann"), TypeText("#pass", "lantern"), Click("#submit")):
        (await page.execute_sequence([action])).raise_for_failure()


async def test_a_recording_that_is_interrupted_is_whole_and_plays(tmp_path: Path, connecting: tuple[str, str]) -> None:
    """By Ctrl-C; SIGTERM ends the recording of a drag below."""
    file, secrets = tmp_path / "login.json", tmp_path / "secrets.env"
    secrets.write_text("password=lantern\n")
    secrets.chmod(0o600)
    async with Shop() as shop:
        async with recording(shop.url("/login"), "-o", str(file)) as (process, page):
            await log_in(page)
            process.send_signal(signal.SIGINT)
            said = await rest_of(process)
        assert process.returncode == 0
        assert said[-1] == f"{file}: 3 actions"
        assert "lantern" not in "\n".join(said) + file.read_text()
        assert load_recording(file).expect == {"selector": 'role=heading[name="Welcome back!"]'}
        played = await stillframe("run", file, "--secrets", secrets, "--json", *connecting)
    assert played.code == 0, played.err
    assert played.json["stateChange"]["title"]["to"] == "Lamps · Wick & Co."


async def test_a_page_that_is_closed_ends_the_recording(tmp_path: Path) -> None:
    file = tmp_path / "login.json"
    async with Shop() as shop, recording(shop.url("/login"), "-o", str(file)) as (process, page):
        await page.click("#submit")
        await page.close()
        said = await rest_of(process)
    assert (process.returncode, said[-1]) == (0, f"{file}: 1 actions")


async def test_nothing_is_written_if_nothing_is_done(tmp_path: Path) -> None:
    file = tmp_path / "nothing.json"
    async with Shop() as shop, recording(shop.url("/login"), "-o", str(file)) as (process, page):
        await page.close()
        said = await rest_of(process)
    assert (process.returncode, said) == (1, ["nothing was recorded, and no file was written"])
    assert not file.exists()


async def test_a_place_that_cannot_be_written_ends_the_recording(tmp_path: Path) -> None:
    file = tmp_path / "gone" / "login.json"
    async with Shop() as shop, recording(shop.url("/login"), "-o", str(file)) as (process, page):
        await page.click("#submit")
        assert process.stderr is not None
        said = (await process.stderr.read()).decode()
    assert process.returncode == 2
    assert f"stillframe: cannot write {file}: No such file or directory" in said


@pytest.mark.chrome("a drag over the protocol is reported as one, and not as a click beside it")
async def test_what_a_user_flow_cannot_say_is_recorded_as_a_sequence(tmp_path: Path) -> None:
    file = tmp_path / "drag.json"
    async with (
        Shop() as shop,
        recording(shop.url("/login"), "-o", str(file), "--format", "devtools") as (process, page),
    ):
        await page.evaluate(
            "document.body.innerHTML = `<p id=a draggable=true>drag me</p>"
            "<p id=b ondragover='event.preventDefault()'>here</p>`"
        )
        await page.drag_to("#a", "#b")
        assert process.stdout is not None
        async for line in process.stdout:
            if b"  drag_to  " in line:
                break
        process.send_signal(signal.SIGTERM)
        said = await rest_of(process)
    assert process.returncode == 0
    assert said[-1] == f"{file.with_suffix('.sequence.json')}: 1 actions"
    assert load_recording(file.with_suffix(".sequence.json")).actions[0]["action"] == "drag_to"


@pytest.mark.chrome("the shell has no window, so it needs no display")
async def test_a_display_that_is_missing_is_named(tmp_path: Path) -> None:
    env = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    done = await stillframe("record", "http://127.0.0.1:9/", "-o", tmp_path / "x.json", env=env)
    assert done.code == 3
    assert "a browser with a window needs a display" in done.err


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "give the URL of a page to record, or --connect ENDPOINT for one that is open"),
        (("ftp://x/",), "ftp"),
        (("--connect", "http://127.0.0.1:9"), "127.0.0.1:9"),
    ],
)
async def test_a_wrong_command_line_is_explained(args: tuple[str, ...], words: str) -> None:
    done = await stillframe("record", *args)
    assert done.code in (2, 3)
    assert words in done.err
    assert "recording.json" not in os.listdir()


RECORDING = (
    """{"url": "http://127.0.0.1:8000/login", "actions": [{"action": "click_element", "selector": "#submit"}]}"""
)


async def test_a_recording_is_converted_there_and_back(tmp_path: Path) -> None:
    file, flow, again, script = (tmp_path / name for name in ("a.json", "flow.json", "b.json", "a.py"))
    file.write_text(RECORDING)
    assert (await stillframe("convert", file, "-o", flow, "--format", "devtools")).out == f"{flow}\n"
    assert (await stillframe("convert", flow, "-o", again)).code == 0
    assert [action["selector"] for action in load_recording(again).actions] == ["#submit"]
    assert (await stillframe("convert", file, "-o", script, "--format", "python")).code == 0
    compile(script.read_text(), str(script), "exec")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('[{"action": "click_element", "selector": "#a"}]', 'does not say where it begins: add "url"'),
        ('{"url": "http://a/", "actions": []}', "actions"),
        ('{"version": 2, "url": "http://a/", "actions": []}', "2 is not 1"),
        ('{"title": "t", "steps": [{"type": "customStep", "name": "x"}]}', "step"),
        ("no", "is not JSON"),
    ],
)
async def test_a_file_that_is_not_a_recording_is_explained(tmp_path: Path, content: str, words: str) -> None:
    file = tmp_path / "file.json"
    file.write_text(content)
    done = await stillframe("convert", file, "-o", tmp_path / "out.json")
    assert done.code == 2
    assert words in done.err
    assert os.listdir(tmp_path) == ["file.json"]
