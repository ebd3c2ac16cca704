"""The loop guard: tells an agent that repeats itself from one that makes progress.

A loop guard checks each action before it runs. Two actions are identical if their signatures are equal: action, role,
name, value and place of the element, never its ref. Identical actions count only while the page (apart from what
changes by itself) and the state of the element stay the same. Four rules count: `repeat`, `cycle`, `failing` and
`stagnant`, each in its own module. This package knows no pages and no clocks; `engine.loop_monitor` feeds it from a
page.
"""

from stillframe.loopguard.action_signature import Digits, HashKey, action_signature, normalize_name, normalize_text
from stillframe.loopguard.limits import LoopLimits, LoopMode, Threshold
from stillframe.loopguard.loop_guard import LoopGuard
from stillframe.loopguard.step import LoopStep
from stillframe.model.loops import ActionSignature, LoopEvent, LoopLevel, LoopRule

__all__ = [
    "ActionSignature",
    "Digits",
    "HashKey",
    "LoopEvent",
    "LoopGuard",
    "LoopLevel",
    "LoopLimits",
    "LoopMode",
    "LoopRule",
    "LoopStep",
    "Threshold",
    "action_signature",
    "normalize_name",
    "normalize_text",
]
