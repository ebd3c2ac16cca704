"""What a person does before a call runs: confirm its actions, and type the secrets that the server does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from stillframe.errors import SessionUnknown
from stillframe.mcp.error_mapping import ToolError
from stillframe.mcp.session_provider import DEFAULT_SESSION
from stillframe.model.action_list import ALIASES
from stillframe.model.actions import KINDS
from stillframe.security.untrusted_text import escape_invisible

if TYPE_CHECKING:
    from stillframe.mcp.asking import Asker
    from stillframe.mcp.clients import Place
    from stillframe.mcp.secret_pages import SecretPage, SecretPages
    from stillframe.mcp.settings import Settings

MAX_SHOWN = 200
"""Characters of what a person reads about one action."""


async def prepare(
    asker: Asker, settings: Settings, pages: SecretPages, place: Place, tool: str, sent: Mapping[str, Any]
) -> tuple[str, ...]:
    """Ask for what a call needs, and return the names of the secrets that were typed for it.

    Raises ToolError if the person declined or cannot be asked, and InputNeeded.
    """
    await _confirm(asker, settings, list(_actions(tool, sent)))
    assert settings.secrets is not None
    missing = [name for name in dict.fromkeys(_secret_names(sent)) if name not in settings.secrets]
    if not asker.can_open_url:
        return ()  # the call refuses the unknown name
    hosts = _hosts(place, tool, sent)
    # All are agreed to before one is waited for: a client that calls again would lose what was typed by then.
    shown = [await _show_page(asker, pages, name, ", ".join(hosts)) for name in missing]
    try:
        for page in shown:
            settings.secrets.add(page.name, await page.value, hosts)
            await asker.completed(page)
    except BaseException:
        for name in missing:
            settings.secrets.discard(name)
        raise
    finally:
        for page in shown:
            pages.close(page)
    return tuple(missing)


async def _confirm(asker: Asker, settings: Settings, actions: list[dict[str, Any]]) -> None:
    asked = [each for each in actions if each.get("action") in settings.confirm]
    if not asked:
        return
    shown = "; ".join(_shown(each) for each in asked)
    if not asker.can_show_form:
        raise ToolError("confirmation_impossible", f"a person must confirm this, and this client cannot ask: {shown}")
    field = {"type": "boolean", "title": "Go on", "default": False}
    answer = await asker.form("confirm", f"The agent wants to do this: {shown}", {"confirm": field})
    if answer.get("confirm") is not True:
        raise ToolError("declined", f"the person did not confirm this: {shown}", action="decline")


def _shown(action: Mapping[str, Any]) -> str:
    parts = [str(action.get("action"))]
    parts += [f"{name} {action[name]!r}" for name in ("selector", "url", "key", "files", "value") if name in action]
    text = escape_invisible(" ".join(parts))
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


async def _show_page(asker: Asker, pages: SecretPages, name: str, hosts: str) -> SecretPage:
    key = f"secret:{name}"
    page = pages.find(asker.page_token(key)) or await pages.open(name, hosts)
    message = f"The agent needs {escape_invisible(name)[:80]!r}. Enter it on this page; the agent will not see it."
    await asker.consent(key, message, page)
    return page


def _actions(tool: str, sent: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the actions of a call, each by the one name that rules know it by."""
    if tool in KINDS:
        yield {"action": tool, **sent}
    for each in sent.get("actions") or ():
        if isinstance(each, dict):
            kind = str(each.get("action"))
            yield {**each, "action": ALIASES.get(kind, kind)}


def _secret_names(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        name = value.get("secretName")
        if isinstance(name, str):
            yield name
        for each in value.values():
            yield from _secret_names(each)
    elif isinstance(value, list):
        for each in value:
            yield from _secret_names(each)


def _hosts(place: Place, tool: str, sent: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the hosts that a call is about: the page that is open, and those that it loads."""
    urls = [str(each.get("url")) for each in _actions(tool, sent) if each.get("action") == "navigate"]
    with suppress(SessionUnknown):  # the call opens it
        urls.append(place.provider.sessions.get(place.arguments.session_id or DEFAULT_SESSION).page.url)
    hosts = (_host(url) for url in urls)
    return tuple(dict.fromkeys(host for host in hosts if host))


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
