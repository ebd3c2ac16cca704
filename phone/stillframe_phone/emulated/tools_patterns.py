"""`grep` and `sed` of an emulated device."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from stillframe_phone.emulated.shell_io import Call, Program
from stillframe_phone.emulated.tools_text import contents, joined, options


def expression(pattern: str, *, extended: bool) -> bytes:
    r"""Return a regular expression of POSIX as one of Python.

    >>> expression(r"a+\(b\)\?[[:digit:]]", extended=False)
    b'a\\+(b)?[0-9]'
    """
    for name, members in (("digit", "0-9"), ("alpha", "a-zA-Z"), ("alnum", "0-9a-zA-Z"), ("space", r" \t\n\r\f\v")):
        pattern = pattern.replace(f"[:{name}:]", members)
    if not extended:
        pattern = re.sub(r"\\([+?|(){}])|([+?|(){}])|\[[^]]*\]", _swapped, pattern)
    return pattern.encode(errors="surrogateescape")


def _swapped(found: re.Match[str]) -> str:
    escaped, plain = found.groups()
    return escaped or (f"\\{plain}" if plain else found[0])


NAMED_FLAGS = {"egrep": frozenset("E"), "fgrep": frozenset("F")}


class Grep(NamedTuple):
    """What one call of grep looks for, and what it prints."""

    pattern: re.Pattern[bytes]
    flags: frozenset[str]

    def selects(self, line: bytes) -> bool:
        """Return whether a line is one of those to print."""
        return bool(self.pattern.search(line)) != ("v" in self.flags)

    def printed(self, line: bytes) -> Iterator[bytes]:
        """Yield what is printed of a line: all, or each match."""
        if "o" in self.flags:
            yield from (found[0] for found in self.pattern.finditer(line))
        else:
            yield line


async def grep(call: Call) -> int:
    """`grep -a -c -E -F -h -i -l -n -o -q -v -w -x pattern file ...`, also `-e pattern`."""
    given = options(call.arguments, "e")
    operands = list(given.operands)
    pattern = given.values["e"] if "e" in given.values else operands.pop(0) if operands else None
    if pattern is None:
        return call.fail("No REGEX", 2)
    try:
        flags = given.flags | NAMED_FLAGS.get(call.name, frozenset())
        wanted = Grep(_compiled(pattern, flags), flags)
    except re.error as failure:
        return call.fail(f"bad regex '{pattern}': {failure}", 2)
    found, status = await contents(call, operands)
    several = len(operands) > 1 and "h" not in given.flags
    matched = [_grep_file(call, wanted, name, content, several) for name, content in found]
    return 0 if any(matched) else 2 if status else 1


def _compiled(pattern: str, flags: frozenset[str]) -> re.Pattern[bytes]:
    if "F" in flags:
        source = re.escape(pattern.encode(errors="surrogateescape"))
    else:
        source = expression(pattern, extended="E" in flags)
    if "w" in flags:
        source = rb"\b(?:" + source + rb")\b"
    if "x" in flags:
        source = rb"^(?:" + source + rb")$"
    return re.compile(source, re.IGNORECASE if "i" in flags else 0)


def _grep_file(call: Call, wanted: Grep, name: str, content: bytes, several: bool) -> bool:
    lines = [(number, line) for number, line in enumerate(content.splitlines(), 1) if wanted.selects(line)]
    prefix = f"{name}:".encode() if several else b""
    if "q" in wanted.flags:
        pass
    elif "l" in wanted.flags:
        call.out(f"{name}\n" if lines else "")
    elif "c" in wanted.flags:
        call.out(prefix + f"{len(lines)}\n".encode())
    elif lines and "a" not in wanted.flags and is_binary(content):
        call.out(f"Binary file {'(standard input)' if name == '-' else name} matches\n")
    else:
        for number, line in lines:
            start = prefix + (f"{number}:".encode() if "n" in wanted.flags else b"")
            call.out(b"".join(start + each + b"\n" for each in wanted.printed(line)))
    return bool(lines)


def is_binary(content: bytes) -> bool:
    """Return whether grep takes this for binary: it holds NUL, or is not UTF-8."""
    try:
        return "\0" in content.decode()
    except UnicodeDecodeError:
        return True


# -- sed

SED_COMMAND = re.compile(
    r"(?:/(?P<pattern>(?:[^/\\]|\\.)*)/|(?P<line>\d+|\$))?\s*(?:s(?P<change>.*)|(?P<letter>[pdq]))", re.S
)


class Sed(NamedTuple):
    """One command of a script: which lines it is for, and what it does with them."""

    pattern: re.Pattern[bytes] | None
    line: str | None
    letter: str
    change: Callable[[bytes], tuple[bytes, bool]] | None

    def is_for(self, line: bytes, number: int, last: bool) -> bool:
        """Return whether a line is one that this command is for."""
        if self.pattern is not None:
            return bool(self.pattern.search(line))
        return self.line is None or self.line == str(number) or (self.line == "$" and last)


async def sed(call: Call) -> int:
    """`sed -n -E script file ...` with `s`, `p`, `d` and `q` after a pattern, a number or nothing; `;` separates."""
    given = options(call.arguments, "e")
    operands = list(given.operands)
    script = given.values.get("e") or (operands.pop(0) if operands else "")
    try:
        extended = bool(given.flags & {"E", "r"})
        commands = [
            sed_command(each.strip(), extended=extended) for each in re.split(r"(?<!\\)[;\n]", script) if each.strip()
        ]
    except (ValueError, re.error):
        return call.fail(f"bad pattern '{script}'")
    content, status = await joined(call, operands)
    lines = content.splitlines()
    for number, line in enumerate(lines, 1):
        if not _sed_line(call, commands, line, number, number == len(lines), quiet="n" in given.flags):
            break
    return status


def _sed_line(call: Call, commands: list[Sed], line: bytes, number: int, last: bool, *, quiet: bool) -> bool:
    """Run all commands on a line; False if this was the last one."""
    going_on = True
    for command in commands:
        if not command.is_for(line, number, last):
            continue
        if command.letter == "d":
            return True
        going_on = going_on and command.letter != "q"
        shown = command.letter == "p"
        if command.change is not None:
            line, shown = command.change(line)
        if shown:
            call.out(line + b"\n")
    if not quiet:
        call.out(line + b"\n")
    return going_on


def sed_command(text: str, *, extended: bool) -> Sed:
    """Return one command of a script. Raises ValueError or re.error for an unknown command."""
    found = SED_COMMAND.fullmatch(text)
    if found is None:
        raise ValueError(text)
    pattern = found["pattern"]
    change = None if found["change"] is None else sed_change(found["change"], extended=extended)
    compiled = None if pattern is None else re.compile(expression(pattern, extended=extended))
    return Sed(compiled, found["line"], found["letter"] or "", change)


def sed_change(text: str, *, extended: bool) -> Callable[[bytes], tuple[bytes, bool]]:
    """Return what `/pattern/replacement/flags` after an `s` does to a line, and whether it then prints it."""
    delimiter = text[:1]
    pattern, replacement, flags = re.split(rf"(?<!\\){re.escape(delimiter)}", text[1:])
    compiled = re.compile(expression(pattern.replace(f"\\{delimiter}", delimiter), extended=extended))
    template = re.sub(r"(?<!\\)&", r"\\g<0>", replacement).encode(errors="surrogateescape")

    def change(line: bytes) -> tuple[bytes, bool]:
        line, count = compiled.subn(template, line, count=0 if "g" in flags else 1)
        return line, bool(count) and "p" in flags

    return change


PATTERN_TOOLS: dict[str, Program] = {"egrep": grep, "fgrep": grep, "grep": grep, "sed": sed}
