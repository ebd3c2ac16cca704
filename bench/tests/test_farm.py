"""The benchmark of crawlers: what its site serves, and how it judges the pages that a crawler hands over."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

import aiohttp
import pytest

from bench.farm import contest
from bench.farm.command import main, tables
from bench.farm.contest import RUNNERS, Lane, Result, run_lane
from bench.farm.meter import Meter
from bench.farm.site import KINDS, Site, is_complete, kind_of, links_of, rows_of
from bench.farm.soak import FIGURES, Samples, picture

LANE = """
import json, sys
order = json.load(sys.stdin)
print("a line that is not a page")
for url in order["urls"]:
    number = int(url.rpartition("/")[2])
    if number != 3:
        print(json.dumps({"url": url, "text": TEXTS[number % 2] if number < 2 else "empty"}))
        print(json.dumps({"url": url, "text": "the same page again"}))
"""


ASKS = "import threading, urllib.request\nurllib.request.urlopen(order['urls'][0]).read()\n"


def test_every_hundred_pages_have_the_shares_of_the_kinds() -> None:
    assert Counter(kind_of(number) for number in range(300)) == {
        kind: 3 * count for kind, count in Counter(KINDS).items()
    }


def test_every_page_can_be_reached_from_the_first() -> None:
    reached, ahead = set(), [0]
    while ahead:
        number = ahead.pop()
        reached.add(number)
        ahead += links_of(number, 100)
    assert reached == set(range(100))


def test_a_page_is_complete_with_all_of_its_rows_only() -> None:
    rows = rows_of(7)
    assert is_complete(7, "\n".join(rows))
    assert not is_complete(7, "\n".join(rows[:-1]))
    assert not is_complete(8, "\n".join(rows))


async def test_the_server_sends_rows_with_static_pages_and_errors_for_broken_ones() -> None:
    by_kind = {kind_of(number): number for number in range(100)}
    async with Site(100) as site, aiohttp.ClientSession() as client:
        for kind in ("static", "rendered", "broken"):
            number = by_kind[kind]
            async with client.get(f"{site.url}/page/{number}") as reply:
                assert reply.status == (500 if kind == "broken" else 200)
                assert is_complete(number, await reply.text()) == (kind == "static")
        async with client.get(f"{site.url}/rows/{by_kind['rendered']}") as reply:
            assert await reply.json() == rows_of(by_kind["rendered"])
        assert site.served == {by_kind[kind]: 1 for kind in ("static", "rendered", "broken")}


async def test_a_lane_is_judged_by_what_its_pages_hold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts = [" ".join(rows_of(0)), " ".join(rows_of(1)[:-1])]
    (tmp_path / "lane.py").write_text(f"TEXTS = {json.dumps(texts)}\n{LANE}")
    monkeypatch.setattr(contest, "LANES", tmp_path)
    monkeypatch.setattr(contest, "PYTHON", "python3")
    result = await run_lane(Lane("a lane", "lane", "load"), pages=5, concurrency=1, chrome="none", limit_s=30)
    assert (result.pages, result.complete, result.incomplete, result.missing) == (5, 1, 3, 1)


async def test_a_lane_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lane.py").write_text("import threading\nthreading.Event().wait()\n")
    monkeypatch.setattr(contest, "LANES", tmp_path)
    monkeypatch.setattr(contest, "PYTHON", "python3")
    result = await run_lane(Lane("a lane", "lane", "load"), pages=2, concurrency=1, chrome="none", limit_s=0.5)
    assert (result.complete, result.missing, result.pages_per_s) == (0, 2, 0)


async def test_a_lane_that_hangs_after_its_pages_has_their_rate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    waits = "sys.stdout.flush()\nthreading.Event().wait()\n"
    asks = LANE.replace("print(", f"{ASKS}print(", 1)
    (tmp_path / "lane.py").write_text(f"TEXTS = {json.dumps([' '.join(rows_of(0)), ''])}\n{asks}{waits}")
    monkeypatch.setattr(contest, "LANES", tmp_path)
    monkeypatch.setattr(contest, "PYTHON", "python3")
    result = await run_lane(Lane("a lane", "lane", "load"), pages=2, concurrency=1, chrome="none", limit_s=5)
    assert (result.complete, result.missing) == (1, 0)
    assert 0.2 < result.pages_per_s < 1000


async def test_processor_time_is_that_of_all_processes_but_chrome() -> None:
    works = "import time\nwhile time.process_time() < 0.2: pass\ninput()"
    busy = await asyncio.create_subprocess_exec("python3", "-c", works, stdin=-1)
    meter = Meter(busy.pid)
    async with asyncio.timeout(30):
        while meter.client_cpu_s < 0.1:
            meter.read()
            await asyncio.sleep(0.01)
    assert meter.peak_chrome_mb == 0
    await busy.communicate(b"\n")
    meter.read()
    assert meter.client_cpu_s >= 0.1


CHROME = """
import os, subprocess, sys, time
from pathlib import Path
Path("/proc/self/comm").write_text("chromium")
if sys.argv[1:]:
    while time.process_time() < 0.3: pass
