"""Annotations that are evaluated at run time: msgspec does so for Structs, and other frameworks for public functions.

A name that is imported for type checkers only (`if TYPE_CHECKING:`) is an error there, and no type checker reports it.
"""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec
import pytest

import stillframe

if TYPE_CHECKING:
    from pathlib import Path

PUBLIC = (
    *("stillframe", "stillframe.cdp.transport", "stillframe.chrome", "stillframe.loopguard", "stillframe.sessions"),
    *("stillframe.farm.output", "stillframe.farm.pool", "stillframe.farm.ray", "stillframe.farm.scrapy"),
    *("stillframe.farm.store", "stillframe.sync", "stillframe.testing", "stillframe_phone"),
)
"""Packages with public names; those of agents and crawls name what only their extras have."""


def functions_of(home: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions of a module, and the public methods and properties of its classes."""
    for name in home.__all__:
        found = getattr(home, name)
        if inspect.isfunction(found):
            yield name, inspect.unwrap(found)
        for cls in filter(is_ours, found.__mro__ if isinstance(found, type) else ()):
            for key, member in vars(cls).items():
                function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if inspect.isfunction(function) and not key.startswith("_"):
                    yield f"{name}.{key}", inspect.unwrap(function)


def is_ours(cls: type) -> bool:
    """Return whether a class is stillframe's: frameworks need not evaluate the methods of their own bases."""
    return cls.__module__.startswith("stillframe")


def unknown_names(evaluated: Iterator[tuple[str, Any]]) -> dict[str, str]:
    """Return what has annotations with names that are not there at run time, and the first such name of each."""
    missing = {}
    for name, of in evaluated:
        try:
            get_type_hints(of)
        except NameError as error:
            missing[name] = str(error.name)
    return missing


def structs(base: type = msgspec.Struct) -> Iterator[tuple[str, type]]:
    """Yield all Structs of stillframe that are imported."""
    for cls in type.__subclasses__(base):
        if cls.__module__.startswith("stillframe."):
            yield f"{cls.__module__}.{cls.__qualname__}", cls
        yield from structs(cls)


@pytest.mark.parametrize("package", PUBLIC)
def test_the_annotations_of_public_functions_can_be_evaluated(package: str) -> None:
    found = list(functions_of(import_module(package)))
    assert len(found) > 2
    assert unknown_names(iter(found)) == {}


def test_the_annotations_of_structs_can_be_evaluated() -> None:
    for module in pkgutil.walk_packages(stillframe.__path__, "stillframe."):
        if not module.name.startswith("stillframe.cdp_types.") and not module.name.endswith("__main__"):
            import_module(module.name)
    found = dict(structs())
    assert len(found) > 300
    assert unknown_names(iter(found.items())) == {}


def test_a_name_for_type_checkers_only_is_noticed() -> None:
    def opens(path: Path) -> None: ...

    here = SimpleNamespace(__all__=["opens"], opens=opens)
    assert "Path" not in vars(sys.modules[__name__])
    assert unknown_names(functions_of(here)) == {"opens": "Path"}
