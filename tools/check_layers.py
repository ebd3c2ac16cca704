"""Check the layers of stillframe: imports point down, modules form no circle, and no hook or protocol hides a call up.

`ROOMS` is the one place where layers are written down. A room is a package or a module directly below `stillframe` and
has a number of its own; a module imports only from its own room and from rooms with lower numbers. Doors import nothing
of the driver but `stillframe` and `stillframe.extend`. Every import statement counts, also inside a function or under
TYPE_CHECKING, and so does `importlib.import_module` with a literal.

`stillframe_phone` is a distribution of its own: stillframe imports nothing of it. It imports what `testing` and the
rooms below it have; of the driver the same as doors, and the modules of `PHONE_USES`.

    python tools/check_layers.py
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

PACKAGE = "stillframe"
PHONE = "stillframe_phone"
ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "python" / PACKAGE
PHONE_SOURCE = ROOT / "phone" / PHONE

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
    "har": 12,
    "video": 13,
    "engine": 14,
    "extend": 15,
    "trace": 16,
    "api": 17,
    "adb": 18,
    "assertions": 19,
    "sessions": 20,
    "": 21,  # the package itself: re-exports what lies below the doors
    # The doors: nothing but a door imports them.
    "testing": 22,  # nothing at all imports it
    "scripts": 23,
    "agent": 24,
    "farm": 25,
    "recorder": 26,
    "sync": 27,
    "demo": 28,
    "mcp": 29,
    "session_server": 30,
    "cli": 31,
    "__main__": 32,
}

SEAM = "extend"
"""What doors import of the driver, besides the public names of `stillframe` itself."""
DOORS = frozenset(
    {"trace", "sessions", "scripts", "agent", "farm", "recorder", "demo", "mcp", "session_server", "cli", "__main__"}
)
"""The rooms that act on pages from outside of the driver. `testing`, `assertions` and `sync` are its other faces."""
DRIVER = frozenset({"cdp", "chrome", "tab", "settling", "har", "video", "engine", "api"})
"""The rooms below and at the public page. What lies below them knows no page: values, secrets, the core, scripts."""
BESIDE_API = frozenset({"sessions"})
"""Doors whose classes `stillframe` itself shows, so that they import the public classes from `api`."""
PHONE_USES = frozenset({f"{PACKAGE}.chrome.capabilities", f"{PACKAGE}.chrome.protocol_history"})
"""What the phone imports of the driver beside the seam: what Chromium of an old version lacks, which it imitates."""

LOGIC = (
    "model",
    *(f"farm.loading.{name}" for name in ("pressure", "retries", "trials")),
    "farm.metrics.hosts",
    *(f"farm.pool.{name}" for name in ("planner", "settings", "status")),
    "farm.robots.rules",
    *(f"farm.sitemaps.{name}" for name in ("decoding", "entries", "reader", "unpacking", "xml_entries")),
    *(f"farm.store.{name}" for name in ("entries", "tables")),
    *(f"farm.traps.{name}" for name in ("novelty", "segments", "shapes", "sketches", "suspicion", "varieties")),
    "farm.exits",
    "farm.reasons",
    "farm.retry_after",
    "security.encodings",
    "core",
    "loopguard",
    "cdp.wire",
    "cdp.mux",
    "chrome.http_exchange",
    "chrome.protocol_history",
    *(
        f"adb.{name}"
        for name in (
            *("address", "app_commands", "browsers", "chrome_command_line", "device_checks", "device_list"),
            *("shell_protocol", "sync_protocol"),
            *(
                f"devtools.{name}"
                for name in (
                    *("exit_info", "loss", "missing", "page_frames", "probes", "processes", "socket_listing"),
                    *("targets", "unix_sockets", "views"),
                )
            ),
            *(f"native.{name}" for name in ("keycodes", "native_input", "native_selectors", "png", "rect", "ui_tree")),
        )
    ),
    *(
        f"settling.{name}"
        for name in (
            *("activity", "calls", "documents", "expected_replies", "fence", "late", "loads", "machine", "noise"),
            *("pending", "polls", "quiet_rule", "quiet_windows", "replies", "requests", "rows", "shape"),
            *("signals", "sockets", "time_policy", "slowdown", "progress", "observation"),
        )
    ),
    *(f"assertions.{name}" for name in ("aria", "matching", "screenshots", "soft")),
    "sessions.registry",
    *(f"agent.{name}" for name in ("budget", "decision", "events", "journey", "limits", "outcome", "prompt", "turn")),
    *(f"trace.{name}" for name in ("spans", "timeline")),
    *(f"har.{name}" for name in ("cookies", "exchange", "model", "recording", "replay")),
    *(f"recorder.{name}" for name in ("drafts", "events", "expectation")),
    *(f"video.{name}" for name in ("matroska", "timeline")),
    "testing.cassette_commands",
)
"""Modules and rooms of pure logic: tests drive them without sleeping, because time and I/O are arguments."""
LOGIC_AVOIDS = frozenset({"asyncio", "socket", "selectors", "ssl", "subprocess", "threading", "time", "websockets"})


class Module(NamedTuple):
    """A module of the package, parsed; `name` is dotted and absolute."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def package(self) -> str:
        """The package that relative imports of this module start from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


class Import(NamedTuple):
    """One import of `target` (dotted, absolute) by `module`."""

    module: str
    target: str
    line: int


class Class(NamedTuple):
    """A class, the names of its bases, and the members that it defines itself."""

    module: str
    line: int
    name: str
    bases: tuple[str, ...]
    members: frozenset[str]


def main(source: Path = SOURCE, phone: Path = PHONE_SOURCE) -> int:
    modules = [*read(source), *read(phone, PHONE)]
    problems = sorted({*check(modules), *unknown_logic(modules)})
    for problem in problems:
        print(problem)
    if not problems:
        print(f"layers: {len(modules)} modules, every import points down, no circles, no hooks")
    return bool(problems)


def check(modules: list[Module]) -> Iterator[str]:
    """Yield one sentence for each broken rule."""
    names = frozenset(module.name for module in modules)
    found = [each for module in modules for each in imports(module, names)]
    for name in names:
        if room(name) is None and not is_of_phone(name):
            yield f"{name} is in no room: add it to ROOMS in tools/check_layers.py"
    for each in found:
        if problem := judge(each):
            yield f"{each.module}:{each.line} {problem}"
    yield from circles(found, names)
    written = [module for module in modules if room(module.name) != "cdp_types"]
    yield from hooks(written)
    yield from single_protocols([module for module in written if not is_of_phone(module.name)])
    yield from single_protocols([module for module in written if is_of_phone(module.name)])


def unknown_logic(modules: list[Module]) -> Iterator[str]:
    """Yield a sentence for each entry of LOGIC that names nothing, so that a renamed module stays checked."""
    for entry in LOGIC:
        if not any(is_within(module.name, entry) for module in modules):
            yield f"LOGIC in tools/check_layers.py names {entry}, which does not exist"


def read(source: Path, package: str = PACKAGE) -> list[Module]:
    """Return the modules of the package whose files lie under `source`."""
    return [
        Module(module_name(source, path, package), path, ast.parse(path.read_bytes(), str(path)))
        for path in sorted(source.rglob("*.py"))
    ]


def module_name(source: Path, path: Path, package: str = PACKAGE) -> str:
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join([package, *(parts[:-1] if parts[-1] == "__init__" else parts)])


# -- rooms ---------------------------------------------------------------------------------------


def judge(found: Import) -> str | None:
    """Return what is wrong with one import, or None."""
    if is_of_phone(found.module):
        return judge_phone(found)
    if is_of_phone(found.target):
        return f"imports {found.target}, which belongs to another distribution"
    if not is_ours(found.target):
        top = found.target.partition(".")[0]
        if is_logic(found.module) and top in LOGIC_AVOIDS:
            return f"is logic and imports {top}: take time and I/O as arguments"
        return None
    own, other = room(found.module), room(found.target)
    if other is None:
        return f"imports {found.target}, which is in no room"
    if own is None or own == other:
        return None
    if shows_error(found):
        return None
    if other == "testing":
        return f"imports {found.target}, which is for tests only"
    if own in DOORS and other in DRIVER and not (other == "api" and own in BESIDE_API):
        return f"imports {found.target}, which lies below the seam: use {PACKAGE} or {PACKAGE}.{SEAM}"
    if ROOMS[other] > ROOMS[own]:
        rooms = f"{own or PACKAGE} {ROOMS[own]}, {other or PACKAGE} {ROOMS[other]}"
        return f"imports {found.target} ({rooms}): imports only point down"
    return None


def judge_phone(found: Import) -> str | None:
    """Return what is wrong with one import of the phone, or None."""
    if not is_ours(found.target) or found.target in PHONE_USES:
        return None
    other = room(found.target)
    if other is None:
        return f"imports {found.target}, which is in no room"
    if other in DRIVER:
        return f"imports {found.target}, which lies below the seam: use {PACKAGE} or {PACKAGE}.{SEAM}"
    if ROOMS[other] > ROOMS["testing"]:
        return f"imports {found.target}, which lies above testing"
    return None


def shows_error(found: Import) -> bool:
    """Say whether `stillframe.errors` only shows type checkers an error that lives in the room which raises it."""
    return found.module == f"{PACKAGE}.errors" and found.target.endswith(".errors")


def room(module: str) -> str | None:
    """Return the key of `ROOMS` for a dotted module name: its first part below the package."""
    first = module.removeprefix(PACKAGE).removeprefix(".").partition(".")[0]
    return first if first in ROOMS else None


def is_ours(target: str) -> bool:
    return target == PACKAGE or target.startswith(f"{PACKAGE}.")


def is_of_phone(name: str) -> bool:
    return name == PHONE or name.startswith(f"{PHONE}.")


def is_logic(module: str) -> bool:
    return any(is_within(module, entry) for entry in LOGIC)


def is_within(module: str, entry: str) -> bool:
    inner = module.removeprefix(f"{PACKAGE}.")
    return inner == entry or inner.startswith(f"{entry}.")


# -- imports -------------------------------------------------------------------------------------


def imports(module: Module, names: frozenset[str]) -> Iterator[Import]:
    """Yield every import of one module; `from x import y` counts as x.y where that is a module."""
    for node in ast.walk(module.tree):
        for target in dict.fromkeys(targets(node, module.package, names)):
            yield Import(module.name, target, getattr(node, "lineno", 0))


def targets(node: ast.AST, package: str, names: frozenset[str]) -> Iterator[str]:
    match node:
        case ast.Import(names=aliases):
            yield from (alias.name for alias in aliases)
        case ast.ImportFrom(module=name, names=aliases, level=level):
            base = absolute(name or "", level, package)
            for alias in aliases:
                inner = f"{base}.{alias.name}"
                yield inner if inner in names or inner == f"{PACKAGE}._core" else base
        case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
            yield absolute(name.lstrip("."), len(name) - len(name.lstrip(".")), package)


def absolute(name: str, level: int, package: str) -> str:
    """Resolve a relative import of `level` dots made inside `package`."""
    if not level:
        return name
    parts = package.split(".")
    base = parts[: len(parts) - level + 1]
    return ".".join([*base, name] if name else base)


# -- circles -------------------------------------------------------------------------------------


def circles(found: list[Import], names: frozenset[str]) -> Iterator[str]:
    """Yield a sentence for each circle of modules, but for those that the protocol's own domains form."""
    graph: dict[str, set[str]] = {name: set() for name in names}
    for each in found:
        if each.target in names and each.target != each.module and not is_generated(each) and not shows_error(each):
            graph[each.module].add(each.target)
    while True:
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            path = error.args[1][:0:-1]
            graph[path[0]].discard(path[1])  # break it, so that the next one shows
            first = path.index(min(path))
            yield f"modules form a circle: {' -> '.join([*path[first:], *path[: first + 1]])}"
        else:
            return


