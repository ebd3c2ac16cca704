"""The properties and the value of an object that the caller holds."""

from __future__ import annotations

from stillframe.cdp_types import runtime
from stillframe.tab import remote
from stillframe.tab.javascript import caller_scripts
from stillframe.tab.javascript import values as javascript
from stillframe.tab.javascript.caller_scripts import Given
from stillframe.tab.javascript.page_objects import PageObject

VALUE = "(it) => it"
PROPERTY = "(it, name) => ({ __proto__: null, found: it[name] })"
"""In an object of its own, so that a promise is returned and not awaited."""


async def one(held: PageObject, name: str, *, timeout: float | None) -> PageObject:
    """Return a property of an object, an inherited one or undefined as well; raises what `evaluate_handle` does."""
    holder = await caller_scripts.evaluate_handle(held.frame, PROPERTY, Given(name, held), timeout=timeout)
    try:
        return (await every(holder, timeout=timeout))["found"]
    finally:
        holder.forget()


async def every(held: PageObject, *, timeout: float | None) -> dict[str, PageObject]:
    """Return the own, enumerable properties of an object that are values, in their order."""
    held.require_usable()
    if held.object_id is None:
        return {}
    command = runtime.GetProperties(object_id=held.object_id, own_properties=True)
    reply = await held.session.send(command, timeout=timeout)
    remote.raise_thrown(reply, held.session, "Runtime.getProperties")
    return {
        row.name: PageObject(held.frame, held.loader_id, row.value)
        for row in reply.result
        if row.enumerable and row.value is not None
    }


async def value(held: PageObject, *, timeout: float | None) -> object:
    """Return the value of an object."""
    held.require_usable()
    if held.object_id is None:
        return javascript.primitive(held.remote)
    return await caller_scripts.evaluate(held.frame, VALUE, Given(None, held), timeout=timeout)
