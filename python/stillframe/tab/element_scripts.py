"""Call a caller's function with an element, in the page's own world."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stillframe.cdp_types import runtime
from stillframe.tab import remote
from stillframe.tab.evaluation import ended_in_time
from stillframe.tab.locating.locate import ACTION_TIMEOUT, locate

if TYPE_CHECKING:
    from stillframe.tab.tab import Tab


async def call_with(tab: Tab, selector: str, function: str, *, timeout: float | None) -> Any:
    """Find one element and return what a function returns for it; `timeout`, in seconds, is for the function.

    Raises the errors of `locate`, and those of `Frame.evaluate`.
    """
    handle = await locate(tab, selector, timeout=ACTION_TIMEOUT if timeout is None else min(ACTION_TIMEOUT, timeout))
    frame = handle.frame
    try:
        element = await frame.world().main_world_object(await handle.backend_node_id())
    finally:
        handle.forget()
    declaration = f"function() {{ const made = (\n{function}\n); return made(this) }}"
    try:
        async with ended_in_time(frame.session, timeout):
            with frame.scripts.caller_script():
                return await remote.call(
                    frame.session, declaration, (), object_id=element, by_value=False, timeout=None
                )
    finally:
        if frame.session.error is None:
            frame.session.post(runtime.ReleaseObject(object_id=element))
