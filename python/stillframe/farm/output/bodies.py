"""What a page's URL leads to: its type, and the bytes of what Chrome does not hand over."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import NamedTuple

from stillframe import Page
from stillframe.cdp_types import io, network
from stillframe.errors import StillframeError
from stillframe.extend import page_state, time_limit
from stillframe.security.redaction import logger

PDF = "application/pdf"
BODY_BYTES = 16 * 1024 * 1024
"""The largest body that is kept whole: pictures and scripts are smaller, films are not; our choice."""
CHUNK_BYTES = 1024 * 1024
LOAD_MS = 20_000.0
"""How long the bytes may take to come once more, in milliseconds; 16 MB in it are 0.8 MB/s; our choice."""

_log = logger(__name__)


class Body(NamedTuple):
    """The bytes of a document, unpacked; `whole` is False if there are more than the limit."""

    content: bytes
    whole: bool


def content_type_of(headers: Mapping[str, str]) -> str | None:
    """Return the type that headers name, in lower case and without parameters; None if they name none."""
    essence = headers.get("content-type", "").split("\n")[0].partition(";")[0].strip().lower()
    return essence if "/" in essence else None


def is_in_document(content_type: str | None) -> bool:
    """Return whether Chrome shows a type as a document of its own, whose text and signature tell it from others."""
    return content_type is None or not (is_kept_elsewhere(content_type) or content_type.startswith("image/"))


def is_kept_elsewhere(content_type: str | None) -> bool:
    """Return whether Chrome hands a type on, to its PDF viewer or a player, and keeps no bytes of it."""
    return content_type is not None and (content_type == PDF or content_type.startswith(("audio/", "video/")))


async def load_body(page: Page, *, limit: int = BODY_BYTES, timeout_ms: float = LOAD_MS) -> Body | None:
    """Return the bytes of what a page has navigated to, which Chrome loads once more or has in its cache.

    The request has the cookies, the proxy and the policy of the page's context. Returns None for what cannot be loaded
    in time.
    """
    response = page.response
    if response is None:
        return None
    try:
        async with time_limit(timeout_ms / 1000):
            return await _loaded(page, response.url, limit)
    except (StillframeError, TimeoutError) as error:
        _log.info("the bytes of %s could not be loaded: %s", page_state(page).redact(response.url), error)
        return None


async def _loaded(page: Page, url: str, limit: int) -> Body | None:
    state = page_state(page)
    options = network.LoadNetworkResourceOptions(disable_cache=False, include_credentials=True)
    command = network.LoadNetworkResource(frame_id=state.frames.main.id, url=url, options=options)
    resource = (await state.session.send(command)).resource
    if not resource.success or resource.stream is None:
        return None
    found = bytearray()
    try:
        while len(found) <= limit:
            read = await state.session.send(io.Read(handle=resource.stream, size=CHUNK_BYTES))
            found += base64.b64decode(read.data) if read.base64_encoded else read.data.encode()
            if read.eof:
                break
    finally:
        state.session.post(io.Close(handle=resource.stream))
    return Body(bytes(found[:limit]), len(found) <= limit)
