"""What goes with a page to the worker that tries it next."""

from __future__ import annotations

from typing import Any

import msgspec


class Trials(msgspec.Struct, kw_only=True, omit_defaults=True, rename="camel"):
    """What earlier tries of a page have shown.

    `avoid` is the number of the browser that another try should not use, `reschedules` how often its server has asked
    for time, and `lost_browsers` with how many browsers the page has ended. `sitemap` is what a sitemap says of it.
    """

    avoid: int | None = None
    reschedules: int = 0
    lost_browsers: int = 0
    sitemap: dict[str, Any] | None = None

    def encode(self) -> str:
        """Return the trials as the JSON that the queue keeps."""
        return msgspec.json.encode(self).decode()


def read_trials(body: str) -> Trials:
    """Return the trials that the queue has kept, none of them for what something else wrote."""
    try:
        return msgspec.json.decode(body, type=Trials)
    except msgspec.MsgspecError:
        return Trials()
