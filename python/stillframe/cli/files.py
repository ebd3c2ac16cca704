"""The files of the commands: sequences and snapshots, both in JSON, and texts."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.core import Snapshot, SnapshotPart
from stillframe.errors import ActionInvalid, InputError, SnapshotError
from stillframe.recorder.errors import RecordingInvalid
from stillframe.recorder.recording import OWN_KEYS, Recording, parse_recording
from stillframe.security.input_files import InputRefused, WrongShape, decode_text, read_file, read_json, read_stream

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "stillframe.snapshot/1"
STDIN = "-"

Part = tuple[str, str | None, int | None, msgspec.Raw]
"""The part of a page in one process: its key, the key of its parent, the element there that holds it, and the bytes."""


class SequenceFile(msgspec.Struct, frozen=True):
    """The content of a sequence file: actions, and options that the command line may override.

    `recording` is what else the file of a recording has: where it begins, and what identifies its elements.
    """

    actions: list[Any]
    options: dict[str, Any]
    recording: Recording | None = None
    warnings: tuple[str, ...] = ()
    """What of a user flow is left out."""


class SnapshotFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a snapshot file: URL and title of the page, and the parts of the snapshot."""

    format: str
    url: str
    title: str
    parts: list[Part]


# -- sequences -----------------------------------------------------------------------------------


def read_sequence(name: str) -> SequenceFile:
    """Read a list of actions, an object with `actions` and options, a recording, or a user flow of Chrome's Recorder.

    `-` reads standard input. Raises InputError if the file does not exist or is not JSON, ActionInvalid if it has no
    actions, RecordingInvalid and FlowInvalid for a recording and a user flow with a mistake.
    """
    content = read(name)
    try:
        value = read_json(content)
    except InputRefused as error:
        raise InputError(f"cannot read {name}: {error}") from None
    if isinstance(value, list):
        return SequenceFile(value, {})
    if isinstance(value, dict) and "steps" in value:
        return _of_flow(value)
    if isinstance(value, dict) and not OWN_KEYS.isdisjoint(value):
        recording = parse_recording(decode_text(content))
        return SequenceFile(recording.actions, recording.all_options, recording)
    if isinstance(value, dict) and isinstance(value.get("actions"), list):
        return SequenceFile(value.pop("actions"), value)
    raise ActionInvalid(f'{name} has no actions: write a list of them, or an object {{"actions": […], …options}}')


def _of_flow(value: dict[str, Any]) -> SequenceFile:
    from stillframe.recorder.devtools_import import from_flow

    recording, warnings = from_flow(value)
    return SequenceFile(recording.actions, recording.all_options, recording, warnings)


def recording_of(sequence: SequenceFile, name: str) -> Recording:
    """Return the recording in a file; raises RecordingInvalid for a sequence without a URL to begin at."""
    if sequence.recording is None:
        raise RecordingInvalid(f'{name} is a sequence, and does not say where it begins: add "url": "https://…"')
    return sequence.recording


# -- snapshots -----------------------------------------------------------------------------------


def write_snapshot(path: Path, *, url: str, title: str, parts: Sequence[SnapshotPart]) -> None:
    """Write a snapshot so that `read_snapshot` can read it; raises InputError if the file cannot be written."""
    own = [(part.key, part.parent, part.owner, msgspec.Raw(part.raw)) for part in parts]
    content = SnapshotFile(format=FORMAT, url=url, title=title, parts=own)
    try:
        path.write_bytes(msgspec.json.encode(content) + b"\n")
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None


def read_snapshot(name: str) -> Snapshot:
    """Read a file of `stillframe snapshot -o`, or the plain result of DOMSnapshot.captureSnapshot.

    Raises InputError if the file does not exist, SnapshotError if it has no snapshot.
    """
    content = read(name)
    try:
        saved = read_json(content, SnapshotFile)
    except WrongShape:
        return Snapshot.from_cdp(content)
    except InputRefused as error:
        raise SnapshotError(f"cannot read {name}: {error}") from None
    if saved.format != FORMAT:
        raise SnapshotError(f"{name} has the format {saved.format!r}; this version reads {FORMAT!r}")
    parts = (SnapshotPart(bytes(raw), key=key, parent=parent, owner=owner) for key, parent, owner, raw in saved.parts)
    return Snapshot.from_parts(list(parts))


def read(name: str) -> bytes:
    """Return the content of a file, or of standard input for `-`; raises InputError."""
    try:
        return read_stream(sys.stdin.buffer) if name == STDIN else read_file(name)
    except InputRefused as error:
        raise InputError(f"cannot read {name}: {error}") from None


def write_text(path: Path, text: str) -> None:
    """Write a file; raises InputError if that is not possible."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file; raises InputError if that is not possible."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None
