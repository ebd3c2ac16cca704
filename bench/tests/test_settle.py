"""settlebench: its pages tell the truth, its figures match those of hand-made runs, and a small run goes through."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bench.settle import cases, command, metrics, picture, runner
from bench.settle.lanes import ACTED, Act, Case, Lane, Run
from bench.settle.metrics import Sample, Void
from bench.settle.ours import Shared, Stillframe
from bench.settle.report import void_lines, write
from bench.settle.rules import Ruled, sleeps
from bench.settle.server import served
from stillframe.cli import bench as cli_bench

PAGE = '<script type="application/json" id="truth">{}</script><script src="/settlebench.js"></script>'
CASE = Case(name="one", set="base", page="/base/one.html", why="for tests", marks=("Saved",), ends_ms=300)


def truth(**fields: Any) -> cases.Truth:
    return cases.read_truth(PAGE.format(json.dumps({"why": "for tests"} | fields)), "page.html")


def run(returned: float, *, seen: str = "Saved", **more: Any) -> Run:
    return Run(acted_at=990.0, returned_at=returned, seen=seen, **more)


def judged(excess: float, *, case: str = "one", premature: bool = False, lane: str = "a", **more: Any) -> Sample:
    return Sample(
        lane=lane, case=case, set="base", round=0, waited_ms=excess, excess_ms=excess, premature=premature, **more
    )


# -- the pages -------------------------------------------------------------------------------------


def test_every_page_has_a_truth_and_the_sets_are_as_large_as_promised() -> None:
    base, hostile = cases.read_cases("base"), cases.read_cases("hostile")
    assert len(base) >= 21
    assert len(hostile) >= 24
    assert sum(case.click13 for case in base) == 13
    assert cases.read_cases("all") == [*base, *hostile]


@pytest.mark.parametrize("case", cases.read_cases(), ids=lambda case: f"{case.set}-{case.name}")
def test_a_page_contains_what_it_marks_and_what_it_acts_on(case: Case) -> None:
    source = (cases.PAGES / case.set / f"{case.name}.html").read_text()
    rest = source.replace(source[source.index("{") : source.index("</script>")], "", 1)
    for mark in case.marks:
        # Two texts are put together by the page: a word and what was typed or counted.
        assert mark.rpartition(" ")[0] in rest or mark in rest
    assert case.action.kind != "click" or f'id="{case.action.selector[1:]}"' in rest
    assert f"<title>{case.name}</title>" in rest


def test_a_truth_has_defaults() -> None:
    assert truth() == cases.Truth(why="for tests", action=Act("click", "#go", ""))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<p>no block</p>", "page.html: no <script"),
        (PAGE.format("{}") * 2, "page.html: more than one <script"),
        (PAGE.format("{oops"), "page.html: the truth block is not JSON"),
        (PAGE.format("{}"), "page.html: the truth block: object missing required field `why`"),
        (PAGE.format('{"why": "", "marks": []}'), "page.html: why: expected `str` of length >= 1"),
        (PAGE.format('{"why": "x", "ends_ms": -1}'), "page.html: ends_ms: expected `float` >= 0.0"),
        (PAGE.format('{"why": "x", "ends": 3}'), "page.html: the truth block: object contains unknown field `ends`"),
        (PAGE.format('{"why": "x", "action": {"kind": "kick"}}'), "page.html: action.kind: invalid enum value 'kick'"),
        (PAGE.format('{"why": "x", "action": {"kind": "type"}}'), "page.html: action.value: an action of kind type"),
        (PAGE.format('{"why": "x", "ends_ms": 9, "external_ms": 10, "marks": ["a"]}'), "page.html: external_ms:"),
        (PAGE.format('{"why": "x", "ends_ms": 2500, "marks": ["a"]}'), "page.html: ends_ms: changes beyond"),
        (PAGE.format('{"why": "x", "ends_ms": 100}'), "page.html: marks: what ends after 100 ms needs a mark"),
        (PAGE.format('{"why": "x", "marks": ["a", "a"]}'), "page.html: marks: each text"),
    ],
)
def test_a_bad_truth_names_its_file_and_field(source: str, words: str) -> None:
    with pytest.raises(cases.TruthInvalid) as caught:
        cases.read_truth(source, "page.html")
    assert words in str(caught.value)


def test_a_directory_without_pages_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(cases.TruthInvalid, match="no HTML files"):
        cases.read_cases(pages=tmp_path)
    with pytest.raises(cases.TruthInvalid, match="no HTML files"):
        cases.read_cases(pages=tmp_path / "missing")


# -- one run ---------------------------------------------------------------------------------------


def test_excess_is_counted_from_the_last_mark() -> None:
    marks = {ACTED: 1000.0, "Saved": 1300.0, "tick": 1900.0}
    assert metrics.judge(CASE, run(1350.0), marks) == (350.0, 50.0, False)
    assert metrics.judge(CASE, run(1284.0), marks) == (284.0, -16.0, False)
    assert metrics.judge(CASE, run(1282.0), marks) == (282.0, -18.0, True)


def test_a_mark_beyond_the_horizon_does_not_count() -> None:
    assert metrics.judge(CASE, run(1050.0), {ACTED: 1000.0, "Saved": 3001.0}) == (50.0, 50.0, False)


def test_the_action_is_where_the_page_saw_it_or_where_the_lane_sent_it() -> None:
    nothing = msgspec.structs.replace(CASE, marks=(), ends_ms=0.0)
    assert metrics.judge(nothing, run(1100.0), {ACTED: 1000.0})[1] == 100
    assert metrics.judge(nothing, run(1100.0, input_at=1010.0), {})[1] == 90
    assert metrics.judge(nothing, run(1100.0), {})[1] == 110


def test_a_lane_that_owns_the_clock_is_held_against_what_is_marked_and_the_external_part() -> None:
    case = msgspec.structs.replace(CASE, external_ms=200.0)
    returned = run(1240.0, input_at=1000.0)
    assert metrics.judge(case, returned, {"Saved": 9.0}, page_clock=True) == (240.0, 40.0, False)
    assert metrics.judge(case, returned, {}, page_clock=True) == (240.0, 40.0, True)


def test_missed_changes_and_what_must_be_named() -> None:
    marks = {ACTED: 1000.0, "Saved": 1300.0}
    case = msgspec.structs.replace(CASE, pending=("setTimeout",))
    silent = metrics.sample(case, run(1350.0, seen="nothing"), marks, lane="a", round=0)
    assert (silent.missed, silent.unexplained) == (("Saved",), True)
    told = metrics.sample(case, run(1350.0, pending=["timer setTimeout 2500 ms"]), marks, lane="a", round=0)
    assert (told.missed, told.unexplained) == ((), False)
    told = metrics.sample(case, run(1350.0, reason="horizon: timer setTimeout"), marks, lane="a", round=0)
    assert not told.unexplained


# -- intervals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "expected"), [(1, 12.706), (4, 2.776), (10, 2.228), (11, 2.201), (20, 2.086), (29, 2.045), (120, 1.980)]
)
def test_students_quantiles_are_those_of_the_tables(freedom: int, expected: float) -> None:
    assert metrics.student(freedom) == pytest.approx(expected, abs=0.001)


def test_the_interval_of_a_mean() -> None:
    # By hand: mean 12, standard deviation 2, standard error 2 / √5, t with 4 degrees of freedom 2.776.
    found = metrics.mean([10.0, 11.0, 11.0, 13.0, 15.0])
    assert found.value == 12
    half = 2.776 * 2 / math.sqrt(5)
    assert (found.low, found.high) == (pytest.approx(12 - half), pytest.approx(12 + half))
    assert metrics.mean([7.0]) == metrics.Interval(7)
    assert math.isnan(metrics.mean([]).value)


def test_the_interval_over_cases_knows_only_the_spread_within_them() -> None:
    # Two cases far apart, each without any spread: the mean of the set is certain.
    assert metrics.stratified_mean([[10.0, 10.0], [90.0, 90.0]]) == metrics.Interval(50, 50, 50)
    one, other = [8.0, 12.0], [50.0, 56.0]
    found = metrics.stratified_mean([one, other])
    half = metrics.student(2) * math.sqrt((statistics.variance(one) / 2 + statistics.variance(other) / 2) / 4)
    assert found.value == pytest.approx(31.5)
    assert found.high == pytest.approx(31.5 + half)
    # A case that was run once counts as much as the others.
    assert metrics.stratified_mean([[10.0, 10.0], [40.0]]).value == 25


def test_quantiles_are_samples_and_their_intervals_too() -> None:
    values = [float(n) for n in range(1, 101)]
    median = metrics.quantile(values, 0.5)
    assert (median.value, median.low, median.high) == (50, 40, 60)
    assert metrics.quantile(values, 0.95).value == 95
    assert metrics.quantile([3.0, 1.0, 2.0], 0.5) == metrics.Interval(2)
    assert math.isnan(metrics.quantile([], 0.5).value)


def test_the_interval_of_a_rate_is_wilsons() -> None:
    # From the literature: 0 of 10 gives 0 to 0.278; 5 of 10 gives 0.237 to 0.763.
    none, half = metrics.rate(0, 10), metrics.rate(5, 10)
    assert (none.low, none.high) == (0, pytest.approx(0.278, abs=0.001))
    assert (half.low, half.high) == (pytest.approx(0.237, abs=0.001), pytest.approx(0.763, abs=0.001))


def test_a_summary_of_hand_made_samples() -> None:
    samples = [
        judged(40.0, marks=1, received_bytes=1000, sent_bytes=500),
        judged(60.0, marks=1, received_bytes=2000, sent_bytes=500),
        judged(-200.0, case="two", premature=True, missed=("Saved",), marks=1),
        judged(100.0, case="two", marks=1, capped=True),
    ]
    found = metrics.summarise("a", samples)
    assert (found.premature_runs, found.premature.value, found.premature_cases) == (1, 0.25, ("two",))
    assert (found.missed.value, found.missed_cases) == (0.25, ("two",))
    assert found.excess_mean.value == 75  # of 50 and 100: the premature run is not in it
    assert (found.excess_p50.value, found.excess_max) == (60, 100)
    assert found.capped.value == 0.25
    assert found.kilobytes == 2
    assert found.composite == (50 + (5000 + 100) / 2) / 2


# -- order, picture, command line --------------------------------------------------------------------


def test_the_order_is_random_complete_and_repeatable() -> None:
    runs = runner.order(3, 4, 5, seed=1)
    assert sorted(runs) == [(r, c, n) for r in range(5) for c in range(4) for n in range(3)]
    assert runs == runner.order(3, 4, 5, seed=1) != runner.order(3, 4, 5, seed=2)
    # All lanes meet a case before the next one begins.
    assert all(len({case for _, case, _ in runs[at : at + 3]}) == 1 for at in range(0, len(runs), 3))


def test_the_picture_has_a_row_per_lane_and_a_cross_where_it_was_too_early() -> None:
    samples = [judged(40.0), judged(-300.0, case="two", premature=True), judged(700.0, lane="<b>")]
    drawn = picture.picture("base", samples, ["a", "<b>"])
    assert "&lt;b&gt;" in drawn
    assert "<b>" not in drawn
    assert drawn.count(picture.EARLY) == 2  # the one, and that of the legend
    assert "two: , early 1×" in drawn
    assert picture.height_of(0.0) == 0 == picture.height_of(-5.0)
    assert picture.height_of(99_999.0) == picture.ROW


def test_the_files_hold_every_sample_and_can_be_read_again(tmp_path: Path) -> None:
    samples = [judged(40.0), judged(-300.0, premature=True, missed=("Saved",), marks=1)]
    void = Void(lane="a", case="one", round=1, problem="broke")
    outcome = runner.Outcome(1, 2, [CASE], ["a"], {"b": "not here"}, samples, [void])
    files = write(outcome, tmp_path / "new")
    assert [file.name for file in files] == ["settle.json", "settle-base.svg"]
    whole = json.loads(files[0].read_text())
    assert msgspec.convert(whole["samples"], list[Sample]) == samples
    assert whole["missing"] == {"b": "not here"}
    assert whole["summaries"]["base"][0]["premature_runs"] == 1


def test_void_runs_are_counted_not_listed() -> None:
    void = Void(lane="a", case="one", round=0, problem="broke")
    assert void_lines([void, void]) == ["void: a on one, 2×: broke"]


def test_mistakes_on_the_command_line_end_with_the_usage_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--lanes", "nosuch", "--list"]) == command.USAGE
    assert "no lane is called 'nosuch'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        command.main(["--rounds", "0"])
    assert ended.value.code == command.USAGE


def test_the_command_says_where_benchmarks_can_be_run(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="run in a checkout") as caught:
        cli_bench.bench("settle", [], checkout=tmp_path)
    assert type(caught.value).__name__ == "BadParameter"
    with pytest.raises(Exception, match="no benchmark 'nosuch'"):
        cli_bench.bench("nosuch", [])


# -- end to end ------------------------------------------------------------------------------------


@pytest.mark.browser
async def test_a_small_run_tells_a_sleep_from_a_rule_that_waits(tmp_path: Path) -> None:
    (tmp_path / "timer.html").write_text(
        PAGE.format('{"why": "a timer", "ends_ms": 250, "marks": ["Saved"], "warm_ms": 0}')
        + "<button id=go>Go</button>"
        + "<script>go.onclick = () => setTimeout(() => settlebench.show('Saved'), 250)</script>"
    )
    (tmp_path / "nothing.html").write_text(
        PAGE.format('{"why": "nothing", "warm_ms": 0}') + "<button id=go>Go</button>"
    )
    chosen = cases.read_cases(pages=tmp_path)
    shared = Shared()
    ours = Stillframe("ours", shared)
    lanes: list[Lane] = [ours, *(Ruled(f"sleep {ms}", shared, sleeps(ms), sleep=True) for ms in (0, 500))]
    async with served(cases.directories(tmp_path)) as url:
        outcome = await runner.run(lanes, chosen, url, rounds=1, seed=1)
    assert not outcome.voids, outcome.voids
    found = {(one.lane, one.case): one for one in outcome.samples}
    assert len(found) == 6
    assert not found["ours", "timer"].premature
    assert found["ours", "timer"].missed == found["ours", "nothing"].missed == ()
    assert found["sleep 0", "timer"].premature
    assert found["sleep 0", "timer"].missed == ("Saved",)
    assert not found["sleep 500", "timer"].premature
    assert found["sleep 500", "timer"].missed == ()
    assert found["sleep 500", "nothing"].excess_ms >= 450
    assert (found["sleep 500", "timer"].received_bytes or 0) > 0
