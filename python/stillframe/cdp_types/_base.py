"""Base classes of the generated types, commands and events."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

R_co = TypeVar("R_co", covariant=True)


class Type(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A value of the protocol.

    Decoding ignores unknown fields; enumerations are plain strings; absent optional fields are None. `gc=False` keeps
    the values, which have no cycles, out of the garbage collector: a document tree may have 100,000 nodes.
    """


class Command(msgspec.Struct, Generic[R_co], frozen=True, omit_defaults=True, gc=False):
    """A command of the protocol; its fields are the parameters, and fields with their default value are not sent.

    A parameter named like a Python keyword, `method` or `result` gets a trailing underscore.
    """

    method: ClassVar[str] = ""
    """The protocol's name, for example `Page.navigate`."""
    result: ClassVar[type[Type] | None] = None
    """The type of the result; None if the result is empty."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An event of the protocol; its fields are the parameters."""

    method: ClassVar[str] = ""
    """The protocol's name, for example `Page.frameNavigated`."""


class LazyDomain:
    """A placeholder for another domain's module, imported when a decoder first needs one of its types."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(f"stillframe.cdp_types.{self._name}"), attribute)
