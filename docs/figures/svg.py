"""Write figures as SVG: a few shapes, in colours that a style sheet in the file sets for light and dark screens."""

from __future__ import annotations

from html import escape
from typing import Literal

Anchor = Literal["start", "middle", "end"]

STYLE = """
svg { --paper: #fbfaf7; --ink: #24292f; --soft: #667085; --line: #d8d6cf; --work: #0f766e; --wait: #c2d9d6;
  --noise: #b6b3a8; --good: #15803d; --bad: #b42318; --mark: #b45309; font: 13px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { svg { --paper: #1b1f24; --ink: #e6edf3; --soft: #9aa4af; --line: #3a424b;
  --work: #2dd4bf; --wait: #1f4f4a; --noise: #6b7280; --good: #4ade80; --bad: #f87171; --mark: #fbbf24; } }
.paper { fill: var(--paper); } .ink { fill: var(--ink); } .soft { fill: var(--soft); } .work { fill: var(--work); }
.wait { fill: var(--wait); } .noise { fill: var(--noise); } .good { fill: var(--good); } .bad { fill: var(--bad); }
.mark { fill: var(--mark); } .none { fill: none; }
.l-line { stroke: var(--line); } .l-soft { stroke: var(--soft); } .l-work { stroke: var(--work); }
.l-bad { stroke: var(--bad); } .l-good { stroke: var(--good); } .l-mark { stroke: var(--mark); }
.dashed { stroke-dasharray: 4 3; }
.bold { font-weight: 600; } .small { font-size: 11px; } .mono { font-family: ui-monospace, monospace; font-size: 12px; }
.code { font-family: ui-monospace, monospace; font-size: 11px; }
"""
"""The names of the classes say what a colour means; a figure names no colour."""


class Figure:
    """One figure; sizes and places are in CSS pixels."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self.width = width
        self.height = height
        self.title = title
        self._parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, kind: str, *, round_by: float = 2) -> None:
        place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{height:.1f}"'
        self._parts.append(f'<rect {place} rx="{round_by:g}" class="{kind}"/>')

    def dot(self, x: float, y: float, kind: str, *, radius: float = 3.5) -> None:
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" class="{kind}"/>')

    def line(self, *points: tuple[float, float], kind: str = "l-line", width: float = 1) -> None:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self._parts.append(f'<polyline points="{path}" class="none {kind}" stroke-width="{width:g}"/>')

    def arrow(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
        """Draw a horizontal arrow that bends in the middle and points to the right."""
        (x1, y1), (x2, y2) = start, end
        middle = (x1 + x2) / 2
        curve = f"M{x1:.1f},{y1:.1f} C{middle:.1f},{y1:.1f} {middle:.1f},{y2:.1f} {x2:.1f},{y2:.1f}"
        head = f"M{x2 - 7:.1f},{y2 - 4:.1f} L{x2:.1f},{y2:.1f} L{x2 - 7:.1f},{y2 + 4:.1f}"
        self._parts.append(f'<path d="{curve} {head}" class="none {kind}" stroke-width="1.5"/>')

    def text(self, x: float, y: float, text: str, kind: str = "ink", *, anchor: Anchor = "start") -> None:
        place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
        self._parts.append(f'<text {place} class="{kind}" xml:space="preserve">{escape(text)}</text>')

    def svg(self) -> str:
        size = f'viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
                f"<title>{escape(self.title)}</title>",
                f"<style>{STYLE}</style>",
                f'<rect width="{self.width}" height="{self.height}" rx="8" class="paper"/>',
                *self._parts,
                "</svg>",
                "",
            ]
        )


class Axis:
    """A horizontal axis of time: milliseconds to pixels."""

    def __init__(self, left: float, right: float, end_ms: float) -> None:
        self.left = left
        self.right = right
        self.end_ms = end_ms

    def __call__(self, ms: float) -> float:
        return self.left + (self.right - self.left) * min(max(ms, 0), self.end_ms) / self.end_ms

    def draw(self, figure: Figure, top: float, bottom: float, step_ms: int) -> None:
        """Draw a grid line and a label every `step_ms`."""
        for ms in range(0, int(self.end_ms) + 1, step_ms):
            figure.line((self(ms), top), (self(ms), bottom))
            figure.text(self(ms), bottom + 15, f"{ms} ms" if ms == 0 else str(ms), "soft small", anchor="middle")
