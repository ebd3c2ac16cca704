"""Check the structure of stillframe: imports point down, no modules form a circle, and no room calls up by a hook.

`ROOMS` is the one place where layers are written down: each room has a number of its own, and a module may import from
its own room and from rooms of lower numbers. A module belongs to the longest entry that is a prefix of its dotted name
(without `stillframe.`); a module that no entry covers is an error. Every import statement counts: the ones inside
functions and under TYPE_CHECKING too, and importlib.import_module with a literal.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

PACKAGE = "stillframe"
SOURCE = Path(__file__).resolve().parent.parent / "python" / PACKAGE

ROOMS: dict[str, int] = {
    "errors": 0,
    "_core": 1,  # the compiled core imports nothing: bytes and texts in, plain values out
    "model": 2,
    "security": 3,
    "core": 4,
    "loopguard": 5,
    "cdp_types": 6,
    "cdp": 7,
    "chrome": 8,
    "injected": 9,
    "tab": 10,
    "settling": 11,
    "engine": 12,
    "api": 13,
    "sessions": 14,
    "": 15,  # the package itself: re-exports what lies below the doors
    # The doors: nothing but a door imports them.
    "testing": 16,
    "sync": 17,
    "demo": 18,
    "mcp": 19,
    "cli": 20,
    "__main__": 21,
}

LOGIC = (
    "model",
    "core",
    "loopguard",
    "cdp.wire",
    "cdp.mux",
    *(
        f"settling.{name}"
        for name in (
            *("activity", "calls", "documents", "expected_replies", "fence", "late", "loads", "machine", "noise"),
            *("pending", "polls", "quiet_rule", "quiet_windows", "replies", "requests", "rows", "shape"),
            *("signals", "sockets", "time_policy", "slowdown", "progress"),
        )
    ),
    "sessions.book",
)
"""Modules and rooms of pure logic: tests drive them without sleeping, because time and I/O are arguments."""
LOGIC_AVOIDS = frozenset({"asyncio", "socket", "selectors", "ssl", "subprocess", "threading", "time", "websockets"})


class Import(NamedTuple):
    """One import of `target` (dotted, absolute) by `module` at `line` of `path`."""

    module: str
    target: str
    path: Path
    line: int


def main() -> int:
    problems = sorted(check(SOURCE))
    for problem in problems:
        print(problem)
    if not problems:
        print(f"layers: {len(list(SOURCE.rglob('*.py')))} modules, every import points down, no circles, no hooks")
    return bool(problems)


def check(source: Path) -> Iterator[str]:
    """Yield one sentence per broken rule in the package whose files lie under `source`."""
    names = {module_name(source, path): path for path in source.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for module, path in names.items():
        if room(module) is None:
            yield f"{path}: {module} is in no room; add it to ROOMS in tools/check_layers.py"
            continue
        found = list(imports(module, path, names))
        graph[module] = {each.target for each in found if each.target in names and each.target != module}
        for each in found:
            if problem := judge(each):
                yield f"{each.path}:{each.line}: {each.module} {problem}"
    yield from circles(graph)
    yield from hooks({module: ast.parse(path.read_bytes()) for module, path in names.items()})


def judge(found: Import) -> str | None:
    """Return what is wrong with one import, or None."""
    if not is_ours(found.target):
        root = found.target.partition(".")[0]
        if is_logic(found.module) and root in LOGIC_AVOIDS:
            return f"is logic and imports {root}: take time and I/O as arguments"
        return None
    own, other = room(found.module) or "", room(found.target)
    if other is None:
        return f"imports {found.target}, which is in no room"
    if ROOMS[other] > ROOMS[own]:
        rooms = f"{own or PACKAGE} {ROOMS[own]}, {other} {ROOMS[other]}"
        return f"imports {found.target} ({rooms}): imports only point down"
    return None


def room(module: str) -> str | None:
    """Return the key of `ROOMS` that covers a dotted module name."""
    inner = module.removeprefix(PACKAGE).removeprefix(".")
    first = inner.partition(".")[0]
    return first if first in ROOMS else None


def is_logic(module: str) -> bool:
    inner = module.removeprefix(f"{PACKAGE}.")
    return any(inner == name or inner.startswith(f"{name}.") for name in LOGIC)


# -- circles -------------------------------------------------------------------------------------


def circles(graph: dict[str, set[str]]) -> Iterator[str]:
    """Yield a sentence for a circle of modules, if there is one; imports of type checkers count as well."""
    # A package and its modules: `import a.b` runs `a/__init__.py`, which may import its own modules.
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"modules form a circle: {' -> '.join(reversed(error.args[1]))}"


# -- hooks ---------------------------------------------------------------------------------------


def hooks(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Yield a sentence for each way round the layers: a callable set on another's object, a protocol of one class."""
    declared = {name for tree in trees.values() for name in optional_callables(tree)}
    for module, tree in trees.items():
        if ".cdp_types." in module:
            continue
        for line, name in assigned_outside(tree):
            if name in declared:
                yield f"{module}:{line} sets the hook {name!r} on another object: pass the callable as an argument"
    yield from single_protocols(trees)


