"""The skill for coding agents: its text, and where agents look for it.

An installed file has the version and a digest of its text in its head. So a file that nobody has changed is renewed,
and one that somebody has changed stays.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

from stillframe import __version__
from stillframe.errors import InputError, OptionInvalid
from stillframe.model.suggest import unknown
from stillframe.scripts.script import write_whole

if TYPE_CHECKING:
    from pathlib import Path

NAME = "stillframe"
FILE = "SKILL.md"
DIGEST_BYTES = 8

Agent = Literal["claude", "agents", "codex", "copilot", "cursor", "gemini"]


class Folders(NamedTuple):
    """Where an agent looks for skills: below a project, and below the home directory."""

    project: str
    user: str


FOLDERS: dict[Agent, Folders] = {
    "claude": Folders(".claude/skills", ".claude/skills"),
    "agents": Folders(".agents/skills", ".agents/skills"),
    "codex": Folders(".codex/skills", ".codex/skills"),
    "copilot": Folders(".github/skills", ".copilot/skills"),
    "cursor": Folders(".cursor/skills", ".cursor/skills"),
    "gemini": Folders(".gemini/skills", ".gemini/skills"),
}
"""The folders of agents that read the format of https://agentskills.io; `agents` is the one that many of them share."""

ALL = "all"
DEFAULT: tuple[Agent, ...] = ("claude", "agents")
"""Of these two folders nearly every agent reads one (Claude Code, Copilot, Cursor, Codex, Gemini CLI, OpenCode)."""

State = Literal["installed", "renewed", "current", "changed"]


class Installed(NamedTuple):
    """A file of the skill, and what became of it."""

    path: Path
    state: State


def skill_text() -> str:
    """Return the skill as it is written."""
    return _packaged(FILE)


def llms_text() -> str:
    """Return the summary for models, `llms.txt`."""
    return _packaged("llms.txt")


def _packaged(name: str) -> str:
    return (files("stillframe.cli") / "skill" / name).read_text("utf-8")


def agents_of(names: Sequence[str]) -> list[Agent]:
    """Return the agents that some names stand for, `DEFAULT` for none; raises OptionInvalid for an unknown one."""
    for name in names:
        if name not in (*FOLDERS, ALL):
            raise OptionInvalid(unknown("agent", name, [*FOLDERS, ALL]), option="agent")
    chosen = names or DEFAULT
    return [each for each in FOLDERS if each in chosen or ALL in chosen]


def paths(agents: Iterable[Agent], root: Path, *, user: bool) -> list[Path]:
    """Return the files of the skill for some agents, below a project or the home directory."""
    folders = [FOLDERS[agent].user if user else FOLDERS[agent].project for agent in agents]
    return [root / folder / NAME / FILE for folder in dict.fromkeys(folders)]


def install(targets: Iterable[Path], *, force: bool = False) -> list[Installed]:
    """Write the skill to each of the files that does not have it; all or, if one was changed, none.

    Raises OptionInvalid, without `force`, for a file that somebody has changed, and InputError for one that cannot be
    written.
    """
    text = stamped(skill_text(), __version__)
    found = [Installed(path, _state(path, text)) for path in targets]
    for path, state in found:
        if state == "changed" and not force:
            raise OptionInvalid(
                f"{path} is not as stillframe wrote it, so nothing was written: move it away, or overwrite it with "
                "--force",
                option="force",
            )
    for path, state in found:
        if state != "current":
            _write(path, text)
    return [Installed(path, "renewed" if state == "changed" else state) for path, state in found]


def stamped(text: str, version: str) -> str:
    """Return the skill with a version and a digest of its text in its head."""
    whole = _with_metadata(text, f'  version: "{version}"\n')
    return whole.replace(f'  version: "{version}"\n', f'  version: "{version}"\n  digest: "{_digest(whole)}"\n', 1)


def _with_metadata(text: str, lines: str) -> str:
    head, mark, body = text.partition("\n---\n")
    assert mark, "a skill begins with a head between two lines of ---"
    return f"{head}\nmetadata:\n{lines}---\n{body}"


def is_unchanged(text: str) -> bool:
    """Return whether a file is as some version of stillframe wrote it."""
    found = re.search(r'^  digest: "([0-9a-f]+)"\n', text, re.MULTILINE)
    return found is not None and _digest(text[: found.start()] + text[found.end() :]) == found[1]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES).hexdigest()


def _state(path: Path, text: str) -> State:
    try:
        there = path.read_text("utf-8")
    except FileNotFoundError:
        return "installed"
    except UnicodeDecodeError:
        return "changed"
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None
    if there == text:
        return "current"
    return "renewed" if is_unchanged(there) else "changed"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
