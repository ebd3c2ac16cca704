"""Cookies and localStorage as plain values, in the JSON shape that Playwright reads and writes."""

from __future__ import annotations

import json
import os
from math import isfinite
from typing import Any, Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.security.input_files import InputRefused, decode_text, read_file

SameSite = Literal["Strict", "Lax", "None"]


class CookieState(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One cookie; `expires` is in seconds since 1970, -1 for a session cookie.

    A `domain` with a leading dot includes subdomains. To set a cookie, `url` may replace `domain` and `path`.
    """

    name: str
    value: str
    url: str | None = None
    domain: str | None = None
    path: str | None = None
    expires: float = -1
    http_only: bool = False
    secure: bool = False
    same_site: SameSite | None = None
    partition_key: str | None = None
    """The top-level site of a partitioned cookie (CHIPS)."""
    has_cross_site_ancestor: bool | None = msgspec.field(name="_crHasCrossSiteAncestor", default=None)
    """Whether a partitioned cookie is that of a frame within another site, in Playwright's spelling; by default whether
    its domain is of another site than the partition."""


class Item(msgspec.Struct, frozen=True):
    """One entry of a localStorage."""

    name: str
    value: str


class OriginState(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The localStorage of an origin such as `https://example.org`."""

    origin: str
    local_storage: tuple[Item, ...]
    indexed_db: Any = msgspec.field(name="indexedDB", default=None)


class StorageState(msgspec.Struct, frozen=True):
    """Cookies and localStorage, as `BrowserContext.storage_state` returns them."""

    cookies: tuple[CookieState, ...] = ()
    origins: tuple[OriginState, ...] = ()

    def __repr__(self) -> str:
        return f"StorageState({len(self.cookies)} cookies, {len(self.origins)} origins)"


def read_state(source: Any, option: str = "storage_state") -> StorageState:
    """Turn a dict, the path of a JSON file or a StorageState into a StorageState; raises OptionInvalid."""
    if isinstance(source, StorageState):
        return source
    try:
        if isinstance(source, str | os.PathLike):
            # Not `read_json`: localStorage may hold half of a character, which JSON escapes and msgspec refuses.
            source = json.loads(decode_text(read_file(source)))
        state = msgspec.convert(source, StorageState)
    except InputRefused as error:
        raise OptionInvalid(f"option {option}: cannot read {source}: {error}", option=option) from None
    except RecursionError:
        raise OptionInvalid(f"option {option}: it is nested too deeply", option=option) from None
    except ValueError as error:  # msgspec's and json's errors
        raise OptionInvalid(f"option {option}: {error}", option=option) from None
    _check(state, option)
    return state


def read_cookies(cookies: Any) -> tuple[CookieState, ...]:
    """Turn a list of cookie dicts into values; raises OptionInvalid."""
    return read_state({"cookies": cookies}, "cookies").cookies


def _check(state: StorageState, option: str) -> None:
    for cookie in state.cookies:
        if not cookie.url and not (cookie.domain and cookie.path):
            raise OptionInvalid(
                f"option {option}: cookie {cookie.name!r} needs a url, or a domain and a path", option=option
            )
        if not isfinite(cookie.expires) or (cookie.expires < 0 and cookie.expires != -1):
            raise OptionInvalid(
                f"option {option}: cookie {cookie.name!r} expires at {cookie.expires:g}; give seconds since 1970, "
                "or -1 for a session cookie",
                option=option,
            )
    for origin in state.origins:
        if origin.indexed_db:
            raise OptionInvalid(
                f"option {option}: {origin.origin} has indexedDB, which is not supported", option=option
            )
        if not origin.origin.startswith(("http://", "https://")):
            raise OptionInvalid(f"option {option}: {origin.origin!r} is not an http or https origin", option=option)
