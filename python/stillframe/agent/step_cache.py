"""The step cache: what was decided once for a step on a page, to be done again on the same page without a model."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec

from stillframe.errors import ActionInvalid, FingerprintInvalid, OptionInvalid
from stillframe.scripts.script import MAX_ACTIONS, ScriptAction
from stillframe.security.input_files import NotThere, read_file, read_json
from stillframe.security.private_files import write_private
from stillframe.security.redaction import logger

VERSION = 1
MAX_ENTRIES = 1_000
"""Steps that a cache remembers, the most recently used."""
MAX_BYTES = 64_000_000
"""Bytes of a file to read: 1,000 steps of 20 actions have some 20 million."""
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH
"""Mode bits that the file must not have, because a browser carries out what is in it."""

log = logger(__name__)

Entry = Annotated[tuple[ScriptAction, ...], msgspec.Meta(max_length=MAX_ACTIONS)]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a file: the actions of each step by its key, the least recently used first."""

    version: int
    entries: dict[str, Entry]


class StepCache:
    """Actions by the page, the goal and the step they were decided for, in memory or in a file as well.

    The page is a `PageHash.visible`, which is the same on every machine. Keys hold only hashes of goals, and actions
    have secrets only by name. Several processes may use one file: the last one to write wins.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, max_entries: int = MAX_ENTRIES) -> None:
        """Read the file at `path` if there is one; without a path, the cache lives as long as the object.

        A file that is not a cache, or that others may write to, counts as empty, and a warning says so.

        Args:
            path: The file.
            max_entries: How many entries are kept; those that were not used for longest go first.

        Raises:
            OptionInvalid: `max_entries` is less than 1.
        """
        if max_entries < 1:
            raise OptionInvalid(f"option max_entries: expected at least 1, got {max_entries}", option="max_entries")
        self._path = None if path is None else Path(path).expanduser()
        self._most = max_entries
        self._entries = {} if self._path is None else _read(self._path)
        self._drop()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, page_hash: str, goal: str, step: str) -> tuple[ScriptAction, ...] | None:
        """Return the actions for a step on a page, None if none are known.

        Args:
            page_hash: The hash of the page.
            goal: The goal in words.
            step: The step in words.
        """
        key = _key(page_hash, goal, step)
        found = self._entries.pop(key, None)
        if found is not None:
            self._entries[key] = found
        return found

    def put(self, page_hash: str, goal: str, step: str, actions: Sequence[ScriptAction]) -> None:
        """Remember the actions for a step on a page, and write the file; a file that cannot be written is a warning.

        Args:
            page_hash: The hash of the page.
            goal: The goal in words.
            step: The step in words.
            actions: What worked.
        """
        key = _key(page_hash, goal, step)
        self._entries.pop(key, None)
        self._entries[key] = tuple(actions)
        self._drop()
        self._write()

    def forget(self, page_hash: str, goal: str, step: str) -> None:
        """Forget the actions for a step on a page, because they no longer work.

        Args:
            page_hash: The hash of the page.
            goal: The goal in words.
            step: The step in words.
        """
        if self._entries.pop(_key(page_hash, goal, step), None) is not None:
            self._write()

    def _drop(self) -> None:
        while len(self._entries) > self._most:
            del self._entries[next(iter(self._entries))]

    def _write(self) -> None:
        if self._path is None:
            return
        try:
            write_private(self._path, msgspec.json.encode(_File(VERSION, self._entries)))
        except OSError as error:
            log.warning("the step cache %s was not written: %s", self._path, error.strerror)


def _key(page_hash: str, goal: str, step: str) -> str:
    return hashlib.blake2b(msgspec.json.encode([page_hash, goal, step]), digest_size=16).hexdigest()


def _check_private(path: Path, mode: int) -> None:
    if os.name == "posix" and mode & WRITABLE_BY_OTHERS:
        raise ValueError(f"other users may write to it; run: chmod 600 {path}")


def _read(path: Path) -> dict[str, tuple[ScriptAction, ...]]:
    try:
        return _entries(read_file(path, max_bytes=MAX_BYTES, check=partial(_check_private, path)))
    except NotThere:
        return {}
    except (ValueError, ActionInvalid, FingerprintInvalid) as error:
        log.warning("the step cache %s counts as empty: %s", path, error)
        return {}


def _entries(raw: bytes) -> dict[str, tuple[ScriptAction, ...]]:
    content = read_json(raw, _File)
    if content.version != VERSION:
        raise ValueError(f"it is of version {content.version} and not {VERSION}")
    for actions in content.entries.values():
        for action in actions:
            action.check_content()
    return dict(content.entries)
