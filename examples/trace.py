"""Record a trace, and ask it what the wait waited for; the report shows the same to people.

It prints:

    the wait after the click waited longest for
      request: POST /api/login
      timer: setTimeout 300 ms
    wrote login.html
"""

import asyncio
import re
import tempfile
from pathlib import Path

import stillframe
from stillframe import Click, Secret, SetValue
from stillframe.demo import Shop
from stillframe.trace.reading import read_trace
from stillframe.trace.report import report
from stillframe.trace.timeline import timeline


async def record(file: Path) -> None:
    async with Shop(render_delay_ms=300) as shop, stillframe.launch() as browser:
        page = await browser.new_page(shop.url("/login"))
        async with page.trace(file, screenshots=True):
            await page.execute_sequence(
                [SetValue("#user", "ann"), SetValue("#pass", Secret("lantern")), Click("#submit")]
            )


with tempfile.TemporaryDirectory() as folder:
    file = Path(folder, "login.trace.jsonl")
    asyncio.run(record(file))
    pending = timeline(read_trace(file)).pending
    longest = sorted(pending, key=lambda work: work.end - work.begin)[-2:]
    print("the wait after the click waited longest for")
    for work in sorted(longest, key=lambda work: work.begin):
        print(f"  {work.kind}: {re.sub('http://[^/]+', '', work.what)}")

    page = file.with_name("login.html")
    page.write_text(report(read_trace(file)))  # what `stillframe trace show` does
    print(f"wrote {page.name}")
