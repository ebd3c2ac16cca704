"""A script as a runnable Python program: one comment and one sequence per step.

All texts of pages and models appear as Python literals or behind a `#` on one line, so none of them can become code.
"""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from stillframe.model.action_list import secret_names
from stillframe.model.actions import KINDS, Action, Offset, Position
from stillframe.model.bounds import short
from stillframe.model.secret import Secret
from stillframe.scripts.script import Script, ScriptAction, ScriptStep

VERIFYING = ("verify", "check", "confirm", "ensure", "validate")
"""The words in a step's goal that ask for an assertion."""
MAX_COMMENT_CHARS = 100
KIND_NAMES = frozenset(kind.__name__ for kind in KINDS.values()) | {
    "Offset",
    "Position",
    "SECRETS",
    "SecretName",
    "URL",
}

RESERVED = frozenset({*keyword.kwlist, *dir(builtins), "asyncio", "main", "os", "page", "stillframe", "sys", "url"})
"""Names that a function of the program must not have."""

HEAD = '''\
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


async def {name}(page, url):
    await page.goto(url, settle=True)
{steps}


async def main():
    url = sys.argv[1] if len(sys.argv) > 1 else URL
    secrets = {{name: os.environ[variable] for name, variable in SECRETS}}
    async with stillframe.launch(secrets=secrets) as browser, await browser.new_page() as page:
        await {name}(page, url)


if __name__ == "__main__":
    asyncio.run(main())
'''


def python_form(script: Script) -> str:
    """Return a script as a Python program. It takes the URL as its argument, and secrets from environment variables."""
    running = [action.parsed() for step in script.steps if step.runs for action in step.actions]
    names = sorted(secret_names(running))
    variables = [(name, variable_name(name)) for name in names]
    needs = ", ".join(variable for _, variable in variables)
    return HEAD.format(
        title=docstring_line(script.goal) or "A script.",
        name=f"{script.name}Script" if script.name in RESERVED or script.name in KIND_NAMES else script.name,
        needs=f"\nSet the environment variables {needs}." if needs else "",
        imports=import_lines(running, {"WaitFor"} if any(map(_is_asserted, script.steps)) else set()),
        url=literal(script.url),
        secrets=literal(variables),
        steps="\n".join(line for step in script.steps for line in _step(step)),
    )


def literal(value: object) -> str:
    """Return a text, a number, or a list or tuple of such as a Python literal; nothing in a text is invisible.

    >>> print(literal('a "quoted" text'), literal("an apostrophe's"))
    'a "quoted" text' "an apostrophe's"
    """
    if isinstance(value, str):
        quote = "'" if value.count('"') > value.count("'") else '"'
        escapes = {quote: f"\\{quote}", "\\": r"\\"}
        return f"{quote}{''.join(escapes.get(char) or _visible(char) for char in value)}{quote}"
    if isinstance(value, tuple | list):
        inner = ", ".join(map(literal, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value)


def import_lines(actions: Sequence[Action], more: Iterable[str] = ()) -> str:
    """Return the imports of the constructors of actions and of the other public names that a program uses."""
    kinds = {type(action).__name__ for action in actions}.union(more)
    kinds |= {"SecretName"} if secret_names(actions) else set()
    values = {type(value).__name__ for action in actions for value in msgspec.structs.astuple(action)}
    points = sorted(values & {"Offset", "Position"})
    lines = [f"from stillframe import {', '.join(sorted(kinds))}"] if kinds else []
    lines += [f"from stillframe.model.actions import {', '.join(points)}"] if points else []
    return "".join(f"{line}\n" for line in lines)


def variable_name(name: str) -> str:
    """Return the environment variable that holds a secret."""
    return "".join(char if char.isascii() and char.isalnum() else "_" for char in name).upper()


def _visible(char: str) -> str:
    return char if char.isprintable() else repr(char)[1:-1]


def docstring_line(text: str) -> str:
    """Return a text as one line that can stand between triple quotes."""
    return one_line(text).replace("\\", "\\\\").replace('"', "'")


def one_line(text: str, most: int = MAX_COMMENT_CHARS) -> str:
    """Return a text as one line, which can follow a `#`."""
    return short("".join(map(_visible, " ".join(text.split()))), most)


def _step(step: ScriptStep) -> Iterator[str]:
    yield ""
    yield f"    # {one_line(step.goal)}"
    if not step.runs:
        yield f"    # {step.status}{': ' + one_line(step.error) if step.error else ''}"
        yield from (f"    # {one_line(constructed(action.parsed()), most=10_000)}" for action in step.actions)
        return
    if step.actions:
        yield "    result = await page.execute_sequence("
        yield "        ["
        yield from (f"            {line}" for action in step.actions for line in _lines(action))
        yield "        ]"
        yield "    )"
        yield "    result.raise_for_failure()"
    if (expect := step.expect()) is not None and _is_asserted(step):
        given = {name: value for name, value in msgspec.structs.asdict(expect).items() if value is not None}
        yield f"    checked = await page.execute_sequence([WaitFor({', '.join(_keywords(given))})])"
        yield f"    assert checked.failed is None, {literal(short(step.goal, MAX_COMMENT_CHARS))}"


def _is_asserted(step: ScriptStep) -> bool:
    return step.runs and step.check is not None and asks_for_assertion(step.goal)


def asks_for_assertion(goal: str) -> bool:
    """Return whether the goal of a step says that something is to be verified.

    >>> asks_for_assertion("Verify that the cart shows 2"), asks_for_assertion("Open the checkout")
    (True, False)
    """
    words = "".join(letter if letter.isalpha() else " " for letter in goal.casefold()).split()
    return any(word in (verb, f"{verb}s") for word in words for verb in VERIFYING)


def _lines(action: ScriptAction) -> Iterator[str]:
    if action.target:
        yield f"# {one_line(action.target)}"
    yield f"{constructed(action.parsed())},"


def constructed(action: Action) -> str:
    """Return the call of the constructor that makes an action."""
    return f"{type(action).__name__}({', '.join(arguments(action))})"


def arguments(action: Action) -> list[str]:
    """Return the arguments of the constructor that makes an action."""
    fields = msgspec.structs.fields(action)
    given = {field.name: getattr(action, field.name) for field in fields}
    said = {field.name: given[field.name] for field in fields if given[field.name] != field.default}
    operand = "key" if type(action).__name__ == "PressKey" and "selector" not in said else "selector"
    first = [_argument(said.pop(operand))] if operand in said else []
    return [*first, *_keywords(said)]


def _keywords(said: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_argument(value)}" for name, value in said.items()]


def _argument(value: object) -> str:
    if isinstance(value, Secret):
        return f"SecretName({literal(value.name)})"
    if isinstance(value, Position | Offset):
        return f"{type(value).__name__}(x={value.x!r}, y={value.y!r})"
    return literal(value)
