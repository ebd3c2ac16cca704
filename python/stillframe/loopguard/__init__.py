"""Telling an agent that goes in circles from one that pages through a calendar.

A loop guard is asked before every call. Calls are the same if their signatures are: action, role, name, value and place
of the element, never its ref. They count only while the page, without what changes by itself, and the element's own
state are what they were the last time. Four rules look at that: `repeat`, `cycle`, `failing` and `stagnant`, each in a
module of its own. Nothing here knows of pages or clocks; `engine.loop_monitor` feeds a guard from a page.
"""

from stillframe.loopguard.guard import LoopGuard
from stillframe.loopguard.limits import Limits, Mode, Threshold
from stillframe.loopguard.signature import Digits, Key, normal, normal_name, sign
from stillframe.loopguard.step import Step
from stillframe.model.loops import Level, LoopEvent, Rule, Signature

__all__ = [
    "Digits",
    "Key",
    "Level",
    "Limits",
    "LoopEvent",
    "LoopGuard",
    "Mode",
    "Rule",
    "Signature",
    "Step",
    "Threshold",
    "normal",
    "normal_name",
    "sign",
]
