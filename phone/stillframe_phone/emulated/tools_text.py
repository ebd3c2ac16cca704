"""Programs of an emulated device that read and write text: `cat`, `head`, `cut` and so on, in the manner of toybox."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import NamedTuple

from stillframe_phone.emulated.shell_io import Call, Program, cause


class Options(NamedTuple):
    """The flags of a call, those with a value, and what remains."""

    flags: frozenset[str]
    values: dict[str, str]
    operands: list[str]


def options(arguments: list[str], with_value: str = "") -> Options:
    """Tell options from operands; `with_value` lists the letters of those that take a value.

    >>> options(["-an", "3", "file"], "n")
    Options(flags=frozenset({'a'}), values={'n': '3'}, operands=['file'])
    """
    flags, values, operands = set[str](), dict[str, str](), list[str]()
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            return Options(frozenset(flags), values, [*operands, *rest])
        if argument.startswith("--"):
            flags.add(argument[2:])
        elif argument.startswith("-") and len(argument) > 1:
            _letters(argument[1:], with_value, flags, values, rest)
        else:
            operands.append(argument)
    return Options(frozenset(flags), values, operands)


def _letters(letters: str, with_value: str, flags: set[str], values: dict[str, str], rest: list[str]) -> None:
    for number, letter in enumerate(letters, 1):
        if letter in with_value:
            values[letter] = letters[number:] or (rest.pop(0) if rest else "")
            return
        flags.add(letter)


async def contents(call: Call, paths: list[str]) -> tuple[list[tuple[str, bytes]], int]:
    """Return names and contents of files, or of the input if there are none, and 1 if one could not be read.

    What could not be read appears in the error output.
    """
    found, status = list[tuple[str, bytes]](), 0
    for path in paths or ["-"]:
        try:
            found.append((path, await call.streams.stdin.read() if path == "-" else call.files.read(path)))
        except OSError as failure:
            status = call.fail(f"{path}: {cause(failure)}")
    return found, status


async def joined(call: Call, paths: list[str]) -> tuple[bytes, int]:
    """Return the contents of files as one, and 1 if one could not be read."""
    found, status = await contents(call, paths)
    return b"".join(content for _, content in found), status


# -- output


def echo(call: Call) -> int:
    """`echo -n -E text`; escapes count unless there is -E, as in Android's shell."""
    words = list(call.arguments)
    flags = set[str]()
    while words and re.fullmatch(r"-[neE]+", words[0]):
        flags |= set(words.pop(0)[1:])
    text = " ".join(words)
    call.out((text if "E" in flags else unescaped(text)) + ("" if "n" in flags else "\n"))
    return 0


ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", "a": "\a", "e": "\x1b"}


def unescaped(text: str) -> str:
    r"""Return text with the escapes of `echo -e` and `printf` replaced.

    >>> unescaped(r"a\tb\n")
    'a\tb\n'
    """
    return re.sub(r"\\([ntr0\\ae])", lambda found: ESCAPES[found[1]], text)


def printf(call: Call) -> int:
    """`printf format words`, with %s, %d, %x and %%; the format repeats until all words are used."""
    if not call.arguments:
        return call.fail("usage: printf format [argument ...]")
    form, words = unescaped(call.arguments[0]), call.arguments[1:]
    while True:
        before = len(words)
        call.out(re.sub(r"%(-?\d*)([sdxXuic%])", lambda found: _formatted(found, words), form))
        if not words or len(words) == before:
            return 0


def _formatted(found: re.Match[str], words: list[str]) -> str:
    width, kind = found.groups()
    if kind == "%":
        return "%"
    word = words.pop(0) if words else ("" if kind in "sc" else "0")
    if kind in "sc":
        return f"%{width}s" % (word if kind == "s" else word[:1])
    return f"%{width}{'x' if kind == 'x' else 'X' if kind == 'X' else 'd'}" % _int(word)


def _int(word: str) -> int:
    return int(word, 0) if re.fullmatch(r"-?(0x[0-9a-fA-F]+|[1-9]\d*|0)", word) else 0


async def cat(call: Call) -> int:
    """`cat file ...`."""
    status = 0
    for path in options(call.arguments).operands or ["-"]:
        found, failed = await contents(call, [path])  # one by one, so that errors stand in their place in mixed output
        call.out(b"".join(content for _, content in found))
        status |= failed
    return status


async def tee(call: Call) -> int:
    """`tee file ...`."""
    content = await call.streams.stdin.read()
    call.out(content)
    status = 0
    for path in options(call.arguments).operands:
        try:
            call.files.write(path, content)
        except OSError as failure:
            status = call.fail(f"{path}: {cause(failure)}")
    return status


# -- lines


async def head(call: Call) -> int:
    """`head -n lines`, `head -c bytes`."""
    return await _end(call, lambda content, lines: b"".join(content.splitlines(keepends=True)[:lines]), front=True)


