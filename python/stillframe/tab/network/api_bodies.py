"""The bodies and the URLs of requests that are made outside of the pages, from the options of the caller."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit, urlunsplit

from stillframe.errors import OptionInvalid
from stillframe.tab.network.requests import FORM

BINARY = "application/octet-stream"
JSON = "application/json"

BODIES = ("data", "form", "multipart")


class Part(NamedTuple):
    """One field of a multipart form; a file has a name."""

    name: str
    content: bytes
    filename: str | None = None
    content_type: str | None = None


class Content(NamedTuple):
    """What a request sends: bytes of a type, or the parts of a form."""

    content: bytes | None = None
    content_type: str | None = None
    parts: tuple[Part, ...] = ()


def content_of(options: Mapping[str, Any]) -> Content:
    """Return the body of a request; raises OptionInvalid for several bodies, and for what cannot be sent."""
    given = [name for name in BODIES if options.get(name) is not None]
    if len(given) > 1:
        raise OptionInvalid(f"a request has one body: give one of {', '.join(given)}", option=given[1])
    if not given:
        return Content()
    return _MAKERS[given[0]](options[given[0]])


def _data(data: Any) -> Content:
    if isinstance(data, bytes | bytearray):
        return Content(bytes(data), BINARY)
    if isinstance(data, str):
        return Content(data.encode(), BINARY)
    try:
        return Content(json.dumps(data).encode(), JSON)
    except (TypeError, ValueError) as error:
        raise OptionInvalid(f"option data: it is neither text, bytes nor JSON: {error}", option="data") from None


def _form(fields: Any) -> Content:
    return Content(urlencode(_pairs(fields, "form")).encode(), FORM)


def _multipart(fields: Any) -> Content:
    if not isinstance(fields, Mapping):
        raise OptionInvalid(f"option multipart: {fields!r} is not a mapping of names to values", option="multipart")
    return Content(parts=tuple(_part(str(name), value) for name, value in fields.items()))


def _part(name: str, value: Any) -> Part:
    if isinstance(value, Mapping):
        try:
            return Part(name, bytes(value["buffer"]), str(value["name"]), str(value["mimeType"]))
        except (KeyError, TypeError):
            raise OptionInvalid(
                f"option multipart: the file {name!r} needs name, mimeType and buffer (bytes)", option="multipart"
            ) from None
    if isinstance(value, os.PathLike):
        path = Path(value)
        return Part(name, path.read_bytes(), path.name)
    if isinstance(value, bool):
        return Part(name, str(value).lower().encode())
    if isinstance(value, str | int | float):
        return Part(name, str(value).encode())
    raise OptionInvalid(
        f"option multipart: {name!r} is neither text, a number, a path nor a file with name, mimeType and buffer",
        option="multipart",
    )


_MAKERS: dict[str, Callable[[Any], Content]] = {"data": _data, "form": _form, "multipart": _multipart}


def with_params(url: str, params: Any) -> str:
    """Return a URL with more parameters; raises OptionInvalid for what are not parameters."""
    if params is None:
        return url
    added = params.lstrip("?") if isinstance(params, str) else urlencode(_pairs(params, "params"))
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query="&".join(part for part in (parts.query, added) if part)))


def _pairs(fields: Any, option: str) -> list[tuple[str, str]]:
    given: Iterable[Any] = fields.items() if isinstance(fields, Mapping) else fields
    try:
        return [(str(name), _plain(value)) for name, value in given]
    except (TypeError, ValueError):
        raise OptionInvalid(f"option {option}: {fields!r} is not a mapping of names to values", option=option) from None


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
