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
    from stillframe.agent.script_generation import generate as generate
    from stillframe.agent.script_repair import repair as repair
    from stillframe.agent.step import Step as Step
    from stillframe.agent.step_cache import StepCache as StepCache
    from stillframe.agent.tools.tool import Tool as Tool
    from stillframe.agent.tools.tool import ToolAnswer as ToolAnswer
    from stillframe.agent.tools.tool import ToolContext as ToolContext
    from stillframe.scripts.replay import replay as replay
    from stillframe.scripts.script import Script as Script

_HOMES: dict[str, str] = {
    "AgentEvent": "stillframe.agent.events",
    "Limits": "stillframe.agent.limits",
    "Orchestrator": "stillframe.agent.orchestrator",
    "Outcome": "stillframe.agent.outcome",
    "StepReport": "stillframe.agent.outcome",
    "Usage": "stillframe.agent.outcome",
    "RecordingModel": "stillframe.agent.recording",
    "ReplayingModel": "stillframe.agent.recording",
    "Script": "stillframe.scripts.script",
    "Step": "stillframe.agent.step",
    "StepCache": "stillframe.agent.step_cache",
    "Tool": "stillframe.agent.tools.tool",
    "ToolAnswer": "stillframe.agent.tools.tool",
    "ToolContext": "stillframe.agent.tools.tool",
    "generate": "stillframe.agent.script_generation",
    "repair": "stillframe.agent.script_repair",
    "replay": "stillframe.scripts.replay",
}
"""The module of each public name."""

__all__ = sorted(_HOMES)


if not TYPE_CHECKING:  # a type checker would take every name for known

    def __getattr__(name: str) -> Any:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'stillframe.agent' has no attribute {name!r}")
        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
