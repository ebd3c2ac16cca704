"""The figures with an axis of time: still, noise, tiers and the owned clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svg import Axis, Figure

Data = Mapping[str, Any]

STILL_LANES = {
    "actions": "click",
    "requests": "request",
    "timers": "timer",
    "changes": "DOM changes",
    "fences": "fences",
    "verdicts": "causal waits",
}


def still(data: Data) -> Figure:
    figure = Figure(760, 300, "What a click on Log in starts, and when two rules return")
    axis = Axis(120, 730, 1000)
    axis.draw(figure, 30, 265, 100)
    for row, (lane, name) in enumerate(STILL_LANES.items()):
        y = 40 + 32 * row
        figure.text(110, y + 13, name, anchor="end")
        for span in (each for each in data["spans"] if each["lane"] == lane):
            draw_span(figure, axis, span, y, "wait" if lane in ("verdicts", "fences") else "work")
    done = max(each["end"] for each in data["spans"] if each["lane"] == "changes")
    for lane, text in (("requests", "POST /api/login"), ("timers", "setTimeout 50 ms")):
        figure.text(axis(done) + 6, 53 + 32 * list(STILL_LANES).index(lane), text, "soft small")
    figure.text(axis(data["verdict"]) + 6, 213, f"still after {data['verdict']:.0f} ms", "good small bold")
    figure.text(110, 245, "quiet waits", anchor="end")
    figure.box(axis(done), 232, axis(data["quiet"]) - axis(done), 18, "noise")
    figure.text(axis(done) + 8, 245, "silence, polled", "ink small")
    figure.text(axis(data["quiet"]) - 6, 227, f"{data['quiet']:.0f} ms", "ink small bold", anchor="end")
    figure.line((axis(done), 24), (axis(done), 265), kind="l-mark dashed")
    figure.text(axis(done) + 5, 22, "the last change", "mark small bold")
    return figure


def draw_span(figure: Figure, axis: Axis, span: Data, y: float, kind: str) -> None:
    if span["begin"] == span["end"]:
        figure.dot(axis(span["begin"]), y + 9, "mark")
    else:
        figure.box(axis(span["begin"]), y, axis(span["end"]) - axis(span["begin"]), 18, kind)


def noise(data: Data) -> Figure:
    figure = Figure(760, 190, "The ticks of a clock are left out; what the click caused is not")
    axis = Axis(150, 730, 1200)
    axis.draw(figure, 30, 150, 100)
    ticks = [at for at, what in data["changes"] if what == "clock"]
    others = [at for at, what in data["changes"] if what != "clock"]
    figure.text(140, 64, "the clock changes", anchor="end")
    for at in ticks:
        figure.dot(axis(at), 60, "noise", radius=5)
    figure.text(140, 99, "the form changes", anchor="end")
    for at in others:
        figure.dot(axis(at), 95, "mark", radius=5)
    figure.text(140, 134, "the wait", anchor="end")
    figure.box(axis(data["clicked"]), 121, axis(data["verdict"]) - axis(data["clicked"]), 18, "wait")
    figure.text(axis(data["verdict"]) + 6, 134, "still: quiet", "good small bold")
    figure.text(axis(0) + 4, 46, "rhythm learned while nobody acts", "soft small")
    figure.line((axis(data["clicked"]), 24), (axis(data["clicked"]), 150), kind="l-mark dashed")
    figure.text(axis(data["clicked"]) + 5, 22, "set the value, click", "mark small bold")
    key, rate = data["ignored"][0]
    figure.text(730, 182, f"ignored: {key}, {rate:g} per second", "soft small", anchor="end")
    return figure


TIER_NOTES = {"protocol": "CDP events", "dom": "+ an observer", "calls": "+ scheduled calls"}


def tiers(data: Data) -> Figure:
    figure = Figure(760, 200, "A bare timer of 700 ms at each level of observation")
    axis = Axis(190, 720, 900)
    axis.draw(figure, 30, 160, 100)
    figure.line((axis(700), 24), (axis(700), 160), kind="l-mark dashed")
    figure.text(axis(700), 22, "the timer writes its text", "mark small bold", anchor="middle")
    for row, (level, note) in enumerate(TIER_NOTES.items()):
        found, y = data[level], 42 + 40 * row
        figure.text(180, y + 10, level, "ink mono bold", anchor="end")
        figure.text(180, y + 24, note, "soft small", anchor="end")
        figure.box(axis(0), y, axis(found["verdict"]) - axis(0), 20, "wait")
        verdict = "in the delta" if found["seen"] else f"{found['reason']}: the change will be late"
        kind = "good small bold" if found["seen"] else "bad small bold"
        figure.text(axis(found["verdict"]) + 8, y + 14, verdict, kind)
    return figure


GEARS = {
    "login": ("pace, then jump", "a request, then quiet"),
    "thought": ("hold", "you think"),
    "timers": ("jump", "ten timers of 300 ms"),
    "end": ("hold", "you think"),
}


def clock(data: Data) -> Figure:
    figure = Figure(760, 330, "Page time over wall time: pace, hold, jump")
    points = data["points"]
    across = Axis(80, 730, 1300)
    across.draw(figure, 20, 285, 100)
    up = Axis(285, 30, 4000)
    for ms in range(0, 4001, 1000):
        figure.line((80, up(ms)), (730, up(ms)))
        figure.text(72, up(ms) + 4, f"{ms / 1000:g} s", "soft small", anchor="end")
    figure.text(16, 18, "page time", "soft small")
    figure.text(730, 320, "wall time", "soft small", anchor="end")
    figure.line((across(0), up(0)), (across(1300), up(1300)), kind="l-soft dashed")
    figure.text(across(1290), up(1300) - 8, "an ordinary page", "soft small", anchor="end")
    places = [(across(wall), up(page)) for _, wall, page in points]
    figure.line(*places, kind="l-work", width=2.5)
    for before, (name, *_), (x, y) in zip(places, points[1:], places[1:], strict=False):
        gear, why = GEARS[name]
        left = (before[0] + x) / 2
        beside = gear == "jump"
        at = (left - 16, (before[1] + y) / 2) if beside else (left, y - 22)
        figure.text(*at, gear, "ink bold", anchor="end" if beside else "middle")
        figure.text(at[0], at[1] + 14, why, "soft small", anchor="end" if beside else "middle")
    for x, y in places:
        figure.dot(x, y, "mark")
    return figure
