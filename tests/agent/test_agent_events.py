"""Events as a person reads them, and as JSON."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from stillframe.agent import AgentEvent, StepReport, Usage
from stillframe.agent.events import (
    CacheUsed,
    ModelCalled,
    RunEnded,
    RunStarted,
    StepEnded,
    StepStarted,
    ToolCalled,
    TurnEnded,
    bill,
    count,
)
from stillframe.agent.turn import CommandReport, Turn

USAGE = Usage(calls=2, input_tokens=1_500, output_tokens=20, cache_read_tokens=1_024)
FAILED = CommandReport(command="click_element selector='#b'", result="failed", error="element_not_found: #b")
TURN = Turn(step=1, iteration=2, url="/", status="continue", reasoning="log in", commands=(FAILED,), change="a\nb",
            notes=("cut",), guidance="look below")  # fmt: skip
THOUGHTFUL = Turn(step=1, iteration=3, url="/", status="continue", reasoning="the form is there",
                  status_reasoning="two fields are left", tool_reasoning="the labels are hidden",
                  command_reasoning="a name first", needs_tool_results=True, blocker="a banner",
                  re_evaluation="wrong_order: save comes last", detecting_loop=True,
                  loop_reasoning="Save does nothing", loop="warn", experiences=("Save is below",),
                  data=("order", "price"), observation="opened the form: it is empty")  # fmt: skip

EVENTS: list[tuple[AgentEvent, str, str]] = [
    (RunStarted(goal="Buy", model="gpt-4o", steps=("Buy",)), "run_started", "goal: Buy (gpt-4o, 1 step)"),
    (StepStarted(step=1, of=2, goal="log in"), "step_started", "step 1 of 2: log in"),
    (
        ModelCalled(step=1, iteration=2, model="gpt-4o", usage=USAGE, price=Decimal("0.004"), has_image=True,
                    duration_ms=1_234),
        "model_called",
        "  1.2 gpt-4o: 1,500 tokens in (1,024 read from the cache), 20 out, $0.0040, 1.2 s, with an image",
    ),
    (ToolCalled(step=1, iteration=2, tool="inspect_page", duration_ms=12.3), "tool_called",
     "  1.2 tool inspect_page: ok (12 ms)"),
    (ToolCalled(step=1, iteration=2, tool="x", duration_ms=0, error="unknown"), "tool_called",
     "  1.2 tool x: failed: unknown (0 ms)"),
    (
        TurnEnded(turn=TURN, of=8, experiences=2),
        "turn_ended",
        "1.2 iteration 2/8: log in\n  failed: click_element selector='#b' (element_not_found: #b)\n  changed: a\n"
        "  changed: b\n  note: cut\n  next: look below\n  status continue, 2 lessons",
    ),
    (
        TurnEnded(turn=THOUGHTFUL, of=8, experiences=1),
        "turn_ended",
        "1.3 iteration 3/8: the form is there\n  why this status: two fields are left\n"
        "  why these tools: the labels are hidden\n  why these commands: a name first\n"
        "  loop reported: Save does nothing\n  blocker: a banner\n  step: wrong_order: save comes last\n"
        "  noted: opened the form: it is empty\n  data kept: order, price\n  lesson: Save is below\n"
        "  status continue, waits for tools, loop reported, loop guard: warn, 1 lesson",
    ),
    (TurnEnded(turn=Turn(step=1, iteration=1, url="/", status="stuck", detecting_loop=True), of=8, experiences=0),
     "turn_ended", "1.1 iteration 1/8: (no reasoning)\n  loop reported: without a reason\n"
     "  status stuck, loop reported, 0 lessons"),
    (CacheUsed(step=1, commands=1, worked=False), "cache_used",
     "  1 1 command from the step cache: did not work any more"),
    (StepEnded(step=1, report=StepReport(goal="Buy", status="stuck", reason="no way on")), "step_ended",
     "step 1 stuck: no way on"),
    (
        RunEnded(status="limit", reason="timeout: 3 s are used up", usage=USAGE, price=None, duration_ms=3_000),
        "run_ended",
        "limit: timeout: 3 s are used up\n2 model calls, 1,500 tokens in (1,024 read from the cache), 20 out, "
        "price unknown, 3.0 s",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("event", "kind", "text"), EVENTS)
def test_an_event_in_words_and_as_json(event: AgentEvent, kind: str, text: str) -> None:
    assert str(event) == text
    assert json.loads(event.to_json())["event"] == kind


def test_a_bill() -> None:
    assert bill(Usage(), Decimal(0)) == "0 model calls, 0 tokens in, 0 out, $0.0000"
    assert "5 written to it" in bill(Usage(cache_write_tokens=5), None)
    seen = Usage(calls=1, input_tokens=900, images=2, image_tokens=800)
    assert bill(seen, None) == "1 model call, 900 tokens in (800 of 2 images), 0 out, price unknown"
    one = Usage(input_tokens=900, images=1, image_tokens=800, estimated_image_tokens=800)
    assert "900 tokens in (800 of 1 image by estimate)" in bill(one, None)
    assert "(1,600 of 3 images partly by estimate)" in bill(seen + one, None)
    assert (count(0, "step"), count(1, "step"), count(2, "step")) == ("0 steps", "1 step", "2 steps")
