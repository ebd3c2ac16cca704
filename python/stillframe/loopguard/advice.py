"""What a caller is told about a loop, as one sentence on what was seen and one on what to do."""

from __future__ import annotations

from stillframe.model.loops import Level, Rule, Signature

SEEN: dict[Rule, str] = {
    "repeat": "{signature} is called for the {nth} time in a row, and the page has not changed since the first",
    "cycle": "the same calls go round for the {nth} time, each on the page it was made on before; next is {signature}",
    "failing": "{signature} is called for the {nth} time on a page where it has failed every time",
    "stagnant": "this is the {nth} call in a row on a page that does not change; it is {signature}",
}
WHAT_TO_DO: dict[Rule, str] = {
    "repeat": "look at the page again and try another element or another way",
    "cycle": "decide which of these states is the wanted one, or try what has not been tried here",
    "failing": "do what the error says, or reach the goal by another element",
    "stagnant": "look at the page again, go elsewhere, or report that the goal cannot be reached",
}
CONSEQUENCES: dict[Level, str] = {
    "warn": "",
    "refuse": "it was not performed; ",
    "abort": "nothing is performed until the guard is reset; ",
}


def advise(rule: Rule, level: Level, signature: Signature, count: int) -> str:
    """Return the advice of an event."""
    seen = SEEN[rule].format(signature=signature, nth=ordinal(count))
    return f"{seen}: {CONSEQUENCES[level]}{WHAT_TO_DO[rule]}"


def ordinal(number: int) -> str:
    """Return `1st`, `2nd`, `3rd`, `4th`, …"""
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
