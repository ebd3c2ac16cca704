"""Check that imports only point down the layers of stillframe.

The table below is the one place where layers are written down. A module belongs to the longest entry that is
a prefix of its dotted name (without `stillframe.`); a module that no entry covers is an error. Every import
statement counts: the ones inside functions and under TYPE_CHECKING too, and importlib.import_module with a literal.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = "stillframe"
SOURCE = Path(__file__).resolve().parent.parent / "python" / PACKAGE

FACADE = 5.5  # the package itself: re-exports what lies below the doors, and only doors may use it
DOORS = 6

LAYERS: dict[str, float] = {
    # 0 values: no I/O
    "errors": 0,
    "model": 0,
    "_core": 0,  # imports nothing: bytes and texts in, plain values out
    # 1 logic: no asyncio, no sockets, no clocks
    "dom": 1,
    "cdp.wire": 1,
    "cdp.mux": 1,
    "settle.signals": 1,
    "settle.shape": 1,
    "settle.verdict": 1,
    "settle.pending": 1,
    "settle.rows": 1,
    "settle.requests": 1,
    "settle.sockets": 1,
    "settle.documents": 1,
    "settle.calls": 1,
    "settle.residual": 1,
    "settle.fence": 1,
    "settle.course": 1,
    "settle.noise": 1,
    "settle.polls": 1,
    "settle.loads": 1,
    "settle.pace": 1,
    "settle.replies": 1,
    "settle.late": 1,
    "settle.quiet": 1,
    "settle.watch": 1,
    "settle.gears": 1,
    "loopguard": 1,
    "sessions.book": 1,
    # 2 I/O: knows no pages
    "cdp": 2,
    "cdp_types": 2,
    "chrome": 2,
    "android": 2,
    # 3 page: knows no sequences
    "page": 3,
    "settle.closed": 3,
    "settle": 3,
    # 4 engine: knows no models, no farms
    "sequence": 4,
    "loops": 4,
    "sessions": 4,
    "trace": 4,
    "delta": 4,
    "api": 4,
    # 5 built on it: know not each other
    "agent": 5,
    "farm": 5,
    "": FACADE,
    # 6 doors: nobody imports them
    "cli": DOORS,
    "demo": DOORS,
    "mcp": DOORS,
    "__main__": DOORS,
}

STRANGERS = frozenset({frozenset({"agent", "farm"})})
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
        print(f"layers: {len(list(SOURCE.rglob('*.py')))} modules, every import points down")
    return bool(problems)


def check(source: Path) -> Iterator[str]:
    """Yield one sentence per broken rule in the package whose files lie under `source`."""
    names = {module_name(source, path): path for path in source.rglob("*.py")}
    for module, path in names.items():
        if entry(module) is None:
            yield f"{path}: {module} stands in no layer; add it to the table in tools/check_layers.py"
            continue
        for found in imports(module, path, names):
            problem = judge(found)
            if problem:
                yield f"{found.path}:{found.line}: {found.module} {problem}"


def judge(found: Import) -> str | None:
    """Say what is wrong with one import, or None."""
    own = entry(found.module) or ""
    if not is_ours(found.target):
        root = found.target.partition(".")[0]
        if LAYERS[own] == 1 and root in LOGIC_AVOIDS:
            return f"is logic (layer 1) and imports {root}: pass time and I/O in as arguments"
        return None
    other = entry(found.target)
    if other is None:
        return f"imports {found.target}, which stands in no layer"
    if frozenset({own, other}) in STRANGERS:
        return f"imports {found.target}: {own} and {other} know not each other"
    if LAYERS[other] > LAYERS[own]:
        return f"(layer {LAYERS[own]:g}) imports {found.target} (layer {LAYERS[other]:g}): imports only point down"
    return None


def entry(module: str) -> str | None:
    """Return the key of the table that covers a dotted module name."""
    inner = module.removeprefix(PACKAGE).removeprefix(".")
    if not inner:
        return ""
    parts = inner.split(".")
    keys = (".".join(parts[:size]) for size in range(len(parts), 0, -1))
    return next((key for key in keys if key in LAYERS), None)


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
