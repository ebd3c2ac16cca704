"""The advice in a loop event: one clause on what the loop guard saw, one on what to do."""

from __future__ import annotations

from stillframe.model.loops import ActionSignature, LoopLevel, LoopRule

OBSERVATIONS: dict[LoopRule, str] = {
    "repeat": "{signature} runs for the {nth} time in a row, and the page has not changed since the first",
    "cycle": "the same actions run in a cycle for the {nth} time, each in the same page state; next is {signature}",
    "failing": "{signature} runs for the {nth} time on a page where it has failed every time",
    "stagnant": "this is the {nth} action in a row on a page that does not change; it is {signature}",
}
WHAT_TO_DO: dict[LoopRule, str] = {
    "repeat": "look at the page again, and try another element or another way",
    "cycle": "decide which of these page states you want, or try an action that you have not tried here",
    "failing": "do what the error says, or use another element",
    "stagnant": "look at the page again, go to another page, or report that the goal cannot be reached",
}
CONSEQUENCES: dict[LoopLevel, str] = {
    "warn": "",
    "refuse": "the action did not run; ",
    "abort": "no action runs until the loop guard is reset; ",
}


def advise(rule: LoopRule, level: LoopLevel, signature: ActionSignature, count: int) -> str:
    """Return the advice of an event."""
    observation = OBSERVATIONS[rule].format(signature=signature, nth=ordinal(count))
    return f"{observation}: {CONSEQUENCES[level]}{WHAT_TO_DO[rule]}"


def ordinal(number: int) -> str:
    """Return a number with its ending: `1st`, `2nd`, `3rd`, `4th`."""
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
