"""The state of a shell, and the commands that change it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from stillframe_phone.emulated.shell_io import Call
from stillframe_phone.emulated.shell_tree import Redirected

SHELL_PID = "9876"


class Leave(Exception):
    """`exit`."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Return(Leave):
    """`return`, which outside of functions is `exit`."""


class Jump(Exception):
    """`break` or `continue` out of this many loops."""

    def __init__(self, levels: int) -> None:
        super().__init__(levels)
        self.levels = levels


class Break(Jump):
    """`break`."""


class Continue(Jump):
    """`continue`."""


class State:
    """Variables, functions, positional parameters, and the status of the last command."""

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables
        self.functions: dict[str, Redirected] = {}
        self.positional: list[str] = []
        self.status = 0
        self.loops = 0
        """How many loops are running; `break` leaves no more of them."""

    def copy(self) -> State:
        """Return a state for a subshell."""
        state = State(dict(self.variables))
        state.functions = dict(self.functions)
        state.positional = list(self.positional)
        state.status = self.status
        return state

    def parameter(self, name: str) -> str | None:
        """Return the value of `$name`, None if it has none."""
        special = {
            "?": str(self.status),
            "$": SHELL_PID,
            "#": str(len(self.positional)),
            "@": " ".join(self.positional),
            "*": " ".join(self.positional),
            "0": "/system/bin/sh",
            "-": "",
        }
        if name in special:
            return special[name]
        if name.isdecimal():
            return self.positional[int(name) - 1] if int(name) <= len(self.positional) else None
        return self.variables.get(name)


Builtin = Callable[[State, Call], Awaitable[int]]


async def leave(state: State, call: Call) -> int:
    """`exit [status]`."""
    raise Leave(_number(call, state.status))


async def back(state: State, call: Call) -> int:
    """`return [status]`."""
    raise Return(_number(call, state.status))


async def break_loop(state: State, call: Call) -> int:
    """`break [levels]`; outside of loops it does nothing."""
    return _jump(Break, state, call)


async def continue_loop(state: State, call: Call) -> int:
    """`continue [levels]`; outside of loops it does nothing."""
    return _jump(Continue, state, call)


def _jump(kind: type[Jump], state: State, call: Call) -> int:
    if state.loops:
        raise kind(max(1, min(_number(call, 1), state.loops)))
    return 0


def _number(call: Call, default: int) -> int:
    return int(call.arguments[0]) if call.arguments and call.arguments[0].isdecimal() else default


async def export(state: State, call: Call) -> int:
    """`export name=value ...`; `local` and `readonly` do the same here."""
    for argument in call.arguments:
        name, equals, value = argument.partition("=")
        if equals:
            state.variables[name] = value
    return 0


async def unset(state: State, call: Call) -> int:
    """`unset name ...`."""
    for name in call.arguments:
        state.variables.pop(name, None)
    return 0


async def set_positional(state: State, call: Call) -> int:
    """`set -- word ...`; options are ignored."""
    if call.arguments[:1] == ["--"]:
        state.positional = call.arguments[1:]
    return 0


async def shift(state: State, call: Call) -> int:
    """`shift [count]`."""
    state.positional = state.positional[_number(call, 1) :]
    return 0


async def read_line(state: State, call: Call) -> int:
    """`read a b`: the last name takes the rest of the line."""
    line = await call.streams.stdin.line()
    names = [each for each in call.arguments if not each.startswith("-")] or ["REPLY"]
    text = line.decode(errors="surrogateescape").strip(" \t\n")
    values = text.split(None, len(names) - 1) if len(names) > 1 else [text]
    for number, name in enumerate(names):
        state.variables[name] = values[number] if number < len(values) else ""
    return 0 if line else 1


BUILTINS: dict[str, Builtin] = {
    "exit": leave,
    "return": back,
    "break": break_loop,
    "continue": continue_loop,
    "export": export,
    "local": export,
    "readonly": export,
    "unset": unset,
    "set": set_positional,
    "shift": shift,
    "read": read_line,
}
