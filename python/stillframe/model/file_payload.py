"""A file whose content comes from memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from stillframe.errors import ActionInvalid
from stillframe.model.validation import Validated

UNNAMED = "file"
"""The name of a file that was given as bytes alone."""

UNKNOWN_TYPE = "application/octet-stream"


class FilePayload(msgspec.Struct, frozen=True, rename="camel", forbid_unknown_fields=True, metaclass=Validated):
    """A file from memory: its `name`, its `mime_type`, and its content; in JSON `buffer` is base64."""

    name: str
    mime_type: str
    buffer: bytes

    def __post_init__(self) -> None:
        if not self.name or "/" in self.name or "\0" in self.name:
            raise ActionInvalid(f"name is {self.name!r}: it must be the name of a file, without a path", field="name")

    @staticmethod
    def invalid(message: str, field: str | None) -> ActionInvalid:
        """Return the error of a field.

        Args:
            message: What is wrong.
            field: The field; None for the whole.
        """
        return ActionInvalid(message, field=field)

    def __repr__(self) -> str:
        return f"FilePayload({self.name!r}, {self.mime_type!r}, {len(self.buffer)} bytes)"


def is_content(value: Any) -> bool:
    """Return whether a value is the content of a file from memory, and not a path."""
    return isinstance(value, FilePayload | Mapping | bytes | bytearray | memoryview)


def plain_payload(value: Any) -> Any:
    """Return the fields of a payload in the form of JSON; bytes alone get a name and a type."""
    if isinstance(value, bytes | bytearray | memoryview):
        return {"name": UNNAMED, "mimeType": UNKNOWN_TYPE, "buffer": bytes(value)}
    if isinstance(value, FilePayload):
        return {"name": value.name, "mimeType": value.mime_type, "buffer": value.buffer}
    if isinstance(value, Mapping):
        fields = {"mimeType" if key == "mime_type" else key: item for key, item in value.items()}
        return {"mimeType": UNKNOWN_TYPE, **fields}
    return value
