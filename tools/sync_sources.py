"""What `generate_sync.py` reads: the public members of the asynchronous classes, as their sources have them."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

LEFT_OUT: dict[str, dict[str, str]] = {
    "Session": {"lock": "it belongs to the task that holds it, and each synchronous call is a task of its own"},
    "CDPSession": dict.fromkeys(
        ("channel", "post", "batch", "subscribe", "expect", "auto_attach"),
        "it hands out futures and streams of the event loop; `send`, `call` and `on` are there",
    ),
    "AdbDevice": dict.fromkeys(
        ("open", "open_abstract", "server"),
        "it hands out sockets that do not block; commands and files of the device are there",
    ),
}
"""Public names that have no synchronous form, and why."""

ATTRIBUTES: dict[str, dict[str, str]] = {
    "Browser": {"info": "BrowserInfo", "allowed_schemes": "frozenset[str]", "default_context": "BrowserContext"},
    "Session": {
        "id": "str",
        "kind": "SessionKind",
        "warning": "SessionCountWarning | None",
        "loop_guard": "LoopGuard | None",
    },
    "AndroidDevice": {"adb": "AdbDevice", "info": "DeviceInfo", "native": "NativeUi"},
    "AdbDevice": {"serial": "str"},
    "Subscription": {"dropped": "int"},
    "Route": {"decided": "bool", "fell_back": "bool"},
}
"""The types of public attributes that are set without an annotation."""

RESULTS: dict[str, str] = {
    "Request.page": "Page | None",
    "Request.frame": "Frame",
    "Response.page": "Page | None",
    "Response.frame": "Frame",
    "Frame.page": "Page",
    "Locator.page": "Page",
    "FileChooser.page": "Page",
    "Dialog.page": "Page",
    "Download.page": "Page",
    "Request.response": "Response | None",
}
"""What members return that a lower room defines, where it cannot name the type."""

ATTRIBUTE_DOCUMENTATION = {
    "Browser.allowed_schemes": "The URL schemes that pages may load.",
    "Session.id": "The name of the session.",
    "Session.kind": "What the session owns: a context, a browser, or a page of the caller.",
    "AdbDevice.serial": "The serial number of the device, as `adb devices` lists it.",
    "Session.warning": "Set if too many sessions were open when this one opened.",
}
"""Documentation of attributes that have none in the source."""


@dataclass(frozen=True)
class Name:
    """A global name, and the module that defines or imports it."""

    module: str
    name: str


@cache
def tree_of(module: str) -> ast.Module:
    path = Path(str(import_module(module).__file__))
    # The compiled core has no source; its classes await nothing.
    return ast.parse(path.read_text()) if path.suffix == ".py" else ast.Module([], [])


@cache
def globals_of(module: str) -> dict[str, Name | str]:
    """Return what each global name of a module stands for: a name elsewhere, or a module as its import statement."""
    found: dict[str, Name | str] = {}
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found[alias.asname or alias.name.partition(".")[0]] = ast.unparse(ast.Import([alias]))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = shown(str(node.module), alias.name)
    for statement in tree_of(module).body:
        for name in defined(statement):
            found[name] = Name(module, name)
    return found


def shown(module: str, name: str) -> Name | str:
    """Return where a name lives that `stillframe` or `stillframe.extend` only shows, and any other as it stands."""
    shows = module == "stillframe" or module.partition(".")[2].split(".")[0] == "extend"
    return (globals_of(module) if shows else {}).get(name, Name(module, name))


def defined(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name


def home(name: Name) -> Name:
    """Follow re-exports to the module that defines a name."""
    found = globals_of(name.module).get(name.name)
    if isinstance(found, Name) and found != name and found.module.startswith("stillframe"):
        return home(found) if not isinstance(member(found), ModuleType) else found
    return name


def member(name: Name) -> Any:
    """Return the object of a name; None for what only type checkers import."""
    try:
        module = import_module(name.module)
    except ImportError:
        return None
    if hasattr(module, name.name):
        return getattr(module, name.name)
    try:
        return import_module(f"{name.module}.{name.name}")
    except ImportError:
        return None


def class_node(cls: type) -> ast.ClassDef:
    for node in tree_of(cls.__module__).body:
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            return node
    raise LookupError(f"{cls.__module__} has no class {cls.__name__} at its top")


def bases(cls: type) -> list[type]:
    """Return a class and its bases in stillframe, the most general first."""
    return [each for each in reversed(cls.__mro__) if each.__module__.startswith("stillframe.")]


def is_asynchronous(cls: Any) -> bool:
    """Whether a class has something to await in public, so that it needs a synchronous form."""
    if not isinstance(cls, type) or not cls.__module__.startswith("stillframe.") or issubclass(cls, BaseException):
        return False
    own = [value for each in bases(cls) for name, value in vars(each).items() if is_public(name)]
    return any(inspect.iscoroutinefunction(value) for value in own) or hasattr(cls, "__anext__")


def is_public(name: str) -> bool:
    return not name.startswith("_")


def names_in(node: ast.AST | None) -> Iterator[str]:
    """Yield the global names in an annotation or a default, also those in quotes."""
    for each in ast.walk(node) if node is not None else ():
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
            yield each.value


# -- members -------------------------------------------------------------------------------------


@dataclass
class Member:
    """A public member of an asynchronous class, as its source has it."""

    name: str
    module: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    setter: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    annotation: ast.expr | None = None
    documentation: str | None = None
    types: dict[str, ast.expr] = field(default_factory=dict)
    """What the type variables of a generic base stand for."""
    of: str = ""
    """The name of its class."""
    overloads: list[ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=list)
    """The signatures that type checkers see in place of the method's own."""

    @property
    def is_property(self) -> bool:
        return self.node is not None and any(
            isinstance(each, ast.Name) and each.id == "property" for each in self.node.decorator_list
        )

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef) and not self.is_manager

    @property
    def is_manager(self) -> bool:
        return self.node is not None and any(
            isinstance(each, ast.Name) and each.id == "asynccontextmanager" for each in self.node.decorator_list
        )

    def annotations(self) -> Iterator[ast.expr]:
        if self.annotation is not None:
            yield self.annotation
        for node in (self.node, self.setter, *self.overloads):
            if node is not None:
                yield from (each for each in (*(arg.annotation for arg in arguments(node)), node.returns) if each)


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    args = node.args
    extra = [each for each in (args.vararg, args.kwarg) if each is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]


