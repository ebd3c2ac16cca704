"""`stillframe mcp` as a shell sees it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from stillframe.cli import main

MISSING = "import sys; sys.modules['mcp_types'] = None; from stillframe.cli import main; main(['mcp'])"


def command(*args: str, code: str = "from stillframe.cli import main; main()") -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *args], input="", capture_output=True, text=True, timeout=60)


def in_process(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[object, str, str]:
    """Return the exit status, the output and the errors of a command that starts nothing, without a process for it."""
    with pytest.raises(SystemExit) as ended:
        main(["mcp", *args])
    return ended.value.code, *capsys.readouterr()


@pytest.mark.heavy
def test_without_the_sdk_one_sentence_says_how_to_get_it() -> None:
    done = command(code=MISSING)
    assert done.returncode == 2
    assert done.stderr == "stillframe: the server needs the MCP SDK: pip install 'stillframe[mcp]'\n"


@pytest.mark.slow  # test_mcp_wire.py has this in mid-call
def test_the_end_of_the_input_is_the_end_of_the_server() -> None:
    done = command("mcp")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--allow-host", "http://x/"], "allowed_hosts"),
        (["--http", "--host", "0.0.0.0"], "only loopback"),
        (["--loops", "perhaps"], "perhaps"),
        (["--caps", "evaluate"], "--allow-evaluate"),
        (["--caps", "tabs,netwrok"], "did you mean 'network'"),
        (["--observe", "all"], "observe"),
        (["--budget", "1"], "budget"),
        (["--secrets", "/nowhere/secrets.env"], "secrets"),
        (["--http", "--token", "short"], "token"),
        (["--viewport", "wide"], "1280x800"),
        (["--dialogs", "perhaps"], "dialogs"),
        (["--locale", "??"], "language tag"),
        (["--storage-state", "/nowhere/state.json"], "state.json"),
        (["--save-storage-state", "/nowhere/state.json"], "there is no folder /nowhere"),
        (["--init-script", "/nowhere/script.js"], "cannot read /nowhere/script.js"),
        (["--viewport", "0x0"], "viewport"),
        (["--emulate", "Pixl 7"], "did you mean 'Pixel 7'"),
        (["--geolocation", "north"], "LATITUDE,LONGITUDE"),
        (["--geolocation", "91,0"], "latitude"),
        (["--header", "X-Team"], "NAME=VALUE"),
        (["--header", "X Team=shop"], "is not a valid header name"),
        (["--connect-header", "X-Team=shop"], "add --connect"),
        (["--profile", "p", "--connect", "http://127.0.0.1:9"], "--profile has no effect with --connect"),
        (["--profile", "p", "--webview", "com.example"], "--profile has no effect with --webview"),
        (["--http", "--save-storage-state", "state.json"], "add --shared"),
    ],
)
def test_wrong_options_are_named_before_anything_starts(
    args: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, errors = in_process(capsys, *args)
    assert (status, out) == (2, "")
    assert words in errors


@pytest.mark.heavy
def test_a_browser_that_does_not_answer_is_one_sentence() -> None:
    done = command("mcp", "--connect", "http://127.0.0.1:9")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith("stillframe: cannot connect to 'http://127.0.0.1:9'")
    assert done.stderr.count("\n") == 1


def test_a_file_of_secrets_that_others_can_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "secrets.env"
    file.write_text("PASS=canary-text\n")
    file.chmod(0o644)
    status, out, errors = in_process(capsys, "--secrets", str(file))
    assert status == 2
    assert "secrets" in errors
    assert "canary" not in out + errors
