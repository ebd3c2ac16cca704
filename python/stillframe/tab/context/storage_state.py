"""Cookies and the storage of origins as plain values, in the JSON shape that Playwright reads and writes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from math import isfinite
from typing import Annotated, Any, Literal

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.security.input_files import InputRefused, decode_text, read_file

# Databases of IndexedDB as plain values, in the JSON shape that Playwright reads and writes.
#
# `js/src/storage` makes and reads them, and says how a value that is not JSON is encoded. A key generator is not part
# of it: a restored one continues after the highest key.

UNSET = msgspec.UNSET
"""What a record does not have; a value of None is null."""

Version = Annotated[int, msgspec.Meta(ge=1, le=2**53 - 1)]
"""The versions that a page can ask for: integers that a double holds (IndexedDB 3.0, "open")."""


class Index(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An index of an object store."""

    name: str
    key_path: str | msgspec.UnsetType = UNSET
    key_path_array: tuple[str, ...] | msgspec.UnsetType = UNSET
    multi_entry: bool
    unique: bool


class ObjectRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One record; it has no key if its store has a key path, because the value holds it."""

    key: Any = UNSET
    key_encoded: Any = UNSET
    value: Any = UNSET
    value_encoded: Any = UNSET


class ObjectStore(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An object store with its records."""

    name: str
    key_path: str | msgspec.UnsetType = UNSET
    key_path_array: tuple[str, ...] | msgspec.UnsetType = UNSET
    auto_increment: bool
    indexes: tuple[Index, ...]
    records: tuple[ObjectRecord, ...]


class Database(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A database with its object stores."""

    name: str
    version: Version
    stores: tuple[ObjectStore, ...]

    def wrong(self) -> str | None:
        """Return what is missing in it; None if nothing is."""
        for store in self.stores:
            for index in store.indexes:
                if (index.key_path is UNSET) == (index.key_path_array is UNSET):
                    return f"{self._place(store)}: its index {index.name!r} needs either a keyPath or a keyPathArray"
            if store.key_path is not UNSET and store.key_path_array is not UNSET:
                return f"{self._place(store)} has both a keyPath and a keyPathArray"
            for number, record in enumerate(store.records):
                if (record.value is UNSET) == (record.value_encoded is UNSET):
                    return f"{self._place(store)}: its record {number} needs either a value or a valueEncoded"
        return None

    def _place(self, store: ObjectStore) -> str:
        return f"the store {store.name!r} of the database {self.name!r}"


SameSite = Literal["Strict", "Lax", "None"]

Place = tuple[str, ...]
"""Where a frame keeps its storage: the origins of the documents from the top to its own, without repetitions."""


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


class PrivateFile(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A file or a directory; its `path` has slashes between the names."""

    path: str
    type: Literal["file", "directory"]
    base64: str | None = None


class OriginState(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The storage of an origin such as `https://example.org`."""

    origin: str
    ancestors: tuple[str, ...] = ()
    """The origins of the documents around it, from the top, if this is the storage of a frame within other sites."""
    local_storage: tuple[Item, ...]
    indexed_db: tuple[Database, ...] | None = msgspec.field(name="indexedDB", default=None)
    """Its databases; None if nobody has asked for them."""
    opfs: tuple[PrivateFile, ...] | None = None
    """Its private files (the origin private file system); None if nobody has asked for them."""

    @property
    def place(self) -> Place:
        """The origins from the top document to its own."""
        return (*self.ancestors, self.origin)

    def where(self) -> str:
        """Return its name in messages."""
        return " in ".join(reversed(self.place))


def empty_storage(place: Place) -> OriginState:
    """Return the state of an origin that keeps nothing."""
    return OriginState(origin=place[-1], ancestors=place[:-1], local_storage=())


class StorageState(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """Cookies and the storage of origins, as `BrowserContext.storage_state` returns them."""

    cookies: tuple[CookieState, ...] = ()
    origins: tuple[OriginState, ...] = ()
    partitioned_origins: tuple[OriginState, ...] = ()
    """The storage of frames within pages of other sites. Playwright ignores it: an origin has one storage there."""
    credentials: Any = None
    """What Playwright keeps of virtual authenticators, which is refused."""

    @property
    def storages(self) -> tuple[OriginState, ...]:
        """The storage of all origins, those of frames included."""
        return (*self.origins, *self.partitioned_origins)

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


def storage_builtins(storages: Iterable[OriginState]) -> dict[str, Any]:
    """Return the storage of origins in Playwright's JSON shape; what frames keep apart has a list of its own."""
    # Through JSON, because msgspec keeps tuples as they are; by `json`, because a text may hold half a character.
    plain = json.loads(json.dumps(msgspec.to_builtins(tuple(storages))))
    framed = [storage for storage in plain if "ancestors" in storage]
    own = [storage for storage in plain if "ancestors" not in storage]
    return {"origins": own} | ({"partitionedOrigins": framed} if framed else {})


def _check(state: StorageState, option: str) -> None:
    for cookie in state.cookies:
        if reason := _wrong_cookie(cookie):
            raise OptionInvalid(f"option {option}: cookie {cookie.name!r} {reason}", option=option)
    if state.credentials:
        raise OptionInvalid(f"option {option}: it has credentials of passkeys, which are not supported", option=option)
    for origin in state.storages:
        if reason := _wrong_origin(origin):
            raise OptionInvalid(f"option {option}: {reason}", option=option)
    if any(origin.ancestors for origin in state.origins) or not all(o.ancestors for o in state.partitioned_origins):
        raise OptionInvalid(
            f"option {option}: an origin belongs to partitionedOrigins if it has ancestors, else to origins",
            option=option,
        )


def _wrong_cookie(cookie: CookieState) -> str | None:
    if not cookie.url and not (cookie.domain and cookie.path):
        return "needs a url, or a domain and a path"
    if not isfinite(cookie.expires) or (cookie.expires < 0 and cookie.expires != -1):
        return f"expires at {cookie.expires:g}; give seconds since 1970, or -1 for a session cookie"
    return None


def _wrong_origin(state: OriginState) -> str | None:
    for origin in state.place:
        if not origin.startswith(("http://", "https://")):
            return f"{origin!r} is not an http or https origin"
    for file in state.opfs or ():
        if file.type == "file" and file.base64 is None:
            return f"{state.origin}: the file {file.path!r} in opfs has no base64"
    return next((reason for database in state.indexed_db or () if (reason := database.wrong())), None)
