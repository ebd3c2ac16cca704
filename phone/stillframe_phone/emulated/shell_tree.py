"""The tree of a shell script: what `shell_syntax.parse` returns."""

from __future__ import annotations

from typing import NamedTuple

# -- words


class Literal(NamedTuple):
    """Text; quoted, its `*` and `?` stand for themselves."""

    text: str
    quoted: bool


class Parameter(NamedTuple):
    """`$name` or `${name<operator>argument}`, where the operator is for instance `:-` or `##`."""

    name: str
    operator: str
    argument: Word
    quoted: bool


class Substitution(NamedTuple):
    """`$(script)`: the output of a script."""

    script: Script
    quoted: bool


class Arithmetic(NamedTuple):
    """`$((expression))`."""

    expression: str
    quoted: bool


Part = Literal | Parameter | Substitution | Arithmetic


class Word(NamedTuple):
    """One word before its expansion."""

    parts: tuple[Part, ...] = ()


# -- commands


class Redirect(NamedTuple):
    """`<fd><operator> target`."""

    fd: int
    operator: str
    target: Word


class Simple(NamedTuple):
    """A command with its arguments, after assignments that hold for it alone."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]


class Group(NamedTuple):
    """`{ script; }`, or `( script )`, whose changes to variables end with it."""

    script: Script
    subshell: bool


class For(NamedTuple):
    """`for name in words; do body; done`; without `in` it takes the positional parameters."""

    name: str
    words: tuple[Word, ...] | None
    body: Script


class Loop(NamedTuple):
    """`while condition; do body; done`; with `until` it runs while the condition fails."""

    condition: Script
    body: Script
    until: bool


class If(NamedTuple):
    """`if a; then b; elif c; then d; else e; fi`."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script


class Case(NamedTuple):
    """`case word in pattern) script;; esac`."""

    subject: Word
    branches: tuple[tuple[tuple[Word, ...], Script], ...]


class Function(NamedTuple):
    """`name() command`."""

    name: str
    body: Redirected


class Redirected(NamedTuple):
    """A command with its redirections."""

    command: Simple | Group | For | Loop | If | Case | Function
    redirects: tuple[Redirect, ...]


class Pipeline(NamedTuple):
    """`! a | b`."""

    negated: bool
    commands: tuple[Redirected, ...]


class Chain(NamedTuple):
    """`a && b || c`: pipelines, each after the operator before it; that of the first is ""."""

    links: tuple[tuple[str, Pipeline], ...]


class Script(NamedTuple):
    """Chains that run one after the other."""

    chains: tuple[Chain, ...] = ()
