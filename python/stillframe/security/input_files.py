"""Read what comes from outside, JSON above all, so that any content ends in a value or in one kind of error."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Callable
from typing import IO, Any, TypeVar, overload

import msgspec

MAX_BYTES = 400_000_000
"""The largest file that is read: a snapshot of a million nodes has a quarter of that."""

SHOWN_CHARS = 300
"""The most characters of a reason, which may quote the content."""

OWN_DESCRIPTORS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Where a shell puts what it hands over, as in `run <(jq …)`: such a pipe has a writer and ends."""

_BLOCK = 1 << 20

Value = TypeVar("Value")


class InputRefused(ValueError):
    """A file or text cannot be read; the message says why, without its name: `it is not UTF-8 (byte 17)`."""


class NotThere(InputRefused):
    """There is no such file."""


class WrongShape(InputRefused):
    """The text is JSON, but not of the type that was asked for."""


# -- files -------------------------------------------------------------------------------------------


def read_file(
    path: str | os.PathLike[str], *, max_bytes: int = MAX_BYTES, check: Callable[[int], None] | None = None
) -> bytes:
    """Return the content of a file of at most `max_bytes` bytes; a `~` at the beginning is the user's home.

    A named pipe or a device is refused, because it might never end; a pipe that this process was started with is read.
    `check` gets the mode of the open file, because the path may name another one by then. Raises InputRefused.
    """
    try:
        # Opening a named pipe would wait for a writer.
        descriptor = os.open(
            os.path.expanduser(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        )
    except FileNotFoundError as error:
        raise NotThere(error.strerror) from error
    except OSError as error:
        raise InputRefused(error.strerror) from error
    except ValueError as error:  # such as a NUL in the name
        raise InputRefused(str(error)) from None
    try:
        mode = os.fstat(descriptor).st_mode
        _check_kind(path, mode)
        if check is not None:
            check(mode)
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as file:
            return read_stream(file, max_bytes=max_bytes)
    finally:
        os.close(descriptor)


def _check_kind(path: str | os.PathLike[str], mode: int) -> None:
    if stat.S_ISREG(mode) or (not stat.S_ISDIR(mode) and os.fspath(path).startswith(OWN_DESCRIPTORS)):
        return
    kinds: dict[str, Callable[[int], bool]] = {
        "a directory": stat.S_ISDIR,
        "a named pipe": stat.S_ISFIFO,
        "a socket": stat.S_ISSOCK,
        "a device": lambda mode: stat.S_ISCHR(mode) or stat.S_ISBLK(mode),
    }
    kind = next((name for name, is_kind in kinds.items() if is_kind(mode)), "something else")
    raise InputRefused(f"it is {kind}, and not a file")


def read_stream(file: IO[bytes], *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return what is left in an open file, such as standard input, up to `max_bytes` bytes; raises InputRefused."""
    content = bytearray()
    try:
        while block := file.read(_BLOCK):
            content += block
            if len(content) > max_bytes:
                raise InputRefused(f"it has more than {max_bytes:,} bytes")
    except OSError as error:
        raise InputRefused(error.strerror) from error
    return bytes(content)


def decode_text(content: bytes) -> str:
    """Return the text of bytes in UTF-8, without its byte order mark; raises InputRefused."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputRefused("it is UTF-16: save it as UTF-8")
    try:
        return content.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise InputRefused(f"it is not UTF-8 (byte {error.start})") from None


# -- JSON --------------------------------------------------------------------------------------------


@overload
def read_json(source: bytes | str | os.PathLike[str], type: type[Value]) -> Value: ...


@overload
def read_json(source: bytes | str | os.PathLike[str], type: Any = Any) -> Any: ...


def read_json(source: bytes | str | os.PathLike[str], type: Any = Any) -> Any:
    """Return the value of JSON that comes from outside: of bytes, or of the file with this name.

    Raises WrongShape for JSON of another type, InputRefused for all else: a file that cannot be read or is too large,
    another encoding than UTF-8, a syntax error, nesting too deep to read.
    """
    content = source if isinstance(source, bytes) else read_file(source)
    try:
        return msgspec.json.decode(content.removeprefix(codecs.BOM_UTF8), type=type)
    except msgspec.ValidationError as error:
        raise WrongShape(_short(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        decode_text(content)  # if it is not even text, that is the reason to give
        raise InputRefused(f"it is not JSON: {_short(str(error))}") from None
    except RecursionError:
        raise InputRefused("it is nested too deeply") from None


def _short(reason: str) -> str:
    return reason if len(reason) <= SHOWN_CHARS else f"{reason[: SHOWN_CHARS - 1]}…"
