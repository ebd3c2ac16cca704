"""Make a script on each page, run it on each mutation of the page, and ask the page what was really pressed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from pydantic_ai import ModelMessage, ModelResponse, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from bench.mutations.mutate import MUTATE, MUTATIONS, REMOVED
from bench.mutations.pages import Case, at
from stillframe.agent.script_repair import RepairReport, repair
from stillframe.api.page import PageBase
from stillframe.scripts.durable import durable_actions
from stillframe.scripts.script import Script, ScriptAction, ScriptStep, script_name
from stillframe.testing import PageServer

ACTION_MS = 400.0
"""Milliseconds to wait for a target: the pages are small and still."""


class Mutant(NamedTuple):
    """One mutated page; `target` is what REMOVED takes out."""

    case: Case
    kind: str
    seed: int
    target: str = ""

    def __str__(self) -> str:
        return f"{self.case.name} {self.kind} {self.seed}{self.target}"


class Result(NamedTuple):
    """What became of a script on a mutant: `how` is `alone`, `model` or `failed`, `wrong` the runs that did harm."""

    mutant: Mutant
    how: str
    wrong: tuple[str, ...]
    report: RepairReport


class Oracle:
    """What the pages recorded, one list of events per run."""

    def __init__(self, page: PageBase, url: str) -> None:
        self.page = page
        self.url = url
        self.runs: list[list[str]] = []

    async def collect(self) -> list[str]:
        """Return the events since the last reset."""
        done = await self.page.evaluate("window.done || []")
        self.runs.append(done)
        return list(done)

    async def reset(self) -> None:
        """Begin another run."""
        await self.collect()
        await self.page.goto(self.url, settle=True)


class Bench:
    """Scripts on their pages, and the mutants of those."""

    def __init__(self, page: PageBase, server: PageServer) -> None:
        self.page = page
        self.server = server
        self.truth: dict[str, tuple[str, ...]] = {}
        """The oracle's selectors of the actions of each script, by the selectors the script has."""

    async def recorded(self, case: Case) -> tuple[Script, list[str]]:
        """Carry out the steps of a case on its own page; return the script and what the page recorded."""
        await self.page.goto(self._serve(case, case.html), settle=True)
        steps = []
        for goal, actions in case.steps:
            kept: list[ScriptAction] = []
            for action in actions:  # one by one, because a menu has to be open before its items can be described
                kept += await durable_actions(self.page, [action])
                (await self.page.execute_sequence([action])).raise_for_failure()
            steps.append(ScriptStep(goal=goal, actions=tuple(kept)))
        script = Script(name=script_name(case.name), goal=case.name, url=self.page.url, steps=tuple(steps))
        return script, await self.page.evaluate("window.done")

    async def result(self, mutant: Mutant, script: Script, expected: list[str]) -> Result:
        """Run a script on a mutant: without a model and, if that fails, with one that knows the page."""
        await self.page.goto(self._serve(mutant.case, mutant.case.html), settle=True)
        call = f"({MUTATE})({json.dumps(mutant.kind)}, {mutant.seed}, {json.dumps(at(mutant.target))})"
        mutated = await self.page.evaluate(call)
        oracle = Oracle(self.page, self._serve(mutant.case, f"<!doctype html>{mutated}"))
        alone = await repair(self.page, script, reset=oracle.reset, deflake_runs=0, action_timeout_ms=ACTION_MS)
        done, report, how = await oracle.collect(), alone, "alone"
        if mutant.kind != REMOVED and (alone.failure or done != expected):
            model = FunctionModel(_Scripted(mutant.case, script).reply)
            kept = alone.updated_script or script
            report = await repair(
                self.page, kept, model, reset=oracle.reset, deflake_runs=0, flexibility=5, action_timeout_ms=ACTION_MS
            )
            done, how = await oracle.collect(), "model"
        wrong = tuple(" / ".join(run) for run in oracle.runs if run != expected[: len(run)])
        if report.failure or done != expected:
            how = "failed"
        return Result(mutant, how, wrong, report)

    def _serve(self, case: Case, html: str) -> str:
        async def handler(_: Any) -> Any:
            from aiohttp import web

            return web.Response(text=html, content_type="text/html", headers={"Cache-Control": "no-store"})

        self.server.route(f"/{case.name}", handler)
        return self.server.url(f"/{case.name}")


class _Scripted:
    """A model that gives the action of the case for the one that failed, and no other change."""

    def __init__(self, case: Case, script: Script) -> None:
        self._case = case
        self._goals = [step.goal for step in script.steps]

    def reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        """Read the step and the action from the prompt, and answer as a model does."""
        prompt = str(messages[-1].parts[-1].content)  # type: ignore[union-attr]
        goal = next(line.split(": ", 1)[1] for line in prompt.splitlines() if line.startswith("Step "))
        index = int(next(line.split(":")[0] for line in prompt.splitlines() if ": FAILED " in line))
        action = msgspec.to_builtins(self._case.steps[self._goals.index(goal)][1][index])
        change = {"kind": "modify", "index": index, "action": {k: v for k, v in action.items() if v is not None}}
        reply = {"changes": [change], "confidence": 4, "advice": "its words have changed"}
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, reply)])


def mutants(case: Case, seeds: int) -> Iterator[Mutant]:
    """Return the mutants of a page: each mutation with each seed."""
    yield from (Mutant(case, kind, seed) for kind in MUTATIONS for seed in range(seeds))


def removals(case: Case) -> Iterator[Mutant]:
    """Return the page without each of the controls that its script uses."""
    names = [action.selector.split('"')[1] for _, actions in case.steps for action in actions]  # type: ignore[union-attr]
    yield from (Mutant(case, REMOVED, 0, name) for name in names)
