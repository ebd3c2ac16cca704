"""The bases of the generated definitions: what a type, a command and an event are in Python."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

R_co = TypeVar("R_co", covariant=True)


class Type(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A value of the protocol.

    Unknown fields are ignored on input, enumerations are plain strings, optional fields are None when absent.
    `gc=False`: decoded JSON has no cycles, and a document tree of 100,000 nodes is then free of collector passes.
    """


class Command(msgspec.Struct, Generic[R_co], frozen=True, omit_defaults=True, gc=False):
    """A command of the protocol; its fields are the parameters, and those left at their default are not sent.

    A parameter whose name is a Python keyword, or `method` or `result`, has a trailing underscore.
    """

    method: ClassVar[str] = ""
    """The name on the wire, for example `Page.navigate`."""
    result: ClassVar[type[Type] | None] = None
    """The type of the answer; None when the answer is empty."""


class Event(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An event of the protocol; its fields are the parameters."""

    method: ClassVar[str] = ""
    """The name on the wire, for example `Page.frameNavigated`."""


class LazyDomain:
    """Stands in for another domain's module, and imports it when a decoder first needs one of its types."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(f"stillframe.cdp_types.{self._name}"), attribute)
