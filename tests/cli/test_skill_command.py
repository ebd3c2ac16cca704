"""The skill for coding agents: every command in it runs as it stands, and installing it overwrites nobody's changes."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

from command_line import call
from documents import SKILL, Block, blocks
from stillframe.cli import skills
from stillframe.session_server.address import VARIABLE

HOME_FOLDERS = {folders.user for folders in skills.FOLDERS.values()}
LONGEST_SKILL = 5_000
"""Characters: an agent reads all of it before it does anything."""
LONGEST_DESCRIPTION = 1_024
"""The limit of the format."""

PATIENCE_S = 300
"""Seconds for all commands: each is a process of its own, and three launch a browser."""

COMMAND = """#!/bin/sh
exec "$PYTHON" -m stillframe "$@"
"""
PRELUDE = """set -euo pipefail
PATH="$PWD:$PATH"
trap 'kill $(jobs -p); stillframe session stop' EXIT
"""
UP = """
for attempt in $(seq 600); do (exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>&- && break; sleep 0.1; done
"""
"""The shop that a command starts in the background needs a moment; a person takes one, too."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def runnable(shell: list[Block], port: int) -> str:
    """Return the commands as a script against a shop at a port; each command is shown before its output."""
    serve = f"stillframe demo --serve --port {port} &\n{UP}"
    text = "\n".join(block.text for block in shell).replace("127.0.0.1:8000", f"127.0.0.1:{port}")
    text, count = re.subn(r"^stillframe demo --serve --port 8000 &.*$", lambda _: serve, text, flags=re.MULTILINE)
    return PRELUDE + ("" if count else serve) + text


@pytest.mark.browser
@pytest.mark.every_row
@pytest.mark.parametrize("name", [pytest.param("SKILL.md", marks=pytest.mark.slow), "llms.txt"])
async def test_every_command_runs(name: str, tmp_path: Path) -> None:
    """Each command is a process, so `make test` runs the shorter file; tests/docs/test_commands.py spells both."""
    shell = [block for block in blocks(SKILL / name) if block.language == "sh"]
    commands = sum(line.startswith("stillframe ") for block in shell for line in block.text.splitlines())
    assert commands >= 5
    port = free_port()
    (tmp_path / "stillframe").write_text(COMMAND)
    (tmp_path / "stillframe").chmod(0o755)
    with tempfile.TemporaryDirectory(prefix="sf") as folder:
        env = {**os.environ, "PYTHON": sys.executable, "PORT": str(port), VARIABLE: folder, "TMPDIR": folder}
        process = await asyncio.create_subprocess_exec(
            *("bash", "-c", runnable(shell, port)),
            cwd=tmp_path,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            async with asyncio.timeout(PATIENCE_S):
                out = (await process.communicate())[0].decode()
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()
    assert process.returncode == 0, out
    assert "Traceback" not in out
    if name == "SKILL.md":
        assert "Welcome back!" in out
        assert "✗" not in out
        assert '"stable":true' in out


def test_the_head_is_what_agents_read() -> None:
    text = skills.skill_text()
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["name"] == "stillframe"
    assert len(head["description"]) <= LONGEST_DESCRIPTION
    assert len(text) <= LONGEST_SKILL
    installed = yaml.safe_load(skills.stamped(text, "1.2.3").split("---\n")[1])
    assert {key: value for key, value in installed.items() if key != "metadata"} == head
    assert installed["metadata"]["version"] == "1.2.3"
    assert skills.stamped(text, "1.2.3").endswith(text.split("---\n", 2)[2])


def test_llms_txt_has_its_form() -> None:
    text = skills.llms_text()
    assert re.match(r"# stillframe\n\n> .+\n", text)
    pages = re.findall(r"\]\(https://github\.com/stillframe/stillframe/blob/main/([^)]+)\)", text)
    assert len(pages) > 5
    assert [page for page in pages if not (SKILL.parents[3] / page).is_file()] == []


def test_installing_is_repeatable_and_renews_what_nobody_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = call(capfd, "skill", "install")
    assert done.code == 0
    assert done.out.splitlines() == [
        "installed: .claude/skills/stillframe/SKILL.md",
        "installed: .agents/skills/stillframe/SKILL.md",
    ]
    claude, agents = (Path(line.partition(": ")[2]) for line in done.out.splitlines())
    assert call(capfd, "skill", "install").out.count("current: ") == 2
    claude.write_text(skills.stamped(skills.skill_text().replace("Check and try", "Try"), "0.0.1"))
    assert "renewed: .claude" in call(capfd, "skill", "install").out
    assert claude.read_text() == agents.read_text()
    assert [path.name for path in claude.parent.iterdir()] == ["SKILL.md"]


@pytest.mark.every_row
@pytest.mark.parametrize("change", ["appended", "own", "stamp removed", "binary"])
def test_a_file_that_somebody_changed_stays(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    call(capfd, "skill", "install", "--agent", "agents")
    file = tmp_path / ".agents/skills/stillframe/SKILL.md"
    text = file.read_text()
    changed = {
        "appended": text + "\nOur shop is at :3000.\n",
        "own": "# mine\n",
        "stamp removed": skills.skill_text() + "x",
        "binary": b"\xff\xfe",
    }[change]
    file.write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    done = call(capfd, "skill", "install")
    assert done.code == 2
    assert "is not as stillframe wrote it, so nothing was written" in done.err
    assert "--force" in done.err
    assert not (tmp_path / ".claude").exists()
    assert call(capfd, "skill", "install", "--force", "--json").json == {
        "skills": [
            {"path": ".claude/skills/stillframe/SKILL.md", "state": "installed"},
            {"path": ".agents/skills/stillframe/SKILL.md", "state": "renewed"},
        ]
    }
    assert file.read_text() == text


def test_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert call(capfd, "skill", "install", "--user", "--agent", "all").code == 0
    found = {str(path.parent.parent.relative_to(tmp_path / "home")) for path in (tmp_path / "home").rglob("SKILL.md")}
    assert found == HOME_FOLDERS
    project = tmp_path / "project"
    assert call(capfd, "skill", "install", "--directory", str(project), "--agent", "copilot").code == 0
    assert [str(path.relative_to(project)) for path in project.rglob("SKILL.md")] == [
        ".github/skills/stillframe/SKILL.md"
    ]
    assert call(capfd, "skill", "install", "--user", "--directory", str(project)).code == 2
    assert "did you mean 'claude'" in call(capfd, "skill", "install", "--agent", "claud").err
    shutil.rmtree(project)
    project.write_text("a file")
    assert "cannot" in call(capfd, "skill", "install", "--directory", str(project)).err


def test_it_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    assert call(capfd, "skill", "show").out == skills.skill_text()
    assert call(capfd, "skill", "show", "--llms").out == skills.llms_text()
