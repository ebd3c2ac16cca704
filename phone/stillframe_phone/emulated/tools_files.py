"""Programs of an emulated device that look at files and change them, and those that test and ask."""

from __future__ import annotations

import posixpath
import stat
import time
from collections.abc import Callable

from stillframe_phone.emulated.files import EmulatedFiles
from stillframe_phone.emulated.shell_io import Call, Program, cause
from stillframe_phone.emulated.tools_text import options


def ls(call: Call) -> int:
    """`ls -1 -l -a -d path ...`."""
    given = options(call.arguments)
    status = 0
    for path in given.operands or ["/"]:
        try:
            whole = call.files.is_folder(path) and "d" not in given.flags
            call.files.status(path)
            names = [posixpath.join(path, name) for name in call.files.names(path)] if whole else [path]
        except OSError as failure:
            status = call.fail(f"{path}: {cause(failure)}")
            continue
        for name in names:
            shown = posixpath.basename(name) if whole else name
            call.out((_long(call.files, name) if "l" in given.flags else "") + f"{shown}\n")
    return status


def _long(files: EmulatedFiles, path: str) -> str:
    found = files.status(path)
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(found.mtime))
    return f"{stat.filemode(found.mode)} 1 shell shell {found.size:>8} {when} "


def _each(work: Callable[[Call, str, frozenset[str]], None], forgiving: str = "") -> Program:
    """Return a program that does this to each operand; an option in `forgiving` keeps it silent about missing files."""

    def run(call: Call) -> int:
        given = options(call.arguments, "m")
        status = 0
        for path in given.operands:
            try:
                work(call, path, given.flags)
            except FileNotFoundError as failure:
                if not given.flags & set(forgiving):
                    status = call.fail(f"{path}: {cause(failure)}")
            except OSError as failure:
                status = call.fail(f"{path}: {cause(failure)}")
        return status

    return run


def _remove(call: Call, path: str, flags: frozenset[str]) -> None:
    if flags & {"r", "R"} and call.files.exists(path):
        call.files.remove_tree(path)
    else:
        call.files.remove(path)


def _make_folder(call: Call, path: str, flags: frozenset[str]) -> None:
    call.files.make_folder(path, parents_too="p" in flags)


def _touch(call: Call, path: str, _flags: frozenset[str]) -> None:
    call.files.write(path, call.files.read(path) if call.files.exists(path) else b"")


def _transfer(*, keep: bool) -> Program:
    def run(call: Call) -> int:
        *sources, target = options(call.arguments).operands or [""]
        if not sources:
            return call.fail("Need 2 arguments")
        try:
            for source in sources:
                inside = posixpath.join(target, posixpath.basename(source))
                content = call.files.read(source)
                call.files.write(inside if call.files.is_folder(target) else target, content)
                if not keep:
                    call.files.remove(source)
        except OSError as failure:
            return call.fail(f"{failure.filename}: {cause(failure)}")
        return 0

    return run


def _chmod(call: Call) -> int:
    """`chmod 644 file ...`; only octal modes."""
    mode, *paths = options(call.arguments).operands or [""]
    if not mode.isdecimal():
        return call.fail(f"bad mode '{mode}'")
    try:
        for path in paths:
            call.files.write(path, call.files.read(path), int(mode, 8))
    except OSError as failure:
        return call.fail(f"{failure.filename}: {cause(failure)}")
    return 0


def _stat(call: Call) -> int:
    """`stat -c format file ...`, with %s, %a, %n, %Y and %F."""
    given = options(call.arguments, "c")
    for path in given.operands:
        try:
            found = call.files.status(path)
        except OSError as failure:
            return call.fail(f"'{path}': {cause(failure)}")
        kind = "directory" if stat.S_ISDIR(found.mode) else "regular file"
        line = given.values.get("c", "%n %s %a %Y")
        facts = {"n": path, "s": found.size, "a": f"{stat.S_IMODE(found.mode):o}", "Y": found.mtime, "F": kind}
        for letter, value in facts.items():
            line = line.replace(f"%{letter}", str(value))
        call.out(f"{line}\n")
    return 0


def _path_part(part: Callable[[str], str]) -> Program:
    def run(call: Call) -> int:
        for path in call.arguments[:1]:
            call.out(part(path.rstrip("/") or "/") + "\n")
        return 0

    return run


# -- tests

FILE_TESTS: dict[str, Callable[[EmulatedFiles, str], bool]] = {
    "-e": EmulatedFiles.exists,
    "-f": lambda files, path: files.exists(path) and not files.is_folder(path),
    "-d": EmulatedFiles.is_folder,
    "-r": EmulatedFiles.exists,
    "-s": lambda files, path: files.exists(path) and files.status(path).size > 0,
}
NUMBER_TESTS: dict[str, Callable[[int, int], bool]] = {
    "-eq": lambda left, right: left == right,
    "-ne": lambda left, right: left != right,
    "-lt": lambda left, right: left < right,
    "-le": lambda left, right: left <= right,
    "-gt": lambda left, right: left > right,
    "-ge": lambda left, right: left >= right,
}


def test(call: Call) -> int:
    """`test expression` and `[ expression ]`, with `!`, `-a` and `-o`; status 2 if it cannot be parsed."""
    words = list(call.arguments)
    if call.name == "[" and (not words or words.pop() != "]"):
        return call.fail("missing ]", 2)
    try:
        return int(not _holds(call.files, words))
    except (ValueError, KeyError, IndexError):
        return call.fail(f"bad expression: {' '.join(words)}", 2)


def _holds(files: EmulatedFiles, words: list[str]) -> bool:
    for joint, both in (("-o", any), ("-a", all)):
        if joint in words[1:-1]:
            at = words.index(joint, 1)
            return both((_holds(files, words[:at]), _holds(files, words[at + 1 :])))
    if words[:1] == ["!"]:
        return not _holds(files, words[1:])
    match words:
        case []:
            return False
        case [text]:
            return bool(text)
        case ["-n" | "-z" as kind, text]:
            return bool(text) == (kind == "-n")
        case [kind, path]:
            return FILE_TESTS[kind](files, path)
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, kind, right]:
            return NUMBER_TESTS[kind](int(left), int(right))
    raise ValueError(words)


# -- answers


def _answer(text: str) -> Program:
    return lambda call: call.out(text)


def _date(call: Call) -> int:
    form = next((each[1:] for each in call.arguments if each.startswith("+")), "%a %b %d %H:%M:%S GMT %Y")
    now = time.time()
    call.out(time.strftime(form.replace("%s", str(int(now))), time.gmtime(now)) + "\n")
    return 0


def _fail(_call: Call) -> int:
    return 1


FILE_TOOLS: dict[str, Program] = {
    ":": _answer(""),
    "[": test,
    "basename": _path_part(posixpath.basename),
    "chmod": _chmod,
    "cp": _transfer(keep=True),
    "date": _date,
    "dirname": _path_part(posixpath.dirname),
    "false": _fail,
    "id": _answer("uid=2000(shell) gid=2000(shell) groups=2000(shell) context=u:r:shell:s0\n"),
    "ls": ls,
    "mkdir": _each(_make_folder),
    "mv": _transfer(keep=False),
    "pwd": _answer("/\n"),
    "rm": _each(_remove, "f"),
    "stat": _stat,
    "sync": _answer(""),
    "test": test,
    "touch": _each(_touch),
    "true": _answer(""),
    "wait": _answer(""),
    "whoami": _answer("shell\n"),
}
