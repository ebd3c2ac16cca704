"""The figures without an axis of time: refs, deltas and identity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svg import Figure

Data = Mapping[str, Any]


def refs(data: Data) -> Figure:
    figure = Figure(760, 220, "What becomes of refs when a page draws a list again")
    before, after, became = data["before"], data["after"], data["became"]
    figure.text(40, 30, "before", "soft bold")
    figure.text(520, 30, "drawn again, with other nodes", "soft bold")
    left = {ref: 52 + 54 * row for row, ref in enumerate(before)}
    right = {ref: 52 + 54 * row for row, ref in enumerate(after)}
    for ref, name in before.items():
        item(figure, 40, left[ref], name, ref)
    for ref, name in after.items():
        item(figure, 520, right[ref], name, ref)
    for ref, healed in became.items():
        y = left[ref] + 18
        if healed is None:
            figure.line((250, y), (282, y), kind="l-bad", width=1.5)
            figure.text(290, y + 4, "ref_stale", "bad mono bold")
            continue
        to, score = healed
        figure.arrow((250, y), (512, right[to] + 18), "l-good")
        figure.text(258, y + (18 if right[to] < left[ref] else -7), f"healed, {score:.2f} alike", "good small bold")
    return figure


def item(figure: Figure, x: float, y: float, name: str, ref: str) -> None:
    figure.box(x, y, 200, 36, "none l-soft", round_by=6)
    figure.text(x + 12, y + 23, name)
    figure.text(x + 188, y + 23, f"Remove  {ref}", "soft mono", anchor="end")


MARKS = {"appeared": ("+", "good"), "value": ("~", "mark"), "className": ("~", "mark")}


def deltas(data: Data) -> Figure:
    figure = Figure(760, 300, "A page before and after a click, and the delta of the two")
    for x, title, lines in ((24, "the page before", data["before"]), (392, "the page after", data["after"])):
        figure.text(x, 28, title, "soft bold")
        for row, line in enumerate(lines):
            new = line not in data["before"] and x > 100
            if new:
                figure.box(x - 6, 38 + 20 * row, 356, 18, "wait")
            figure.text(x, 51 + 20 * row, line, "ink code")
    top = 190
    figure.line((24, top - 14), (736, top - 14))
    figure.text(
        24, top + 8, f"the delta: {len(data['rows'])} rows, of a page of {data['elements']} elements", "soft bold"
    )
    for row, (field, selector, text) in enumerate(data["rows"]):
        mark, kind = MARKS[field]
        y = top + 34 + 24 * row
        figure.text(24, y, mark, f"{kind} mono bold")
        figure.text(44, y, selector, "ink mono")
        figure.text(190, y, field, "soft mono")
        figure.text(300, y, text, "ink mono")
    return figure


IDENTITY_ROWS = {"exact": "exact", "visible": "visible", "masked": "visible, masked"}


def identity(data: Data) -> Figure:
    figure = Figure(760, 200, "Hashes of a page with a clock, look by look")
    count = len(data["rows"]["exact"])
    width = 600 / count
    for row, (name, title) in enumerate(IDENTITY_ROWS.items()):
        y = 44 + 42 * row
        figure.text(132, y + 20, title, anchor="end")
        hashes = data["rows"][name]
        for column, value in enumerate(hashes):
            same = column > 0 and hashes[column - 1] == value
            x = 142 + width * column
            figure.box(x, y, width - 4, 30, "wait" if same else "none l-soft", round_by=4)
            figure.text(x + width / 2 - 2, y + 20, value, "ink mono", anchor="middle")
    last = 142 + width * (count - 1)
    figure.line((last - 2, 26), (last - 2, 172), kind="l-mark dashed")
    figure.text(last - 8, 24, "nobody acts: only the clock ticks", "soft small", anchor="end")
    figure.text(last + 4, 24, "a click", "mark small bold")
    masks = ", ".join(sorted({f"{selector} ({why})" for selector, _, why in data["masks"]}))
    figure.text(736, 190, f"left out: {masks}; filled: as at the look before", "soft small", anchor="end")
    return figure