def is_generated(found: Import) -> bool:
    """Say whether both ends are generated from the protocol, whose domains refer to each other."""
    return room(found.module) == room(found.target) == "cdp_types"


# -- hooks ---------------------------------------------------------------------------------------


def hooks(modules: list[Module]) -> Iterator[str]:
    """Yield a sentence for each callable that is set on another object, so that a lower room calls a higher one.

    An attribute counts when every class that declares it gives it a callable type. Unsetting it does not count again,
    and `stillframe.testing` and the phone may replace what they like.
    """
    aliases = {name for module in modules for name in callable_aliases(module.tree)}
    callables, others = set[str](), set[str]()
    for module in modules:
        for name, kind in declared_attributes(module.tree):
            (callables if is_callable(kind, aliases) else others).add(name)
    for module in modules:
        if room(module.name) != "testing" and not is_of_phone(module.name):
            for line, name in assigned_to_others(module.tree):
                if name in callables - others:
                    yield f"{module.name}:{line} sets the hook {name!r} on another object: pass it as an argument"


def callable_aliases(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module gives to callable types: `Handler = Callable[[Request], Response]`."""
    for node in tree.body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                if is_callable(value, set()):
                    yield name


def declared_attributes(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield name and type of each attribute that a class declares, in its body or as `self.name: type`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            for inner in ast.walk(node):
                match inner:
                    case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=kind):
                        yield name, kind
            for item in node.body:
                match item:
                    case ast.AnnAssign(target=ast.Name(id=name), annotation=kind):
                        yield name, kind


def is_callable(kind: ast.expr, aliases: set[str]) -> bool:
    """Say whether a type is a callable, or a callable or None."""
    match kind:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return any(is_callable(side, aliases) for side in (left, right))
        case ast.Subscript(value=ast.Name(id="Callable") | ast.Attribute(attr="Callable")):
            return True
        case ast.Subscript(value=ast.Name(id="Optional") | ast.Attribute(attr="Optional"), slice=inner):
            return is_callable(inner, aliases)
        case ast.Name(id=name):
            return name == "Callable" or name in aliases
    return False


def assigned_to_others(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each attribute that a function sets, to more than a constant, on another object.

    Its own object (`self`, `cls`) and those that it has just made do not count.
    """
    for scope in ast.walk(tree):
        if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
            own = {"self", "cls", *made_here(scope)}
            for target in targets_of_assignments(scope):
                match target:
                    case ast.Attribute(value=ast.Name(id=owner)) if owner in own:
                        pass
                    case ast.Attribute(attr=name, lineno=line):
                        yield line, name


def made_here(scope: ast.AST) -> Iterator[str]:
    """Yield the names of variables that hold an object which a class of this name made: `call = PendingCall()`."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=made) | ast.Attribute(attr=made))
            ):
                if made[:1].isupper():
                    yield name


def targets_of_assignments(scope: ast.AST) -> Iterator[ast.expr]:
    """Yield what is assigned to, unless the value is a constant: to unset a hook is not to set one."""
    for node in ast.walk(scope):
        match node:
            case ast.Assign(value=ast.Constant()) | ast.AnnAssign(value=ast.Constant() | None):
                pass
            case ast.Assign(targets=targets):
                for target in targets:
                    yield from target.elts if isinstance(target, ast.Tuple) else [target]
            case ast.AnnAssign(target=target):
                yield target


# -- protocols -----------------------------------------------------------------------------------


def single_protocols(modules: list[Module]) -> Iterator[str]:
    """Yield a sentence for each protocol that exactly one class of the package fulfils.

    A protocol of `__call__` alone describes functions, and one that no class fulfils describes objects from outside.
    """
    found = [each for module in modules for each in classes(module)]
    for protocol in found:
        wanted = inherited(protocol, found)
        if "Protocol" not in protocol.bases or wanted <= {"__call__"}:
            continue
        fits = [each for each in found if "Protocol" not in each.bases and wanted <= inherited(each, found)]
        if len(fits) == 1:
            where = f"{fits[0].module}.{fits[0].name}"
            yield f"{protocol.module}:{protocol.line} the protocol {protocol.name} has one implementation: use {where}"


def classes(module: Module) -> Iterator[Class]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ClassDef):
            bases = tuple(ast.unparse(base).partition("[")[0].removeprefix("typing.") for base in node.bases)
            yield Class(module.name, node.lineno, node.name, bases, frozenset(members(node)))


def members(node: ast.ClassDef) -> Iterator[str]:
    """Yield the names of methods and attributes, also of those that a method sets on `self`."""
    for item in node.body:
        match item:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield name
    for inner in ast.walk(node):
        match inner:
            case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                yield name


def inherited(one: Class, found: list[Class]) -> frozenset[str]:
    """Return the members of a class and of those of its bases that the package defines."""
    seen: set[str] = set()
    waiting = [one]
    gathered: frozenset[str] = frozenset()
    while waiting:
        each = waiting.pop()
        gathered |= each.members
        waiting += [base for base in found if base.name in each.bases and base.name not in seen]
        seen |= {*each.bases}
    return gathered


if __name__ == "__main__":
    sys.exit(main())
