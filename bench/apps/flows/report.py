"""What the flows come to: lines to read while they run, and tables to record."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Sequence

from bench.apps.flows.lanes import DESKTOP
from bench.apps.flows.play import Outcome
from bench.apps.flows.run import LeftOut
from bench.measure import Table, table

ALL = "all applications"


def heading(over: str) -> str:
    """Return the line above the flows of a lane."""
    return (
        f"{'flow over ' + over:46} {'acted':5} {'rank':>4} {'in list':16} {'chars':>6} {'rows':>4} {'noise':>5} "
        f"{'wait':>6} {'excess':>6}  reason"
    )


def line(outcome: Outcome) -> str:
    """Return one flow's figures on one line; a second line says what went wrong."""
    where = f"{outcome.where} {outcome.place}" if outcome.where else "nowhere"
    excess = "–" if outcome.excess_ms is None else f"{outcome.excess_ms:.0f}"
    told = (
        f"{outcome.app + ': ' + outcome.flow:46} {'yes' if outcome.acted else 'NO':5} {outcome.rank:4} {where:16} "
        f"{outcome.chars:6} {outcome.rows:4} {outcome.noise:5} {outcome.wait_ms:6.0f} {excess:>6}  "
        f"{'stable' if outcome.stable else 'UNSTABLE'} {outcome.reason}"
    )
    notes = [*([f"    NOT ACTED: {outcome.problem}"] if outcome.problem else []), *_early(outcome)]
    return "\n".join([told, *notes])


def _early(outcome: Outcome) -> list[str]:
    return ["    EARLY, later came: " + " ⏎ ".join(outcome.early)] if outcome.early else []


def verbose(outcome: Outcome) -> Iterator[str]:
    """Yield the URL, the title and the rows of a delta, in the order of reading."""
    change = outcome.change or {}
    for name in ("url", "title", "omitted"):
        if change.get(name):
            yield f"    {name}: {json.dumps(change[name], ensure_ascii=False)}"
    for rank, (kind, index) in enumerate(outcome.order, 1):
        short = {key: value for key, value in change[kind][index].items() if key != "ref"}
        yield f"    {rank:3} {kind[:3]} {json.dumps(short, ensure_ascii=False)}"


def summary(outcomes: Sequence[Outcome], left_out: Sequence[LeftOut]) -> str:
    """Return the figures over all flows."""
    if not outcomes:
        return f"no flow was played; left out: {', '.join(each.app for each in left_out) or 'none'}"
    count = len(outcomes)
    noise, total = sum(each.noise for each in outcomes), sum(each.rows for each in outcomes)
    lines = [
        f"{count} flows on {len({each.app for each in outcomes})} applications",
        f"acted rightly {_share(sum(each.acted for each in outcomes), count)}; "
        f"early {sum(bool(each.early) for each in outcomes)}; unstable {sum(not each.stable for each in outcomes)}",
        f"key fact in the first three rows {_share(sum(each.in_first for each in outcomes), count)}, "
        f"in the first three of its list {_share(sum(0 < each.place <= 3 for each in outcomes), count)}, "
        f"nowhere {sum(not each.rank for each in outcomes)}",
        f"noise rows {_share(noise, total)}; delta median {statistics.median(each.chars for each in outcomes):.0f} "
        f"characters, largest {max(each.chars for each in outcomes)}",
    ]
    excess = [each.excess_ms for each in outcomes if each.excess_ms is not None]
    if excess:
        lines.append(f"excess median {statistics.median(excess):.0f} ms, largest {max(excess):.0f} ms")
    lines += by_application(outcomes)
    lines += [f"LEFT OUT: {each.app} ({each.flows} flows): {each.why}" for each in left_out]
    return "\n".join(lines)


def by_application(outcomes: Sequence[Outcome]) -> list[str]:
    """Return a line of figures for each application, after a heading."""
    groups: dict[str, list[Outcome]] = {}
    for each in outcomes:
        groups.setdefault(each.app, []).append(each)
    heading = (
        f"{'application':18} {'flows':>5} {'acted':>5} {'early':>5} {'first 3':>7} {'noise %':>7} {'characters':>10}"
    )
    return [heading, *(_application(app, group) for app, group in groups.items())]


def _application(app: str, group: Sequence[Outcome]) -> str:
    noise = 100 * sum(each.noise for each in group) / max(1, sum(each.rows for each in group))
    return (
        f"{app:18} {len(group):5} {sum(each.acted for each in group):5} {sum(bool(each.early) for each in group):5} "
        f"{sum(each.in_first for each in group):7} {noise:7.1f} {statistics.median(each.chars for each in group):10.0f}"
    )


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0 of 0"


# -- lanes ----------------------------------------------------------------------------------------


def differences(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the flows that came out otherwise in one lane than in another, with a line for each lane, after a count.

    Compared is what a user would notice: whether it acted rightly, was early or unstable, and where the key fact is.
    """
    flows: dict[tuple[str, str], list[Outcome]] = {}
    for each in outcomes:
        flows.setdefault((each.app, each.flow), []).append(each)
    different = [group for group in flows.values() if len({_noticed(each) for each in group}) > 1]
    yield f"{len(different)} of {len(flows)} flows came out otherwise in one lane than in another"
    for group in different:
        yield f"{group[0].app}: {group[0].flow}"
        yield from (f"  {each.over:10} {_told(each)}" for each in group)


def _noticed(outcome: Outcome) -> tuple[bool | int, ...]:
    return outcome.acted, bool(outcome.early), outcome.stable, outcome.rank


def _told(outcome: Outcome) -> str:
    parts = ["acted" if outcome.acted else f"NOT ACTED: {outcome.problem}", *(["EARLY"] if outcome.early else [])]
    return ", ".join([*parts, f"rank {outcome.rank}", f"{'' if outcome.stable else 'UNSTABLE '}{outcome.reason}"])


# -- tables ---------------------------------------------------------------------------------------


def tables(outcomes: Sequence[Outcome], left_out: Sequence[LeftOut], *, over: str = DESKTOP) -> list[Table]:
    """Return the tables that are recorded for one lane, a row for each application and one for all."""
    name = "flows" if over == DESKTOP else f"flows over {over}"
    missing = {each.app: f"{each.why} ({each.flows} flows)" for each in left_out}
    groups = {ALL: list(outcomes)} if outcomes else {}
    for each in outcomes:
        groups.setdefault(each.app, []).append(each)

    def share(question: str, unit: str, samples: dict[str, list[float]]) -> Table:
        return table(question, unit, "", samples, missing=missing)

    def percent(question: str, name: str) -> Table:
        means = {
            app: [100 * statistics.fmean(bool(getattr(one, name)) for one in group)] for app, group in groups.items()
        }
        return share(question, "%", means)

    noise = {
        app: [100 * sum(one.noise for one in group) / max(1, sum(one.rows for one in group))]
        for app, group in groups.items()
    }
    return [
        percent(f"{name}: acted rightly", "acted"),
        percent(f"{name}: verdict before the page's true end", "early"),
        percent(f"{name}: key fact within the first three rows", "in_first"),
        share(f"{name}: rows that are noise", "%", noise),
        share(
            f"{name}: delta", "characters", {app: [float(one.chars) for one in group] for app, group in groups.items()}
        ),
        share(
            f"{name}: return after the page's true end",
            "ms",
            {app: [one.excess_ms for one in group if one.excess_ms is not None] for app, group in groups.items()},
        ),
    ]
