"""Give the first request of a tab the headers that its context asks for.

Chrome begins to load a tab that a Ctrl-, Shift- or middle click opens before it takes commands for that tab (see
`api.first_documents`), so this request has the headers of the browser itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from stillframe.cdp_types import emulation as cdp_emulation
from stillframe.cdp_types import fetch
from stillframe.tab.context import emulation

if TYPE_CHECKING:
    from stillframe.tab.context.options import ContextOptions

HINT = "sec-ch-ua"
"""The beginning of the names of all client hints that tell the browser."""


def corrected(
    sent: Mapping[str, str], options: ContextOptions, extra: Mapping[str, str]
) -> list[fetch.HeaderEntry] | None:
    """Return all headers as the options and the extra headers require; None if those sent are right."""
    before = {name.lower(): value for name, value in sent.items()}
    after = _without_hints(before) if options.user_agent else dict(before)
    after |= _required(options, hints=HINT in before) | {name.lower(): value for name, value in extra.items()}
    if after == before:
        return None
    return [fetch.HeaderEntry(name=name, value=value) for name, value in after.items()]


def _without_hints(headers: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if not name.startswith(HINT)}


def _required(options: ContextOptions, *, hints: bool) -> dict[str, str]:
    required = {}
    if options.user_agent:
        required["user-agent"] = options.user_agent
        metadata = emulation.metadata(options.user_agent) if hints else None
        required |= _hints(metadata) if metadata is not None else {}
    if options.locale:
        required["accept-language"] = _weighted(emulation.accept_language(options.locale))
    return required


def _hints(metadata: cdp_emulation.UserAgentMetadata) -> dict[str, str]:
    """Return the client hints that Chrome sends with every request."""
    brands = ", ".join(f'"{each.brand}";v="{each.version}"' for each in metadata.brands or ())
    return {HINT: brands, f"{HINT}-mobile": f"?{metadata.mobile:d}", f"{HINT}-platform": f'"{metadata.platform}"'}


def _weighted(languages: str) -> str:
    """Return a list of languages with the weights that Chrome adds: 1, 0.9, 0.8 and so on."""
    first, *others = languages.split(",")
    return ",".join([first, *(f"{language};q=0.{9 - place}" for place, language in enumerate(others))])
