"""A recording as a runnable Python script, laid out as `ruff format` does it.

All texts of pages appear as Python literals or behind a `#` on one line, so none of them can become code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from stillframe.model.action_list import secret_names
from stillframe.model.options import SequenceOptions
from stillframe.model.validation import python_names
from stillframe.recorder.recording import RecordedViewport, Recording
from stillframe.scripts.python_form import arguments, docstring_line, import_lines, literal, one_line, variable_name

if TYPE_CHECKING:
    from stillframe.model.actions import Action

LINE = 88
"""Characters of a line: the default of `ruff format`."""

SCRIPT = '''\
"""{title}

Run it with the URL to begin at: python FILE [URL]{needs}
"""

import asyncio
import os
import sys

import stillframe
{imports}
URL = {url}
SECRETS = {secrets}
{answers}

async def play(page, url):
{start}
    result = await page.execute_sequence(
        [
{actions}
        ],
{options}    )
    result.raise_for_failure()


async def main():
    url = sys.argv[1] if len(sys.argv) > 1 else URL
    secrets = {{name: os.environ[variable] for name, variable in SECRETS}}
    async with (
        stillframe.launch(secrets=secrets{dialogs}) as browser,
        await browser.new_page() as page,
    ):
        await play(page, url)


if __name__ == "__main__":
    asyncio.run(main())
'''


ANSWERS = """ANSWERS = {}
REPLIES = iter(ANSWERS)


def answer(_dialog):
    return next(REPLIES, False)
"""


def to_python(recording: Recording) -> str:
    """Return a recording as a script. It takes the URL as its argument, and secrets from environment variables.

    What the recording expects at the end is the last action, so that a page that does not show it is a failure.
    """
    plan = [(step.parsed(), step.target) for step in recording.plan]
    actions = [action for action, _ in plan]
    names = sorted(secret_names(actions))
    variables = [(name, variable_name(name)) for name in names]
    needs = ", ".join(variable for _, variable in variables)
    return SCRIPT.format(
        title=docstring_line(recording.title) or "A recording.",
        needs=f"\nSet the environment variables {needs}." if needs else "",
        imports=_imports(import_lines(actions)),
        url=_value("URL = ", literal(recording.url)),
        secrets=_tuple("SECRETS = ", variables),
        answers=ANSWERS.format(_tuple("ANSWERS = ", recording.dialogs)) if recording.dialogs else "",
        dialogs=", dialogs=answer" if recording.dialogs else "",
        start=_start(recording.viewport),
        actions="\n".join(line for action, words in plan for line in _action(action, words)),
        options="".join(f"        {name}={literal(value)},\n" for name, value in _options(recording)),
    )


def _start(viewport: RecordedViewport | None) -> str:
    given = {} if viewport is None else viewport.to_dict()
    names = python_names(RecordedViewport)
    size = [f"{names[name]}={literal(value)}" for name, value in given.items()]
    sized = _call("await page.set_viewport", size, 4) if size else []
    return "\n".join([*sized, "    await page.goto(url, settle=True)"])


def _action(action: Action, words: str) -> Iterator[str]:
    if words:
        yield f"            # {one_line(words)}"
    *lines, last = _call(type(action).__name__, arguments(action), 12, after=",")
    yield from (*lines, f"{last},")


def _options(recording: Recording) -> Iterator[tuple[str, Any]]:
    names = python_names(SequenceOptions)
    yield from ((names.get(name, name), value) for name, value in recording.options.items())


# -- layout --------------------------------------------------------------------------------------


def _call(name: str, given: Sequence[str], indent: int, after: str = "") -> list[str]:
    """Return the lines of a call: one if it fits with what comes after it, else its arguments on lines of their own."""
    around, inner = " " * indent, " " * (indent + 4)
    joined = ", ".join(given)
    if len(f"{around}{name}({joined}){after}") <= LINE:
        return [f"{around}{name}({joined})"]
    fits = len(inner + joined) <= LINE
    return [f"{around}{name}(", *([inner + joined] if fits else [f"{inner}{each}," for each in given]), f"{around})"]


def _imports(lines: str) -> str:
    return "".join(map(_import, lines.splitlines()))


def _import(line: str) -> str:
    if len(line) <= LINE:
        return f"{line}\n"
    home, _, names = line.partition(" import ")
    return f"{home} import (\n" + "".join(f"    {name},\n" for name in names.split(", ")) + ")\n"


def _value(name: str, value: str) -> str:
    """Return a value in parentheses if only that makes it fit on a line."""
    fits = len(name + value) <= LINE or len(f"    {value}") > LINE
    return value if fits else f"(\n    {value}\n)"


def _tuple(before: str, items: Sequence[Any], after: str = "", indent: int = 0) -> str:
    """Return a tuple on one line if it fits with what comes before and after it, else with one item per line."""
    flat = literal(tuple(items))
    if indent + len(before + flat + after) <= LINE:
        return flat
    inner = " " * (indent + 4)
    lines = (
        f"{inner}{_tuple('', item, ',', indent + 4) if isinstance(item, tuple) else literal(item)},\n" for item in items
    )
    return f"(\n{''.join(lines)}{' ' * indent})"
