"""The picture of a set: a row per rule, a column per behaviour, a bar for the excess, a cross where it was too early.

Written by hand as SVG, so that it needs nothing and can be read wherever a page can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bench.settle.metrics import Sample, grouped, quantile, summarise

LEFT, RIGHT, TOP = 310, 20, 74
COLUMN, BAR = 20, 12
ROW, GAP = 62, 14
BOTTOM = 150
CEILING_MS = 4000.0
TICKS = {60: "60 ms", 500: "0.5 s", 2000: "2 s"}
"""Excess spans four decades: a square root keeps the small ones visible and the large ones larger, a logarithm would
not."""
GOOD_MS, FAIR_MS = 60.0, 150.0
COLOURS = ((GOOD_MS, "#2a9d5c"), (FAIR_MS, "#d9a520"), (math.inf, "#c2683f"))
EARLY = "#c8102e"
STYLE = (
    "text{font:11px system-ui,sans-serif;fill:#222}.title{font-size:17px;font-weight:600}.lane{font-size:13px;"
    "font-weight:600}.small{fill:#666}.grid{stroke:#e4e4e4}.floor{stroke:#999}"
)


def picture(title: str, samples: Sequence[Sample], lanes: Sequence[str]) -> str:
    """Return the SVG; lanes from the top in the given order, behaviours in the order of their first lane's excess."""
    cases = sorted({one.case for one in samples})
    width = LEFT + COLUMN * len(cases) + RIGHT
    height = TOP + (ROW + GAP) * len(lanes) + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *_heading(title),
    ]
    for index, lane in enumerate(lanes):
        own = [one for one in samples if one.lane == lane]
        parts += _lane(lane, own, cases, TOP + index * (ROW + GAP), width)
    parts += _names(cases, TOP + len(lanes) * (ROW + GAP))
    return "\n".join([*parts, "</svg>\n"])


def height_of(excess_ms: float) -> float:
    """Return the height of a bar: nothing at 0, the whole row at 4 s and beyond."""
    return ROW * math.sqrt(min(max(excess_ms, 0.0), CEILING_MS) / CEILING_MS)


def _heading(title: str) -> list[str]:
    lines = [_text(16, 28, f"settlebench, {title} set: excess over the true settle, per behaviour", "title")]
    x = 16.0
    for (limit, colour), words in zip(COLOURS, ("≤ 60 ms", "≤ 150 ms", "more"), strict=True):
        lines += [f'<rect x="{x}" y="42" width="10" height="10" fill="{colour}"/>', _text(x + 15, 51, words)]
        x += 80 if limit is not math.inf else 60
    lines += [_cross(x + 5, 47), _text(x + 15, 51, "came back too early (at least once)")]
    lines.append(_text(x + 225, 51, "bars: median, square-root scale, cut at 4 s", "small"))
    return lines


def _lane(lane: str, samples: Sequence[Sample], cases: Sequence[str], top: float, width: int) -> list[str]:
    floor = top + ROW
    parts = [_text(16, top + 22, lane, "lane"), _text(16, top + 40, _summary(lane, samples), "small")]
    for tick, words in TICKS.items():
        y = floor - height_of(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{width - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 6, y + 4, words, "small", anchor="end"))
    parts.append(f'<line class="floor" x1="{LEFT}" x2="{width - RIGHT}" y1="{floor}" y2="{floor}"/>')
    by_case = {group[0].case: group for group in grouped(samples).values()}
    for index, case in enumerate(cases):
        if case in by_case:
            parts += _bar(by_case[case], LEFT + index * COLUMN + (COLUMN - BAR) / 2, floor)
    return parts


def _summary(lane: str, samples: Sequence[Sample]) -> str:
    if not samples:
        return "no runs"
    figures = summarise(lane, samples)
    if math.isnan(figures.excess_p50.value):
        return f"{figures.premature_runs} of {figures.runs} too early"
    early = f"{figures.premature_runs}/{figures.runs} early" if figures.premature_runs else "never early"
    return f"{early}, p50 {figures.excess_p50.value:.0f}, p95 {figures.excess_p95.value:.0f} ms"


def _bar(group: Sequence[Sample], x: float, floor: float) -> list[str]:
    excess = [one.excess_ms for one in group if not one.premature]
    early = len(group) - len(excess)
    median = quantile(excess, 0.5).value
    hint = f"{group[0].case}: " + (f"{median:.0f} ms" if excess else "") + (f", early {early}×" if early else "")
    parts = [f"<g><title>{escape(hint)}</title>"]
    if excess:
        height = height_of(median)
        colour = next(colour for limit, colour in COLOURS if median <= limit)
        parts.append(
            f'<rect x="{x}" y="{floor - height:.1f}" width="{BAR}" height="{max(height, 1):.1f}" fill="{colour}"/>'
        )
    if early:
        parts.append(_cross(x + BAR / 2, floor - 8))
    return [*parts, "</g>"]


def _names(cases: Sequence[str], top: float) -> list[str]:
    parts = []
    for index, case in enumerate(cases):
        x = LEFT + index * COLUMN + COLUMN / 2 + 4
        parts.append(f'<text transform="translate({x},{top + 6}) rotate(-55)" text-anchor="end">{escape(case)}</text>')
    return parts


def _cross(x: float, y: float) -> str:
    return (
        f'<path d="M{x - 5} {y - 5}l10 10m0 -10l-10 10" stroke="#fff" stroke-width="5"/>'
        f'<path d="M{x - 5} {y - 5}l10 10m0 -10l-10 10" stroke="{EARLY}" stroke-width="2.5"/>'
    )


def _text(x: float, y: float, words: str, kind: str = "", *, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'
