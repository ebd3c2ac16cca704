"""Calls about how one page appears: its size, its medium, its place among the tabs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from stillframe.api.arguments import choice
from stillframe.api.parts import PagePart, page_call
from stillframe.cdp_types import emulation as cdp_emulation
from stillframe.cdp_types import page as cdp_page
from stillframe.errors import OptionInvalid
from stillframe.tab.context.emulation import MEDIUM, media_commands, metrics, touch
from stillframe.tab.context.options import check_viewport
from stillframe.tab.deadline import CALL_MS, Deadline, in_seconds
from stillframe.tab.session_tree import shows_documents

UNSET = "null"
"""Gives back what the context says, as in Playwright for Python, where None changes nothing."""

MEDIA: dict[str, tuple[str, ...]] = {
    MEDIUM: ("screen", "print", UNSET),
    "color_scheme": ("light", "dark", "no-preference", UNSET),
    "reduced_motion": ("reduce", "no-preference", UNSET),
    "forced_colors": ("active", "none", UNSET),
    "contrast": ("more", "no-preference", UNSET),
}
"""The values of each option of `emulate_media`."""


class PageWindow(PagePart):
    """How one page appears."""

    @page_call
    async def bring_to_front(self, *, timeout_ms: float | None = CALL_MS) -> None:
        """Show the tab in front of the others of its window.

        Actions and pictures need no call of it: tabs behind others take input and draw themselves.

        Args:
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        await self._tab.session.send(cdp_page.BringToFront(), timeout=in_seconds(timeout_ms))

    @page_call
    async def emulate_media(
        self,
        *,
        media: Literal["screen", "print", "null"] | None = None,
        color_scheme: Literal["light", "dark", "no-preference", "null"] | None = None,
        reduced_motion: Literal["reduce", "no-preference", "null"] | None = None,
        forced_colors: Literal["active", "none", "null"] | None = None,
        contrast: Literal["more", "no-preference", "null"] | None = None,
        timeout_ms: float | None = CALL_MS,
    ) -> None:
        """Change the medium and the media features that this page alone sees; None leaves one as it is.

        `"null"` gives back what the context says. `BrowserContext.emulate` changes all pages of a context.

        Args:
            media: The medium: `screen` or `print`.
            color_scheme: `light`, `dark` or `no-preference`.
            reduced_motion: `reduce` or `no-preference`.
            forced_colors: `active` or `none`.
            contrast: `more` or `no-preference`.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            OptionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        given = {
            MEDIUM: media,
            "color_scheme": color_scheme,
            "reduced_motion": reduced_motion,
            "forced_colors": forced_colors,
            "contrast": contrast,
        }
        own = dict(self._tab.media)
        for name, value in given.items():
            if value is None:
                continue
            if choice(name, value, MEDIA[name], error=OptionInvalid) == UNSET:
                own.pop(name, None)
            else:
                own[name] = value
        self._tab.media = own
        nothing = cdp_emulation.SetEmulatedMedia(media="", features=[])
        _, command = next(media_commands(self._tab.context.options, own), ("", nothing))
        sessions = [session for session in self._tab.sessions() if shows_documents(session)]
        deadline = Deadline.of_ms(timeout_ms)
        await asyncio.gather(*(session.send(command, timeout=deadline.left_s) for session in sessions))

    @property
    def viewport_size(self) -> dict[str, int] | None:
        """Width and height of `viewport` as a dict, or None if the page has the size of its window."""
        viewport = self._tab.viewport if self._tab.attached else None
        return None if viewport is None else {"width": viewport.width, "height": viewport.height}

    @page_call
    async def set_viewport_size(self, viewport_size: Mapping[str, int], *, timeout_ms: float | None = CALL_MS) -> None:
        """Resize the page, and keep the kind of its screen.

        `set_viewport` takes width and height as arguments, and changes the kind of the screen as well.

        Args:
            viewport_size: `{"width": …, "height": …}` in CSS pixels.
            timeout_ms: The limit of the call, in ms: 30,000 unless `set_default_timeout` changes it; None for no limit.

        Raises:
            OptionInvalid: An argument is invalid.
            CommandTimeout: The call takes longer than `timeout_ms`.
        """
        if not isinstance(viewport_size, Mapping) or set(viewport_size) != {"width", "height"}:
            raise OptionInvalid(
                f"viewport_size is {viewport_size!r}: it must be a mapping such as {{'width': 1280, 'height': 720}}",
                option="viewport_size",
            )
        before = self._tab.viewport
        kind: dict[str, Any] = {}
        if before is not None:
            names = ("device_scale_factor", "mobile", "touch", "screen")
            kind = {name: getattr(before, name) for name in names if getattr(before, name) is not None}
        self._tab.viewport = viewport = check_viewport({**viewport_size, **kind})
        async with self._tab.session.batch(timeout=in_seconds(timeout_ms)) as batch:
            batch.send(metrics(viewport))
            batch.send(touch(viewport))

    def is_closed(self) -> bool:
        """Return what `closed` says: whether the tab or the connection is closed."""
        return self._tab.closed
