"""`stillframe skill`: show the skill for coding agents, or write it where they look for skills."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from stillframe.cli.options import Json
from stillframe.cli.output import ExitCode, print_json
from stillframe.errors import OptionInvalid

skill = typer.Typer(help="The skill that teaches coding agents to use stillframe.", no_args_is_help=True)


@skill.command()
def install(
    agent: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Whose folder: claude, agents (shared by many), codex, …, or all. Repeatable."
        ),
    ] = None,
    user: Annotated[bool, typer.Option("--user", help="In the home directory, for all projects.")] = False,
    directory: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The project; by default the working directory.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that somebody has changed.")] = False,
    as_json: Json = False,
) -> ExitCode:
    """Write SKILL.md where coding agents look for skills: .claude/skills/stillframe and .agents/skills/stillframe."""
    from stillframe.cli import skills

    if user and directory is not None:
        raise OptionInvalid("--user and --directory name two places: give one of them", option="directory")
    root = Path.home() if user else directory or Path()
    written = skills.install(skills.paths(skills.agents_of(agent or ()), root, user=user), force=force)
    if as_json:
        print_json({"skills": [{"path": str(path), "state": state} for path, state in written]})
        return ExitCode.OK
    for path, state in written:
        print(f"{state}: {path}")  # noqa: T201  it goes into pipes as well
    return ExitCode.OK


@skill.command()
def show(
    llms: Annotated[bool, typer.Option("--llms", help="llms.txt instead: a shorter text for any model.")] = False,
) -> ExitCode:
    """Print the skill."""
    from stillframe.cli import skills

    print(skills.llms_text() if llms else skills.skill_text(), end="")  # noqa: T201  the text as it is
    return ExitCode.OK