def members_of(cls: type) -> dict[str, Member]:
    """Return the public members of a class, those of its bases first, in the order of the sources."""
    found: dict[str, Member] = {}
    left_out = LEFT_OUT.get(cls.__name__, {})
    for each in bases(cls):
        for one in own_members(each, type_arguments(cls, each)):
            one.of = cls.__name__
            known = found.get(one.name)
            if known is not None and one.setter is not None and one.node is None:
                known.setter = one.setter
            elif one.name not in left_out:
                found[one.name] = one
    return found


def type_arguments(cls: type, base: type) -> dict[str, ast.expr]:
    """Return what the type variables of a generic base stand for in a class."""
    parameters = [each.__name__ for each in getattr(base, "__parameters__", ())]
    if not parameters or cls is base:
        return {}
    for each in bases(cls):
        for node in class_node(each).bases:
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == base.__name__:
                given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                return dict(zip(parameters, given, strict=True))
    return {}


def own_members(cls: type, types: dict[str, ast.expr]) -> Iterator[Member]:
    node = class_node(cls)
    overloads: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if statement.name == "__init__":
                yield from attributes(cls, statement)
            if is_overload(statement):
                overloads.setdefault(statement.name, []).append(statement)
            elif is_public(statement.name):
                yield method(cls, statement, types, overloads.get(statement.name, []))
        elif hasattr(cls, "__struct_fields__"):
            yield from struct_field(cls, statement)
        else:
            yield from opposite(cls, statement, types)


def opposite(cls: type, statement: ast.stmt, types: dict[str, ast.expr]) -> Iterator[Member]:
    """Yield the method of `not_to_be = negated(to_be)`: it has the signature of the other one."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="negated"), args=[ast.Name(id=of)])
        ):
            (node,) = (each for each in class_node(cls).body if getattr(each, "name", None) == of)
            assert isinstance(node, ast.AsyncFunctionDef)
            twin = copy.copy(node)
            twin.name = name
            yield Member(name, cls.__module__, twin, documentation=getattr(cls, name).__doc__, types=types)


def struct_field(cls: type, statement: ast.stmt) -> Iterator[Member]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation) if is_public(name):
            text = f"The field `{name}`; `{cls.__module__}.{cls.__name__}` documents it."
            yield Member(name, cls.__module__, annotation=annotation, documentation=text)


def is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list)


def method(
    cls: type,
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    types: dict[str, ast.expr],
    overloads: list[ast.FunctionDef | ast.AsyncFunctionDef],
) -> Member:
    is_setter = any(isinstance(each, ast.Attribute) and each.attr == "setter" for each in node.decorator_list)
    if is_setter:
        return Member(node.name, cls.__module__, setter=node)
    documentation = ast.get_docstring(node, clean=True)
    return Member(node.name, cls.__module__, node, documentation=documentation, types=types, overloads=overloads)


def attributes(cls: type, init: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Member]:
    """Yield the public attributes that a constructor sets; fail for one whose type is not known."""
    for index, statement in enumerate(init.body):
        match statement:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
                annotation = None
            case ast.AnnAssign(target=ast.Attribute(value=ast.Name(id="self"), attr=name), annotation=annotation):
                pass
            case _:
                continue
        if not is_public(name) or name in LEFT_OUT.get(cls.__name__, {}):
            continue
        if annotation is None:
            known = ATTRIBUTES.get(cls.__name__, {})
            if name not in known:
                raise SystemExit(f"{cls.__name__}.{name} has no annotation: add its type to ATTRIBUTES in {__file__}")
            annotation = ast.parse(known[name], mode="eval").body
        after = init.body[index + 1] if index + 1 < len(init.body) else None
        match after:
            case ast.Expr(value=ast.Constant(value=str(text))):
                documentation = inspect.cleandoc(text)
            case _:
                documentation = ATTRIBUTE_DOCUMENTATION[f"{cls.__name__}.{name}"]
        yield Member(name, cls.__module__, annotation=annotation, documentation=documentation)
