"""Cassettes: record the protocol traffic of a browser in a file, and play it back without a browser.

    async with record("login.cassette") as browser:
        await log_in(browser)

    async with replay("login.cassette") as browser:
        await log_in(browser)  # the same code, the same results, no browser, no waiting

A replay checks each command against the recorded one. The first that differs ends it with CassetteMismatch. What does
not go through the protocol is in no cassette: files (downloads, uploads), `active_page()`, the policy proxy.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Literal

from msgspec import structs

from stillframe.api.browser import Browser
from stillframe.api.launch import connect_browser, launch_browser, started
from stillframe.cdp import Connection
from stillframe.cdp.loop_clock import loop_clock, using_clock
from stillframe.errors import OptionInvalid
from stillframe.security.redaction import Redaction
from stillframe.security.secret_store import Secrets
from stillframe.tab.context.browser_options import split_browser_options
from stillframe.tab.context.options import parse_context_options
from stillframe.tab.deadline import CALL_MS
from stillframe.testing.cassette_clock import RecordingClock, ReplayClock
from stillframe.testing.cassette_file import MAX_BYTES, read_cassette
from stillframe.testing.cassette_placeholders import Placeholders
from stillframe.testing.cassette_player import ReplayTransport
from stillframe.testing.cassette_recording import CassetteRecording, kept
from stillframe.testing.errors import CassetteMismatch

RecordMode = Literal["none", "once", "all"]
"""When to record, as VCR names it: never, if there is no cassette yet, or always."""

KEPT_OPTIONS = frozenset(
    {"viewport", "user_agent", "locale", "timezone", "color_scheme", "reduced_motion", "geolocation", "offline"}
    | {"block", "observe", "allow_schemes"}
)
"""The options that decide which commands are sent and that hold no secret, so a cassette keeps them."""


def cassette_browser(
    path: str | os.PathLike[str],
    mode: RecordMode = "once",
    *,
    aliases: Mapping[str, str] | None = None,
    **options: Any,
) -> AbstractAsyncContextManager[Browser]:
    """Replay a cassette, or record it.

    Args:
        path: The file of the cassette.
        mode: When to record: `once` if it does not exist, `all` in any case, `none` never.
        aliases: Texts that differ from run to run, by names of their own; see `record`.
        **options: Those of `record` and `replay`.

    Returns:
        A block that gives the Browser; it raises what `record` and `replay` raise.
    """
    if mode not in ("none", "once", "all"):
        raise OptionInvalid(f"mode is {mode!r}: it must be 'none', 'once' or 'all'", option="mode")
    if mode == "all" or (mode == "once" and not Path(path).exists()):
        return record(path, aliases=aliases, **options)
    return replay(path, aliases=aliases, **options)


# -- recording -----------------------------------------------------------------------------------


@asynccontextmanager
async def record(
    path: str | os.PathLike[str],
    *,
    endpoint: str | None = None,
    aliases: Mapping[str, str] | None = None,
    max_bytes: int = MAX_BYTES,
    **options: Any,
) -> AsyncIterator[Browser]:
    """Launch a browser as `stillframe.launch` does, and record its protocol traffic in a file.

    An existing cassette is replaced at the end of the block; until then the file is `PATH.partial`, and it stays if
    this process is killed.

    Secrets (`secrets=`) and texts typed into password fields are not in the cassette, nor credentials in headers.
    Cookies that code reads or sets, and whatever else pages show, are.

    Args:
        path: The file of the cassette.
        endpoint: A running browser to connect to instead, as `stillframe.connect` does.
        aliases: Texts that differ from run to run, by names of their own, such as the address of a test server:
            `aliases={"site": "127.0.0.1:41873"}`. The replay names its own text for `site`.
        max_bytes: How long the cassette may get.
        **options: Those of `stillframe.launch`, or of `stillframe.connect` with an `endpoint`.

    Yields:
        The browser.

    Raises:
        OptionInvalid: An option is invalid, or this is within another cassette's block.
        CassetteFailed: The file cannot be written.
        BrowserNotFound: There is no browser to launch.
        LaunchFailed: The browser does not start.
        ConnectFailed: No DevTools endpoint answers there.
    """
    _check_alone()
    if options.get("virtual_time"):
        raise OptionInvalid(
            "virtual_time: a cassette cannot play settle='virtual', whose steps depend on the speed of the machine",
            option="virtual_time",
        )
    opened: list[Browser] = []
    placeholders = Placeholders(aliases or {}, partial(_known, opened, _declared(options)))
    recording = CassetteRecording(Path(path), placeholders, kept(options, KEPT_OPTIONS), max_bytes=max_bytes)
    with using_clock(recording.clock):
        try:
            async with await _open(recording, endpoint, options) as browser:
                opened.append(browser)
                try:
                    yield browser
                finally:
                    recording.stop()
        finally:
            recording.finish()
    if recording.error is not None:
        raise recording.error


async def _open(recording: CassetteRecording, endpoint: str | None, options: Mapping[str, Any]) -> Browser:
    given = dict(options)
    allow_schemes = frozenset(given.pop("allow_schemes", ()))
    if endpoint is None:
        return await launch_browser(allow_schemes, given, recording.start)
    timeout_ms = given.pop("timeout_ms", CALL_MS)
    return await connect_browser(endpoint, timeout_ms, allow_schemes, given, recording.start)


def _check_alone() -> None:
    if isinstance(loop_clock(), RecordingClock | ReplayClock):
        raise OptionInvalid("a cassette is open already: one block of record or replay at a time", option="path")


def _declared(options: Mapping[str, Any]) -> Secrets:
    return parse_context_options({"secrets": options.get("secrets")}).secrets or Secrets()


def _known(opened: list[Browser], declared: Secrets) -> Iterator[tuple[Secrets, Redaction]]:
    """Yield the secrets of each context; before there is a browser, those that were declared."""
    if not opened:
        yield declared, declared.redaction
        return
    for context in opened[0].contexts:
        yield context.secrets, context.redaction


# -- replaying -----------------------------------------------------------------------------------


@asynccontextmanager
async def replay(
    path: str | os.PathLike[str], *, aliases: Mapping[str, str] | None = None, **options: Any
) -> AsyncIterator[Browser]:
    """Play a cassette, and give the code in the block a browser that behaves as the recorded one did.

    The clock of the engine is that of the recording, so a replay waits for nothing and decides the same. A command that
    differs from the recorded one ends the connection.

    Args:
        path: The file of the cassette.
        aliases: The texts of this run for the names that `record` was given.
        **options: Those of `record`; options that hold no secrets need not be given again, and those of the browser's
            process are ignored. A secret may have another text than in the recording.

    Yields:
        The browser.

    Raises:
        CassetteInvalid: The file cannot be played.
        CassetteMismatch: A command differs from the recorded one; its call, every later one and the end of the block
            raise this.
        OptionInvalid: An option is invalid, or this is within another cassette's block.
    """
    _check_alone()
    played = read_cassette(path)
    given = {**played.header.options, **options}
    allow_schemes = frozenset(given.pop("allow_schemes", ()))
    for name in ("endpoint", "max_bytes"):  # of `record` alone
        given.pop(name, None)
    context_options = parse_context_options(split_browser_options(given).context)
    opened: list[Browser] = []
    placeholders = Placeholders(aliases or {}, partial(_known, opened, context_options.secrets or Secrets()))
    transport = ReplayTransport(played, placeholders)
    with using_clock(transport.clock):
        connection = Connection(transport)
        browser = Browser(
            connection,
            structs.replace(played.header.browser, encoding="json"),
            options=context_options,
            allow_schemes=allow_schemes,
        )
        try:
            await started(browser, CALL_MS)
            opened.append(browser)
            yield browser
        except BaseException as error:
            if transport.mismatch is not None and not isinstance(error, CassetteMismatch):
                error.add_note(str(transport.mismatch))
            raise
        finally:
            await connection.aclose()
            await browser.close()
    if transport.mismatch is not None:
        raise transport.mismatch
