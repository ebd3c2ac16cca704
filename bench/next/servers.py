"""The servers of `bench mcp`, and how an agent presses what a text names."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from bench.mcp import servers as mcp
from bench.next.flows import Step
from bench.next.reading import Reader, devtools, ours, playwright


class Reading(mcp.Served):
    """A server whose replies are read for the target of the next step."""

    read: ClassVar[Reader]

    @abstractmethod
    async def show(self, url: str) -> str:
        """Load a page and return what an agent reads of it."""

    @abstractmethod
    async def act(self, step: Step, ref: str) -> str:
        """Perform a step on the element of a ref, and return what an agent reads of the reply."""


class Stillframe(mcp.Stillframe, Reading):
    """Ours; what an action did is in its reply."""

    read = staticmethod(ours)
    options: ClassVar[dict[str, Any]] = {}

    async def show(self, url: str) -> str:
        return (await self.succeed("navigate", url=url)).text

    async def act(self, step: Step, ref: str) -> str:
        action: dict[str, Any] = {"action": "click_element", "selector": f"ref={ref}"}
        if step.value is not None:
            action |= {"action": "set_value", "value": step.value}
        return (await self.call("execute_sequence", actions=[action], **self.options)).text


class WithoutControls(Stillframe):
    """Ours without the controls of rows."""

    name = "stillframe, controls=0"
    options: ClassVar[dict[str, Any]] = {"controls": 0}


class Playwright(mcp.Playwright, Reading):
    """Playwright's server; the snapshot that a reply links to counts as part of it."""

    read = staticmethod(playwright)

    async def show(self, url: str) -> str:
        return self._read(await self.succeed("browser_navigate", url=url)).text

    async def act(self, step: Step, ref: str) -> str:
        named = {"target": ref, "element": step.name}
        if step.how == "select":
            said = await self.call("browser_select_option", **named, values=[step.value])
        elif step.value is not None:
            said = await self.call("browser_type", **named, text=step.value)
        else:
            said = await self.call("browser_click", **named)
        return self._read(said).text


class ChromeDevtools(mcp.ChromeDevtools, Reading):
    """Chrome's server; it is asked for a snapshot with each reply."""

    read = staticmethod(devtools)

    async def show(self, url: str) -> str:
        await self.open(url)
        return (await self.look()).text

    async def act(self, step: Step, ref: str) -> str:
        arguments: dict[str, Any] = {**self._page, "uid": ref, "includeSnapshot": True}
        if step.value is not None:
            return (await self.call("fill", **arguments, value=step.value)).text
        return (await self.call("click", **arguments)).text


SERVERS: tuple[type[Reading], ...] = (Stillframe, WithoutControls, Playwright, ChromeDevtools)