def optional_callables(tree: ast.Module) -> Iterator[str]:
    """Yield the attributes that a class declares as a callable or None: places for hooks."""
    aliases = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and "Callable" in ast.unparse(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.value, ast.Constant | None):
            continue
        kind = ast.unparse(node.annotation)
        if "None" in kind and ("Callable" in kind or aliases & set(kind.replace("|", " ").split())):
            target = node.target
            yield target.attr if isinstance(target, ast.Attribute) else ast.unparse(target)


def assigned_outside(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each attribute that is assigned to something other than `self`."""
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else ()
        for target in targets:
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) not in ("self", "cls"):
                yield node.lineno, target.attr


def single_protocols(trees: dict[str, ast.Module]) -> Iterator[str]:
    """Yield a sentence for each protocol that exactly one class of the package fulfils: name that class instead."""
    classes = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    members = {node.name: own_members(node) for node in classes}
    bases = {node.name: [ast.unparse(base).partition("[")[0] for base in node.bases] for node in classes}
    plain = [node.name for node in classes if not is_protocol(node)]
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and is_protocol(node):
                wanted = members[node.name]
                fits = [name for name in plain if wanted and wanted <= inherited(name, members, bases)]
                if len(fits) == 1:
                    yield f"{module}:{node.lineno} {node.name} is a protocol of one class: use {fits[0]}"


def is_protocol(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).partition("[")[0] in ("Protocol", "typing.Protocol") for base in node.bases)


def own_members(node: ast.ClassDef) -> set[str]:
    functions = {item.name for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)}
    fields = {ast.unparse(item.target) for item in node.body if isinstance(item, ast.AnnAssign)}
    return functions | fields


def inherited(name: str, members: dict[str, set[str]], bases: dict[str, list[str]]) -> set[str]:
    """Return the members of a class and of its bases in the package."""
    found: set[str] = set()
    waiting, seen = [name], set()
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            found |= members.get(each, set())
            waiting += bases.get(each, [])
    return found


# -- imports -------------------------------------------------------------------------------------


def imports(module: str, path: Path, known: dict[str, Path]) -> Iterator[Import]:
    """Yield every import of one file; `from x import y` counts as x.y where that is a module."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes(), str(path))):
        for target in targets(node, package, known):
            yield Import(module, target, path, getattr(node, "lineno", 0))


def targets(node: ast.AST, package: str, known: dict[str, Path]) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=name, names=names, level=level):
            base = absolute(name or "", level, package)
            for alias in names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in known or inner == f"{PACKAGE}._core" else base
        case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
            yield absolute(name.lstrip("."), len(name) - len(name.lstrip(".")), package)


def absolute(name: str, level: int, package: str) -> str:
    """Resolve a relative import of `level` dots made inside `package`."""
    if not level:
        return name
    base = package.split(".")[: len(package.split(".")) - level + 1]
    return ".".join([*base, name] if name else base)


def is_ours(target: str) -> bool:
    return target == PACKAGE or target.startswith(f"{PACKAGE}.")


def module_name(source: Path, path: Path) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join([PACKAGE, *(parts[:-1] if parts[-1] == "__init__" else parts)])


if __name__ == "__main__":
    sys.exit(main())