else:
    subprocess.run([sys.executable, __file__, "renderer"])
    print("over", flush=True)
    input()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="names itself by /proc")
async def test_processor_time_of_chrome_has_processes_that_ended_between_two_readings(tmp_path: Path) -> None:
    (tmp_path / "chrome.py").write_text(CHROME)
    started = f"import subprocess, sys; subprocess.run([sys.executable, {str(tmp_path / 'chrome.py')!r}])"
    client = await asyncio.create_subprocess_exec("python3", "-c", started, stdin=-1, stdout=-1)
    assert client.stdout is not None
    meter = Meter(client.pid)
    async with asyncio.timeout(30):
        await client.stdout.readline()
    meter.read()
    assert meter.chrome_cpu_s >= 0.3
    assert meter.client_cpu_s < 0.3
    assert meter.peak_chrome_mb == meter.median_chrome_mb > 0
    await client.communicate(b"\n")
    meter.read()
    assert meter.chrome_cpu_s >= 0.3


def test_figures_are_reported_beside_stillframe() -> None:
    ours = Result(pages=2, complete=2, seconds=1.0, client_cpu_s=0.02, handed={0: True, 1: True})
    other = Result(pages=2, complete=1, incomplete=1, seconds=1.0, client_cpu_s=0.06, handed={0: True, 1: False})
    speed, incomplete, cpu, _chrome, _all, memory, _median = tables({"stillframe": [ours], "other": [other]})
    assert [row.ratio for row in (speed.row("other"), cpu.row("other")) if row] == [0.5, 3.0]
    row = incomplete.row("other")
    assert row is not None
    assert row.median == 1
    assert memory.unit == "MB"


@pytest.mark.parametrize("arguments", [["--only", "nobody"], ["--pages", "0"], ["--concurrency", "0"]])
def test_mistakes_are_named_before_anything_starts(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert RUNNERS[0].name in capsys.readouterr().err


def test_the_slopes_of_a_soak_are_those_after_the_warm_up() -> None:
    samples = Samples(pages=[0, 500, 1000, 1500, 2000])
    for name in FIGURES:
        samples.read[name] = [0.0, 100.0, 100.0, 100.0, 100.0]
    samples.read["descriptors"] = [0.0, 10.0, 15.0, 20.0, 25.0]
    slopes = samples.slopes()
    assert slopes.pop("descriptors") == pytest.approx(10.0)
    assert slopes == dict.fromkeys(slopes, 0.0)
    assert picture(samples).size == (900, 160 * len(FIGURES))


def test_a_sample_reads_this_process() -> None:
    samples = Samples()
    samples.take(7)
    assert samples.pages == [7]
    assert samples.read["client_mb"][0] > 1
    assert samples.read["descriptors"][0] > 0