async def tail(call: Call) -> int:
    """`tail -n lines`, `tail -c bytes`."""
    return await _end(call, lambda content, lines: b"".join(content.splitlines(keepends=True)[-lines:]), front=False)


async def _end(call: Call, cut: Callable[[bytes, int], bytes], *, front: bool) -> int:
    arguments = [f"-n{each[1:]}" if re.fullmatch(r"-\d+", each) else each for each in call.arguments]
    given = options(arguments, "nc")
    content, status = await joined(call, given.operands)
    if "c" in given.values:
        size = _int(given.values["c"])
        call.out(content[:size] if front else content[-size:])
    else:
        call.out(cut(content, _int(given.values.get("n", "10"))))
    return status


async def wc(call: Call) -> int:
    """`wc -l -w -c`; several counts are shown together."""
    given = options(call.arguments)
    content, status = await joined(call, given.operands)
    counts = {"l": content.count(b"\n"), "w": len(content.split()), "c": len(content)}
    shown = [str(count) for letter, count in counts.items() if not given.flags or letter in given.flags]
    call.out(" ".join([*shown, *given.operands]) + "\n")
    return status


async def sort(call: Call) -> int:
    """`sort -n -r -u`."""
    given = options(call.arguments)
    content, status = await joined(call, given.operands)
    lines: list[bytes] = content.splitlines()
    if "u" in given.flags:
        lines = list(set(lines))
    lines.sort(key=_number_first if "n" in given.flags else lambda line: (0, line), reverse="r" in given.flags)
    call.out(b"".join(line + b"\n" for line in lines))
    return status


def _number_first(line: bytes) -> tuple[int, bytes]:
    found = re.match(rb"\s*(-?\d+)", line)
    return int(found[1]) if found else 0, line


async def uniq(call: Call) -> int:
    """`uniq`."""
    content, status = await joined(call, options(call.arguments).operands)
    lines = content.splitlines(keepends=True)
    call.out(b"".join(line for before, line in zip([b"", *lines], lines, strict=False) if line != before))
    return status


async def cut(call: Call) -> int:
    """`cut -d ' ' -f 1,3-`, `cut -c 1-4`."""
    given = options(call.arguments, "dfc")
    content, status = await joined(call, given.operands)
    ranges = _ranges(given.values.get("f") or given.values.get("c") or "1-")
    delimiter = given.values.get("d", "\t").encode()
    for line in content.splitlines():
        if "c" in given.values:
            call.out(bytes(byte for number, byte in enumerate(line, 1) if _in(number, ranges)) + b"\n")
        else:
            fields = [field for number, field in enumerate(line.split(delimiter), 1) if _in(number, ranges)]
            call.out((delimiter.join(fields) if delimiter in line else line) + b"\n")
    return status


def _ranges(text: str) -> list[tuple[int, int]]:
    found = [re.fullmatch(r"(\d*)(-?)(\d*)", each) for each in text.split(",")]
    return [
        (int(each[1] or 1), int(each[3]) if each[3] else 1 << 30 if each[2] else int(each[1] or 1))
        for each in found
        if each is not None
    ]


def _in(number: int, ranges: list[tuple[int, int]]) -> bool:
    return any(low <= number <= high for low, high in ranges)


async def tr(call: Call) -> int:
    """`tr set1 set2`, `tr -d set`, `tr -s set`."""
    given = options(call.arguments)
    content = await call.streams.stdin.read()
    sets = [_characters(each) for each in given.operands]
    if "d" in given.flags:
        content = content.translate(None, sets[0])
    elif len(sets) > 1:
        target = sets[1].ljust(len(sets[0]), sets[1][-1:])[: len(sets[0])]
        content = content.translate(bytes.maketrans(sets[0], target))
    if "s" in given.flags:
        content = re.sub(rb"([" + re.escape(sets[-1]) + rb"])\1+", rb"\1", content)
    call.out(content)
    return 0


def _characters(text: str) -> bytes:
    expanded = re.sub(
        r"(.)-(.)", lambda each: "".join(map(chr, range(ord(each[1]), ord(each[2]) + 1))), unescaped(text)
    )
    return expanded.encode()


async def sleep(call: Call) -> int:
    """`sleep seconds`."""
    try:
        await asyncio.sleep(sum(float(each.removesuffix("s")) for each in call.arguments))
    except ValueError:
        return call.fail(f"not a number: {' '.join(call.arguments)}")
    return 0


TEXT_TOOLS: dict[str, Program] = {
    "cat": cat,
    "cut": cut,
    "echo": echo,
    "head": head,
    "printf": printf,
    "sleep": sleep,
    "sort": sort,
    "tail": tail,
    "tee": tee,
    "tr": tr,
    "uniq": uniq,
    "wc": wc,
}
