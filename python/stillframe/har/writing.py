"""Write a HAR file: entry by entry, so that bodies are in memory one at a time, and whole or not at all."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import msgspec

from stillframe.har.bodies import BodyStore, embed, file_name, without_secrets
from stillframe.har.model import Content, Har, HarEntry, Log
from stillframe.security.encodings import without_encoded_secrets
from stillframe.security.private_files import replacing, write_private
from stillframe.security.redaction import redact_all

if TYPE_CHECKING:
    from pathlib import Path

    from stillframe._core import Redactor

IN_ZIP = "har.har"
"""The name of the HAR file in a zip, as Playwright has it."""

NOT_POSTED = "left out: what is posted, because it holds a secret"
_ENTRIES = b'"entries":['

Attach = Callable[[str, bytes], None]
"""Writes a file of this name beside the HAR file."""


class Recorded(NamedTuple):
    """An entry, and the key of its body; None if there is none."""

    entry: HarEntry
    body: str | None


def write(
    path: Path, log: Log, recorded: list[Recorded], content: Content, *, bodies: BodyStore, redactor: Redactor
) -> None:
    """Write a recording: a zip if `path` ends with .zip, otherwise a HAR file; only its owner can read it.

    `log` has no entries yet, they are `recorded`. Raises OSError.
    """
    head, _, tail = _encoded(Har(log), redactor).partition(_ENTRIES)

    def fill(file: IO[bytes], attach: Attach) -> None:
        file.write(head + _ENTRIES)
        for number, each in enumerate(recorded):
            _complete(each, content, bodies, redactor, attach)
            file.write((b",\n" if number else b"\n") + _encoded(each.entry, redactor))
        file.write(tail)

    if path.suffix == ".zip":
        # The bodies come first, because two files of a zip cannot be open for writing at once.
        with (
            replacing(path) as file,
            zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
            tempfile.TemporaryFile() as har,
        ):
            fill(har, _once(archive.writestr))
            har.seek(0)
            with archive.open(IN_ZIP, "w") as member:
                shutil.copyfileobj(har, member)
        return
    with replacing(path) as file:
        fill(file, _once(lambda name, data: write_private(path.parent / name, data)))


def _without_posted_secrets(entry: HarEntry, redactor: Redactor) -> None:
    """Leave out what an entry posts if it holds a secret: replays compare it unless it is missing."""
    posted = entry.request.post_data
    if posted is msgspec.UNSET or not redactor:
        return
    if redactor.redact(posted.text) != posted.text or without_encoded_secrets(posted.text, redactor) != posted.text:
        entry.request.post_data, entry.request.comment = msgspec.UNSET, NOT_POSTED


def _complete(each: Recorded, content: Content, bodies: BodyStore, redactor: Redactor, attach: Attach) -> None:
    """Put the body of an entry where it goes."""
    _without_posted_secrets(each.entry, redactor)
    if content == "omit":
        if each.entry.request.post_data:
            each.entry.request.post_data.text, each.entry.request.post_data.params = "", []
        return
    if each.body is None:
        return
    data, is_text = without_secrets(bodies.get(each.body), redactor)
    body = each.entry.response.content
    if content == "embed" or not data:
        embed(body, data, is_text=is_text)
        return
    body.file = file_name(data, body.mime_type)
    attach(body.file, data)


def _encoded(value: Any, redactor: Redactor) -> bytes:
    """Return a part of the file as JSON, without secrets."""
    plain = msgspec.to_builtins(value)
    if redactor:
        plain = without_encoded_secrets(redact_all(plain, redactor), redactor)
    try:
        return msgspec.json.encode(plain)
    except UnicodeEncodeError:
        return json.dumps(plain).encode()  # half a character, which JSON can escape


def _once(write: Callable[[str, bytes], object]) -> Attach:
    """Return what writes each file once: the same body may come many times."""
    written: set[str] = set()

    def attach(name: str, data: bytes) -> None:
        if name not in written:
            written.add(name)
            write(name, data)

    return attach
