"""Options of `stillframe mcp` about its browser: their texts as values, and which of them exclude one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from stillframe.errors import OptionInvalid

if TYPE_CHECKING:
    from pathlib import Path

CONFLICTS: tuple[tuple[str, str, str], ...] = (
    (
        "profile",
        "connect",
        "a running browser has a profile already; leave one of them out",
    ),
    ("executable", "connect", "a running browser is not launched; leave one of them out"),
    ("headed", "connect", "a running browser is not launched; leave one of them out"),
    ("proxy", "connect", "the proxy of a running browser was chosen at its launch; start it with --proxy-server=…"),
    *(
        (name, "webview", "the app has opened the page; leave one of them out")
        for name in ("profile", "executable", "headed", "proxy", "storage_state", "save_storage_state", "emulate")
    ),
)
"""Options that do not go together, and what to do. `webview` stands for every option that leads to a device."""


def refuse_conflicts(given: Mapping[str, bool]) -> None:
    """Raise OptionInvalid for options that do not fit together; `given` says which ones are there."""
    for name, other, advice in CONFLICTS:
        if given.get(name) and given.get(other):
            raise OptionInvalid(f"{flag(name)} has no effect with {flag(other)}: {advice}", option=name)
    if given.get("connect_header") and not given.get("connect"):
        raise OptionInvalid(
            "--connect-header is for the requests to a running browser: add --connect, or use --header for those of "
            "pages",
            option="connect_header",
        )
    if given.get("save_storage_state") and given.get("http") and not given.get("shared"):
        raise OptionInvalid(
            "--save-storage-state writes one file, and over --http each client has sessions of its own: add --shared",
            option="save_storage_state",
        )


def flag(name: str) -> str:
    """Return an option as it stands on the command line."""
    return f"--{name.replace('_', '-')}"


def headers_of(lines: Iterable[str], option: str) -> dict[str, str]:
    """Return the headers that lines of the form NAME=VALUE give; raises OptionInvalid.

    >>> headers_of(["X-Team=shop"], "header")
    {'X-Team': 'shop'}
    """
    headers: dict[str, str] = {}
    for line in lines:
        name, has_value, value = line.partition("=")
        if not has_value:
            # Not the line itself, which may be a credential.
            raise OptionInvalid(f"{flag(option)}: write NAME=VALUE, such as {flag(option)} X-Team=shop", option=option)
        headers[name.strip()] = value.strip()
    if headers:
        from stillframe.extend.options import check_headers

        check_headers(headers, option)
    return headers


def geolocation_of(text: str) -> dict[str, float]:
    """Return the position that `47.37,8.54` names, latitude first; raises OptionInvalid.

    >>> geolocation_of("47.37,8.54")
    {'latitude': 47.37, 'longitude': 8.54}
    """
    latitude, _, longitude = text.partition(",")
    try:
        return {"latitude": float(latitude), "longitude": float(longitude)}
    except ValueError:
        raise OptionInvalid(
            f"--geolocation: {text!r} is not a position: write LATITUDE,LONGITUDE in degrees, such as 47.37,8.54",
            option="geolocation",
        ) from None


def script_of(path: Path) -> str:
    """Return the text of a script; raises OptionInvalid."""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise OptionInvalid(f"--init-script: cannot read {path}: {reason}", option="init_script") from None


def check_directory(path: Path, option: str) -> Path:
    """Return the absolute path of a file that is written later; raises OptionInvalid if there is no folder for it."""
    if not path.parent.is_dir():
        raise OptionInvalid(f"{flag(option)}: cannot write {path}: there is no folder {path.parent}", option=option)
    if path.is_dir():
        raise OptionInvalid(f"{flag(option)}: {path} is a folder; name a file", option=option)
    return path.resolve()
