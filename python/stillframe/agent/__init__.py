"""The orchestrator: a model carries out a goal in words on a real page, within limits.

    from stillframe.agent import Limits, Orchestrator

    orchestrator = Orchestrator(page, "openai:gpt-5-mini", limits=Limits(budget_usd=0.05))
    outcome = await orchestrator.run("Put a lamp in the cart")
    print(outcome.status, outcome.reason, outcome.price)

A model decides, and only that: what it replies is data, which becomes typed actions or is refused. Needs the extra
`stillframe[agent]`. Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stillframe.agent.events import AgentEvent as AgentEvent
    from stillframe.agent.limits import Limits as Limits
    from stillframe.agent.orchestrator import Orchestrator as Orchestrator
    from stillframe.agent.outcome import Outcome as Outcome
    from stillframe.agent.outcome import StepReport as StepReport
    from stillframe.agent.outcome import Usage as Usage
    from stillframe.agent.recording import RecordingModel as RecordingModel
    from stillframe.agent.recording import ReplayingModel as ReplayingModel
    from stillframe.agent.scripts.generate import generate as generate
    from stillframe.agent.scripts.repair import repair as repair
    from stillframe.agent.scripts.replay import replay as replay
    from stillframe.agent.scripts.script import Script as Script
    from stillframe.agent.step import Step as Step
    from stillframe.agent.step_cache import StepCache as StepCache
    from stillframe.agent.tools.tool import Tool as Tool
    from stillframe.agent.tools.tool import ToolAnswer as ToolAnswer
    from stillframe.agent.tools.tool import ToolContext as ToolContext

_HOMES: dict[str, str] = {
    "AgentEvent": "events",
    "Limits": "limits",
    "Orchestrator": "orchestrator",
    "Outcome": "outcome",
    "StepReport": "outcome",
    "Usage": "outcome",
    "RecordingModel": "recording",
    "ReplayingModel": "recording",
    "Script": "scripts.script",
    "Step": "step",
    "StepCache": "step_cache",
    "Tool": "tools.tool",
    "ToolAnswer": "tools.tool",
    "ToolContext": "tools.tool",
    "generate": "scripts.generate",
    "repair": "scripts.repair",
    "replay": "scripts.replay",
}
"""The module of each public name."""

__all__ = sorted(_HOMES)


if not TYPE_CHECKING:  # a type checker would take every name for known

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'stillframe.agent' has no attribute {name!r}")
        value = getattr(import_module(f"stillframe.agent.{home}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
