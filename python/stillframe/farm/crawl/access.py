"""How a crawl goes out and appears: its proxy, headers, credentials, storage and language, without secrets.

Settings are recorded in the database, and other users of a machine can read command lines. So a secret stands there as
`${NAME}`, and each process that loads pages or sitemaps has it in its environment: as NAME, or in the file that
NAME_FILE names, as Docker and Kubernetes hand out secrets. What `${NAME}` stands for is in no record, log or WARC file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.extend.options import parse_context_options
from stillframe.security.urls import origin_of

REFERENCE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
SECRET_HEADER = re.compile(r"auth|cookie|token|secret|passw|api-?key|session|signature", re.IGNORECASE)
"""Headers whose value is a secret, by their names."""
SIZE = re.compile(r"([1-9]\d{0,4})x([1-9]\d{0,4})")
SHORTEST = 4
"""Shorter texts are not left out of records: they would be missing in every other word."""
Value = Callable[[str], str]
"""Returns what a name stands for."""


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """The part of a crawl's settings that says how its pages are asked for, and how they appear.

    The options are those of `ContextOptions`: each of `headers` is `NAME=VALUE`, `http_credentials` is `USER:${NAME}`
    and for the server of the first URL alone, `storage_state` is the path of a file on each machine, and `viewport` is
    `1280x800`. A service worker that is allowed answers for later pages of its site, in place of the server.
    """

    urls: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    user_agent: str | None = None
    proxy: str | None = None
    headers: tuple[str, ...] = ()
    http_credentials: str | None = None
    storage_state: str | None = None
    locale: str | None = None
    timezone: str | None = None
    viewport: str | None = None
    device: str | None = None
    service_workers: Literal["allow", "block"] = "block"


def check_access(settings: Access) -> None:
    """Raise OptionInvalid for settings that cannot work, and for a secret that is not written as `${NAME}`."""
    if settings.viewport is not None and SIZE.fullmatch(settings.viewport) is None:
        raise OptionInvalid(f"option viewport: {settings.viewport!r} is not a size such as 1280x800", option="viewport")
    if settings.http_credentials is not None and _is_no_login(settings.http_credentials):
        raise OptionInvalid(
            "option http_credentials: write USER:${NAME}, or ${NAME} for both of them", option="http_credentials"
        )
    for option, text in _secrets(settings):
        if REFERENCE.sub("", text) or not text:
            raise OptionInvalid(
                f"option {option}: do not write it down, as it would stand in the database and in the list of "
                "processes: write ${NAME}, in single quotes, and give NAME, or a file's path as NAME_FILE, in the "
                "environment of all that load pages",
                option=option,
            )
    # Only the workers may know what a name stands for; this can be a login, a proxy, and any part of them.
    parse_context_options({**_options(settings, lambda _: "x:1"), "storage_state": None})


def context_options(settings: Access, environment: Mapping[str, str] = os.environ) -> dict[str, Any]:
    """Return the options of the contexts of a crawl's pages, with its secrets.

    Raises OptionInvalid for a name that the environment lacks, and for a state that cannot be read.
    """
    secrets: dict[str, str] = {}

    def value(name: str) -> str:
        secrets[name] = _value(name, environment)
        return secrets[name]

    options = _options(settings, value)
    kept = {name: text for name, text in secrets.items() if len(text.strip()) >= SHORTEST}
    if kept:
        options["secrets"] = kept
    parse_context_options(options)
    return options


def _secrets(settings: Access) -> list[tuple[str, str]]:
    """Return the parts of settings that are secrets, with their options."""
    found = [
        ("headers", value)
        for name, value in map(_parts, settings.headers)
        if SECRET_HEADER.search(name) or value.lower().startswith(("basic ", "bearer "))
    ]
    # In "Bearer ${TOKEN}", the first word is none.
    found = [(option, re.sub(r"^(basic|bearer) ", "", value, flags=re.IGNORECASE)) for option, value in found]
    logins = {
        "proxy": (settings.proxy or "").rpartition("://")[2].rpartition("@")[0],
        "http_credentials": settings.http_credentials or "",
    }
    for option, login in logins.items():
        _, colon, password = login.partition(":")
        if colon:
            found.append((option, password))
    return found


def _is_no_login(text: str) -> bool:
    user, colon, password = text.partition(":")
    return REFERENCE.fullmatch(text) is None and not (user and colon and password)


def _options(settings: Access, value: Value) -> dict[str, Any]:
    width, _, height = (settings.viewport or "").partition("x")
    found = {
        "block": settings.block or None,
        "user_agent": settings.user_agent,
        "proxy": None if settings.proxy is None else _proxy(settings.proxy, value),
        "extra_headers": _headers(settings, value) or None,
        "http_credentials": _login(settings, value),
        "storage_state": settings.storage_state,
        "locale": settings.locale,
        "timezone": settings.timezone,
        "device": settings.device,
        "viewport": {"width": int(width), "height": int(height)} if settings.viewport else None,
    }
    return {name: option for name, option in found.items() if option is not None}


def _proxy(text: str, value: Value) -> str:
    """Return the URL of a proxy; what stands for a part of it has the escapes of a URL."""
    whole = REFERENCE.fullmatch(text)
    return value(whole[1]) if whole else _filled(text, lambda name: quote(value(name), safe=""))


def _headers(settings: Access, value: Value) -> dict[str, str]:
    return {name: _filled(text, value) for name, text in map(_parts, settings.headers)}


def _parts(header: str) -> tuple[str, str]:
    name, equals, text = header.partition("=")
    if not equals:
        # Not the line itself, which may be a credential.
        raise OptionInvalid("option headers: write NAME=VALUE, such as X-Team=shop", option="headers")
    return name.strip(), text.strip()


def _login(settings: Access, value: Value) -> dict[str, str] | None:
    """Return the credentials, for the server of the first URL alone: any that a page names could ask for them."""
    if settings.http_credentials is None or not settings.urls:
        return None
    username, _, password = _filled(settings.http_credentials, value).partition(":")
    return {"username": username, "password": password, "origin": origin_of(settings.urls[0])}


def _filled(text: str, value: Value) -> str:
    return REFERENCE.sub(lambda found: value(found[1]), text)


def _value(name: str, environment: Mapping[str, str]) -> str:
    if name in environment:
        return environment[name]
    file = environment.get(f"{name}_FILE")
    if file is None:
        raise OptionInvalid(
            f"the crawl needs ${{{name}}}, which the environment lacks: set {name}, or {name}_FILE to the path of a "
            "file that has it",
            option=name,
        )
    try:
        return Path(file).read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise OptionInvalid(f"{name}_FILE: cannot read {file}: {reason}", option=name) from None
