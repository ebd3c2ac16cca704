"""Typed commands, events and types of the DevTools protocol, one module per domain, generated.

    from stillframe.cdp_types import page

    page.Navigate(url="https://example.org")     a command: `.method`, `.result`
    page.FrameNavigated                           an event
    page.Frame, page.FrameId                      a type, an alias

Names are the protocol's in PascalCase; fields are snake_case and are renamed on the wire. A type whose name is
also a command's ends in `Type`, an event whose name is taken ends in `Event`. Enumerations are plain `str`; the
values known at generation stand beside them as `Known…` literals. Types of another domain are referred to by their
primitive type (`str`, `int`, …) or, where they are objects, imported when first decoded: importing one domain
imports no other. Regenerate with tools/generate_cdp_types.py.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from stillframe.cdp_types._base import Command, Event, Type

__all__ = ["Command", "Event", "Type"]


def __getattr__(name: str) -> ModuleType:
    """Import a domain when it is first asked for."""
    from stillframe.cdp_types._index import DOMAINS  # only here: most programs import domains by name

    if name not in DOMAINS:
        raise AttributeError(f"the protocol has no domain {name!r}; there are {', '.join(DOMAINS)}")
    return import_module(f"{__name__}.{name}")


def __dir__() -> list[str]:
    from stillframe.cdp_types._index import DOMAINS

    return [*__all__, *DOMAINS]
