"""Find tests that bet on the machine's pace, or that cost more than they need to.

Three rules, each with what to do instead in its message:

* a test or fixture does not wait for a fixed time;
* an upper bound on wall time below `HANG_S` needs the marker `serial`;
* a browser of one's own needs a reason, because the shared one costs nothing: the marker `own_browser("reason")`, or a
  line in `ABOUT_BROWSERS`.

Tests that take longer than five seconds are found while they run (tests/durations.py).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
FOLDERS = ("tests", "bench/tests")

ABOUT_TIME = ("tests/cdp/test_loop*.py", "tests/testing/test_cassette_player.py")
"""The tests of the event loop's clock and of the one in a cassette: a wait of known length is their subject."""

ABOUT_BROWSERS = {
    "tests/chrome/*.py": "launching and ending browsers is what they test",
    "tests/adb/test_chrome_launch.py": "it launches Chrome on a phone",
    "tests/test_bad_input.py": "there is none to launch",
    "tests/test_kill.py": "each test kills its browser",
    "tests/engine/bounds.py": "each case stops or crashes its browser",
}
"""Modules that start browsers of their own, with the reason."""

HANG_S = 20.0
"""Seconds from which on an upper bound only tells a hang from a slow machine, even one with three busy loops."""

CLOCKS = frozenset({"monotonic", "perf_counter", "time", "monotonic_ns", "perf_counter_ns", "time_ns"})
"""Functions that read a clock; `process_time` is not among them, because others cannot slow it down."""

