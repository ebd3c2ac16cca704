"""The shell of an emulated device: it runs scripts against the files and programs of the device, and nothing else.

It does not use a shell of this machine, because a script for a device (`rm -rf /sdcard/x`, `echo > /data/local/tmp/y`)
must not touch this machine's files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple, assert_never

from stillframe_phone.emulated import shell_builtins
from stillframe_phone.emulated.files import EmulatedFiles
from stillframe_phone.emulated.shell_builtins import Leave, Return, State
from stillframe_phone.emulated.shell_cursor import ShellSyntaxError
from stillframe_phone.emulated.shell_io import Call, Input, Program, Sink, Streams, cause, run_program
from stillframe_phone.emulated.shell_syntax import parse
from stillframe_phone.emulated.shell_tree import (
    Arithmetic,
    Case,
    Chain,
    For,
    Function,
    Group,
    If,
    Literal,
    Loop,
    Parameter,
    Part,
    Pipeline,
    Redirect,
    Redirected,
    Script,
    Simple,
    Substitution,
    Word,
)
from stillframe_phone.emulated.shell_words import Fields, calculate, matches, paths_of, pattern_of, text_of, trimmed

SHELL = "/system/bin/sh"
NOT_FOUND = 127
SYNTAX_ERROR = 1
SIGPIPE_STATUS = 141


class Place(NamedTuple):
    """What a shell runs on: programs by name, files, and the words for a program that does not exist."""

    programs: Mapping[str, Program]
    files: EmulatedFiles
    not_found: str = "not found"


async def run(text: str, place: Place, streams: Streams, environment: Mapping[str, str]) -> int:
    """Run a script and return its exit status, as `sh -c` does."""
    shell = Shell(place, State(dict(environment)))
    try:
        return await shell.run_script(parse(text), streams)
    except ShellSyntaxError as failure:
        streams.complain(f"{SHELL}: {failure}")
        return SYNTAX_ERROR
    except Leave as leave:
        return leave.status


class Shell:
    """Runs trees of commands; a subshell is another one with a copy of the state."""

    def __init__(self, place: Place, state: State) -> None:
        self.place = place
        self.state = state

    # -- lists

    async def run_script(self, script: Script, streams: Streams) -> int:
        """Run all chains and return the status of the last."""
        status = 0
        for chain in script.chains:
            status = await self._chain(chain, streams)
            await asyncio.sleep(0)  # so that an endless loop can be cancelled
        return status

    async def _chain(self, chain: Chain, streams: Streams) -> int:
        status = 0
        for operator, pipeline in chain.links:
            if operator == "" or (operator == "&&") == (status == 0):
                status = await self._pipeline(pipeline, streams)
                self.state.status = status
        return status

    async def _pipeline(self, pipeline: Pipeline, streams: Streams) -> int:
        """Run the commands one after the other, each on what the one before wrote."""
        *before, last = pipeline.commands
        for command in before:
            written = bytearray()
            await self._subshell().run_guarded(command, streams._replace(stdout=written.extend))
            streams = streams._replace(stdin=Input(content=bytes(written)))
        runner = self._subshell().run_guarded if before else self.run_command
        status = await runner(last, streams)
        return int(not status) if pipeline.negated else status

    def _subshell(self) -> Shell:
        return Shell(self.place, self.state.copy())

    async def run_guarded(self, command: Redirected, streams: Streams) -> int:
        """Run a command in a shell of its own, which `exit` leaves."""
        try:
            return await self.run_command(command, streams)
        except Leave as leave:
            return leave.status

    # -- commands

    async def run_command(self, redirected: Redirected, streams: Streams) -> int:
        """Run one command with its redirections."""
        try:
            streams, closing = await self._redirect(redirected.redirects, streams)
        except OSError as failure:
            verb = "open" if failure.errno == 2 else "create"
            streams.complain(f"{SHELL}: can't {verb} {failure.filename}: {cause(failure)}")
            return 1
        try:
            return await self._command(redirected, streams)
        finally:
            for path, written in closing:
                self.place.files.write(path, bytes(written))

    async def _command(self, redirected: Redirected, streams: Streams) -> int:
        command = redirected.command
        match command:
            case Simple():
                return await self._simple(command, streams)
            case Group():
                return await self._group(command, streams)
            case For():
                return await self._for(command, streams)
            case Loop():
                return await self._loop(command, streams)
            case If():
                return await self._if(command, streams)
            case Case():
                return await self._case(command, streams)
            case Function():
                self.state.functions[command.name] = command.body
                return 0
            case _:
                assert_never(command)

    async def _group(self, group: Group, streams: Streams) -> int:
        if not group.subshell:
            return await self.run_script(group.script, streams)
        try:
            return await self._subshell().run_script(group.script, streams)
        except Leave as leave:
            return leave.status

    async def _for(self, loop: For, streams: Streams) -> int:
        words = self.state.positional if loop.words is None else await self._fields(loop.words, streams)
        status = 0
        for word in words:
            self.state.variables[loop.name] = word
            status, done = await self._turn(loop.body, streams)
            if done:
                break
        return status

    async def _loop(self, loop: Loop, streams: Streams) -> int:
        status = 0
        while bool(await self.run_script(loop.condition, streams)) == loop.until:
            status, done = await self._turn(loop.body, streams)
            if done:
                break
        return status

    async def _turn(self, body: Script, streams: Streams) -> tuple[int, bool]:
        """Run the body of a loop once; the second value says whether the loop ends."""
        self.state.loops += 1
        try:
            return await self.run_script(body, streams), False
        except shell_builtins.Jump as jump:
            if jump.levels > 1:
                raise type(jump)(jump.levels - 1) from None
            return 0, isinstance(jump, shell_builtins.Break)
        finally:
            self.state.loops -= 1

    async def _if(self, command: If, streams: Streams) -> int:
        for condition, script in command.branches:
            if await self.run_script(condition, streams) == 0:
                return await self.run_script(script, streams)
        return await self.run_script(command.otherwise, streams)

    async def _case(self, command: Case, streams: Streams) -> int:
        subject = await self._text(command.subject, streams)
        for patterns, script in command.branches:
            for pattern in patterns:
                if matches(subject, (await self._expand(pattern, streams, split=False)).joined()):
                    return await self.run_script(script, streams)
        return 0

    async def _simple(self, command: Simple, streams: Streams) -> int:
        self.state.status = 0 if not command.words else self.state.status
        words = await self._fields(command.words, streams)
        values = {name: await self._text(word, streams) for name, word in command.assignments}
        if not words:
            self.state.variables.update(values)
            return self.state.status
        before = dict(self.state.variables)
        self.state.variables.update(values)
        try:
            return await self._run(words, streams)
        finally:
            if values:
                self.state.variables = before

    async def _run(self, words: list[str], streams: Streams) -> int:
        name, *arguments = words
        if (body := self.state.functions.get(name)) is not None:
            return await self._call(body, arguments, streams)
        if name in ("eval", "."):
            return await self.run_script(parse(" ".join(arguments)), streams)
        if name in ("sh", SHELL) and arguments[:1] == ["-c"]:
            return await run(" ".join(arguments[1:2]), self.place, streams, self.state.variables)
        call = Call(name, arguments, streams, self.place.files, self.state.variables)
        if (builtin := shell_builtins.BUILTINS.get(name)) is not None:
            return await builtin(self.state, call)
        program = self.place.programs.get(name.removeprefix("/system/bin/"))
        if program is None:
            streams.complain(f"{SHELL}: {name}: {self.place.not_found}")
            return NOT_FOUND
        return await run_program(program, call)

    async def _call(self, body: Redirected, arguments: list[str], streams: Streams) -> int:
        before, self.state.positional = self.state.positional, arguments
        try:
            return await self.run_command(body, streams)
        except Return as back:
            return back.status
        finally:
            self.state.positional = before

    # -- redirections

    async def _redirect(
        self, redirects: tuple[Redirect, ...], streams: Streams
    ) -> tuple[Streams, list[tuple[str, bytearray]]]:
        """Return the streams of a command, and the files to write after it."""
        closing = list[tuple[str, bytearray]]()
        for redirect in redirects:
            target = await self._text(redirect.target, streams)
            if redirect.operator in (">&", "<&"):
                streams = duplicated(streams, redirect.fd, target)
            elif redirect.operator == "<":
                streams = streams._replace(stdin=Input(content=self.place.files.read(target)))
            else:
                streams = directed(streams, redirect, self._opened(redirect, target, closing))
        return streams, closing

    def _opened(self, redirect: Redirect, path: str, closing: list[tuple[str, bytearray]]) -> Sink:
        """Empty a file, or keep its content for `>>`, and return what collects its new content."""
        append = redirect.operator == ">>" and self.place.files.exists(path)
        written = bytearray(self.place.files.read(path) if append else b"")
        self.place.files.write(path, bytes(written))
        closing.append((path, written))
        return written.extend

    # -- words

    async def _fields(self, words: tuple[Word, ...], streams: Streams) -> list[str]:
        found = list[str]()
        for word in words:
            for field in (await self._expand(word, streams)).fields:
                found.extend(paths_of(field, self.place.files))
        return found

    async def _text(self, word: Word, streams: Streams) -> str:
        return text_of((await self._expand(word, streams, split=False)).joined())

    async def _expand(self, word: Word, streams: Streams, *, split: bool = True) -> Fields:
        fields = Fields(split=split)
        for part in word.parts:
            await self._expand_part(part, fields, streams)
        return fields

    async def _expand_part(self, part: Part, fields: Fields, streams: Streams) -> None:
        match part:
            case Literal(text=text, quoted=quoted):
                fields.add(text, quoted)
            case Parameter(name="@" | "*", operator=""):
                self._expand_positional(part, fields)
            case Parameter():
                fields.add_value(await self._parameter(part, streams), part.quoted)
            case Substitution():
                fields.add_value(await self._substitute(part.script, streams), part.quoted)
            case Arithmetic():
                fields.add_value(self._calculate(part.expression), part.quoted)
            case _:
                assert_never(part)

    def _expand_positional(self, part: Parameter, fields: Fields) -> None:
        if part.quoted and part.name == "@":
            fields.add_all(self.state.positional)
        else:
            fields.add_value(" ".join(self.state.positional), part.quoted)

    async def _substitute(self, script: Script, streams: Streams) -> str:
        written = bytearray()
        shell = self._subshell()
        try:
            self.state.status = await shell.run_script(script, streams._replace(stdout=written.extend))
        except Leave as leave:
            self.state.status = leave.status
        return written.replace(b"\0", b"").decode(errors="surrogateescape").rstrip("\n")

    def _calculate(self, expression: str) -> str:
        try:
            return str(calculate(expression, self.state.variables))
        except ValueError as failure:
            raise ShellSyntaxError(str(failure)) from failure

    async def _parameter(self, part: Parameter, streams: Streams) -> str:
        value = self.state.parameter(part.name)
        operator = part.operator
        if operator == "length":
            return str(len(value or ""))
        if operator[:1] in ("#", "%"):
            field = (await self._expand(part.argument, streams, split=False)).joined()
            return trimmed(value or "", operator, pattern_of(field))
        missing = value is None or (operator.startswith(":") and not value)
        if operator.endswith("+"):
            return "" if missing else await self._text(part.argument, streams)
        if not missing or not operator:
            return value or ""
        return await self._default(part, streams)

    async def _default(self, part: Parameter, streams: Streams) -> str:
        text = await self._text(part.argument, streams)
        if part.operator.endswith("="):
            self.state.variables[part.name] = text
        elif part.operator.endswith("?"):
            streams.complain(f"{SHELL}: {part.name}: {text or 'parameter null or not set'}")
            raise Leave(1)
        return text


def duplicated(streams: Streams, fd: int, target: str) -> Streams:
    """Return the streams after `fd>&target`; `-` closes."""
    sinks: dict[str, Sink] = {"1": streams.stdout, "2": streams.stderr, "-": len}
    if fd == 0 or target not in sinks:
        return streams
    return streams._replace(stderr=sinks[target]) if fd == 2 else streams._replace(stdout=sinks[target])


def directed(streams: Streams, redirect: Redirect, sink: Sink) -> Streams:
    """Return the streams after `fd> file`, where `&>` means both."""
    if redirect.operator == "&>":
        return streams._replace(stdout=sink, stderr=sink)
    return streams._replace(stderr=sink) if redirect.fd == 2 else streams._replace(stdout=sink)
