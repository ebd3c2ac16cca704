"""Typed commands, events and types of the DevTools protocol, one module per domain, generated.

    from stillframe.cdp_types import page

    page.Navigate(url="https://example.org")     a command: `.method`, `.result`
    page.FrameNavigated                           an event
    page.Frame, page.FrameId                      a type, an alias

Names are the protocol's in PascalCase; fields are in snake_case and renamed on the wire. A type with the name of a
command ends in `Type`, an event whose name is taken ends in `Event`. Enumerations are plain `str`; `Known…` literals
list the values of this revision. Types of another domain appear as their primitive type (`str`, `int`, …), or are
imported on first decoding if they are objects, so importing one domain imports no other. tools/generate_cdp_types.py
generates the modules.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from stillframe.cdp_types._base import Command, Event, Type

__all__ = ["Command", "Event", "Type"]


def __getattr__(name: str) -> ModuleType:
    """Import a domain on first use."""
    from stillframe.cdp_types._index import DOMAINS  # imported here because most programs import domains by name

    if name not in DOMAINS:
        raise AttributeError(f"the protocol has no domain {name!r}; its domains are {', '.join(DOMAINS)}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    from stillframe.cdp_types._index import DOMAINS

    return [*__all__, *DOMAINS]
