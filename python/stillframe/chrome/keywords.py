"""The options of a launch as keywords, for type checkers: `**options: Unpack[LaunchKeywords]`.

`LaunchOptions` has the documentation and validates the values; `tests/typing/test_keywords.py` keeps the two equal.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Literal, Required, TypedDict

from stillframe.chrome.options import Proxy


class ProxyFields(TypedDict, total=False):
    """The fields of `Proxy` as a mapping."""

    server: Required[str]
    bypass: Sequence[str]
    username: str | None
    password: str | None


class ProcessKeywords(TypedDict, total=False):
    """The fields of `LaunchOptions` but `timeout_ms`."""

    executable: str | os.PathLike[str] | None
    headless: bool
    args: Sequence[str]
    ignore_default_args: Sequence[str]
    profile: str | os.PathLike[str] | None
    pipe: Literal["auto", "cbor", "json"]
    port: int | None
    sandbox: bool | None
    env: Mapping[str, str] | None
    proxy: Proxy | ProxyFields | str | None
    window_size: tuple[int, int] | Sequence[int]
    virtual_time: bool
    webmcp: bool
    lang: str | None


class LaunchKeywords(ProcessKeywords, total=False):
    """The options of a launch that concern the browser process: the fields of `LaunchOptions`."""

    timeout_ms: float