BROWSERS = frozenset({"stillframe.launch", "launch", "chrome.launched", "launched"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module(NamedTuple):
    """A test module."""

    name: str
    """Its path below the root of the repository."""
    tree: ast.Module


class Problem(NamedTuple):
    """What is wrong, and where."""

    place: str
    message: str

    def __str__(self) -> str:
        return f"{self.place} {self.message}"


# -- what a module holds ---------------------------------------------------------------------------


def read(root: Path = ROOT) -> list[Module]:
    """Return the test modules below the root: tests, fixtures and what they share."""
    paths = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.py"))]
    return [Module(path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8"))) for path in paths]


def functions(tree: ast.Module) -> Iterator[tuple[Function, tuple[ast.expr, ...]]]:
    """Yield the tests and fixtures of a module, each with its decorators and those of its class."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            inner = (each for each in node.body if isinstance(each, Function))
            yield from ((each, (*each.decorator_list, *node.decorator_list)) for each in inner if is_checked(each))
        elif isinstance(node, Function) and is_checked(node):
            yield node, tuple(node.decorator_list)


def is_checked(function: Function) -> bool:
    """Return whether a function is a test or a fixture."""
    return function.name.startswith("test_") or any("fixture" in ast.unparse(each) for each in function.decorator_list)


def module_marks(tree: ast.Module) -> str:
    """Return the text of `pytestmark`; empty without one."""
    values = (node.value for node in tree.body if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node))
    return " ".join(ast.unparse(value) for value in values)


def has_mark(module: Module, decorators: Iterable[ast.expr], mark: str) -> bool:
    """Return whether a test carries a marker, by itself, by its class or by its module."""
    texts = [module_marks(module.tree), *(ast.unparse(each) for each in decorators)]
    return any(f"mark.{mark}" in text for text in texts)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a module is one of those that the patterns name."""
    return any(Path(name).match(pattern) for pattern in patterns)


# -- the rules -------------------------------------------------------------------------------------


def fixed_waits(body: list[ast.stmt]) -> Iterator[int]:
    """Yield the lines that wait for a constant time.

    Loops look again, and functions defined inside are the behaviour of a server or a peer: both are left out.
    """
    for node in body:
        if isinstance(node, Function | ast.While):
            continue
        if isinstance(node, ast.Expr) and is_fixed_wait(node.value):
            yield node.lineno
        for inner in ("body", "orelse", "finalbody"):
            yield from fixed_waits(getattr(node, inner, []))


def is_fixed_wait(node: ast.expr) -> bool:
    """Return whether an expression is `asyncio.sleep` or `time.sleep` with a constant other than zero."""
    match node.value if isinstance(node, ast.Await) else node:
        case ast.Call(func=function, args=[ast.Constant(value=seconds)]) if seconds:
            return ast.unparse(function) in {"asyncio.sleep", "time.sleep", "sleep"}
    return False


def bounds_of_wall_time(function: Function, long: frozenset[str]) -> Iterator[int]:
    """Yield the lines that assert that something took less wall time than a bound below `HANG_S`."""
    elapsed = elapsed_names(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            yield from (node.lineno for each in ast.walk(node.test) if is_upper_bound(each, elapsed, long))


def long_constants(tree: ast.Module) -> frozenset[str]:
    """Return the names of the module's numbers that are `HANG_S` or more."""
    return frozenset(
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and is_long(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    )


def is_long(node: ast.expr) -> bool:
    """Return whether an expression is a number of `HANG_S` or more."""
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float) and node.value >= HANG_S


def elapsed_names(function: Function) -> frozenset[str]:
    """Return the names that hold a difference of two readings of a clock."""
    return frozenset(
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and is_difference(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    )


def is_difference(node: ast.expr) -> bool:
    """Return whether an expression subtracts something from a reading of a clock."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and reads_clock(node.left)


def reads_clock(node: ast.expr) -> bool:
    """Return whether an expression calls a clock."""
    calls = (each for each in ast.walk(node) if isinstance(each, ast.Call))
    return any(ast.unparse(call.func).rpartition(".")[2] in CLOCKS for call in calls)


def is_upper_bound(node: ast.AST, elapsed: frozenset[str], long: frozenset[str]) -> bool:
    """Return whether a comparison says that elapsed wall time is less than a bound below `HANG_S`."""
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
        small, large = (left, right) if isinstance(op, ast.Lt | ast.LtE) else (right, left)
        ordered = isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        if ordered and is_elapsed(small, elapsed) and not (is_long(large) or ast.unparse(large) in long):
            return True
    return False


def is_elapsed(node: ast.expr, elapsed: frozenset[str]) -> bool:
    """Return whether an expression is elapsed wall time."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return bool(names & elapsed) or any(is_difference(each) for each in ast.walk(node) if isinstance(each, ast.BinOp))


def own_browsers(function: Function) -> Iterator[int]:
    """Yield the lines that start a browser without any option, which the shared browser could stand in for."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in BROWSERS and not node.args and not node.keywords:
            yield node.lineno


BETS_ON_PACE = (
    "bounds wall time without the marker serial: count calls, control the clock (stillframe.cdp.loop_clock), or mark "
    f"it serial; a bound that only finds a hang is {HANG_S:.0f} s or more"
)


# -- the check -------------------------------------------------------------------------------------


def check(modules: Iterable[Module]) -> Iterator[Problem]:
    """Yield what is wrong with the tests."""
    for module in modules:
        for function, decorators in functions(module.tree):
            for line, message in problems(module, function, decorators):
                yield Problem(f"{module.name}:{line}", f"{function.name} {message}")


def problems(module: Module, function: Function, decorators: tuple[ast.expr, ...]) -> Iterator[tuple[int, str]]:
    """Yield the lines of one test that break a rule, with what to do instead."""
    if not matches(module.name, ABOUT_TIME):
        for line in fixed_waits(function.body):
            yield line, "waits for a fixed time: await an event, or look again in a loop with a limit"
    if not has_mark(module, decorators, "serial"):
        for line in bounds_of_wall_time(function, long_constants(module.tree)):
            yield line, BETS_ON_PACE
    if not (matches(module.name, ABOUT_BROWSERS) or has_mark(module, decorators, "own_browser")):
        for line in own_browsers(function):
            yield (
                line,
                (
                    "starts a browser of its own: use the fixture browser, or say why not with "
                    '@pytest.mark.own_browser("reason")'
                ),
            )


def main(root: Path = ROOT) -> int:
    """Print what is wrong, and return the exit status."""
    modules = read(root)
    found = list(check(modules))
    print(*found, sep="\n", end="\n" if found else "")
    if not found:
        print(f"{len(modules)} test modules: none bets on the machine's pace")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
