"""Databases of IndexedDB as plain values, in the JSON shape that Playwright reads and writes.

`js/src/storage` makes and reads them, and says how a value that is not JSON is encoded. A key generator is not part
of it: a restored one continues after the highest key.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

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
