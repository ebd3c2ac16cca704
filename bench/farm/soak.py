"""A long crawl in one process: do memory, descriptors, processes and profiles stay as they are?

`python -m bench.farm.soak --pages 10000` crawls the site of `bench farm`, samples every few seconds, and records the
slopes after the first tenth, per 1,000 pages, with a picture.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import psutil
from PIL import Image, ImageDraw

from bench.farm.site import Site
from bench.measure import RESULTS, machine
from stillframe.farm.crawl import CrawlSettings, Progress, run_crawl

SAMPLE_S = 5.0
WARM_UP = 0.1
"""The share of the pages before the slopes are measured: caches fill, and each browser grows to its size."""
FIGURES = ("client_mb", "chrome_mb", "descriptors", "processes", "profiles")
MB = 1_000_000
SIZE = (900, 160)


@dataclass
class Samples:
    """What was read, by figure, with the number of pages then."""

    pages: list[int] = field(default_factory=list)
    read: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name in FIGURES})

    def take(self, pages: int) -> None:
        """Read everything once."""
        own = psutil.Process()
        children = own.children(recursive=True)
        chrome = [each for each in children if "chrom" in each.name()]
        self.pages.append(pages)
        readings = (
            own.memory_full_info().pss / MB,
            sum(_pss(each) for each in chrome) / MB,
            own.num_fds(),
            len(children),
            sum(path.name.startswith("stillframe") for path in Path(tempfile.gettempdir()).iterdir()),
        )
        for name, value in zip(FIGURES, readings, strict=True):
            self.read[name].append(float(value))

    def slopes(self) -> dict[str, float]:
        """Return how much each figure grows in 1,000 pages, by the median of all pairs of samples (Theil and Sen)."""
        start = next(index for index, pages in enumerate(self.pages) if pages >= WARM_UP * self.pages[-1])
        found = {}
        for name in FIGURES:
            points = list(zip(self.pages[start:], self.read[name][start:], strict=True))
            pairs = [(a, b) for index, a in enumerate(points) for b in points[index + 1 :] if b[0] > a[0]]
            found[name] = statistics.median((b[1] - a[1]) / (b[0] - a[0]) * 1000 for a, b in pairs) if pairs else 0.0
        return found


def _pss(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:
        return 0


async def soak(pages: int, concurrency: int) -> Samples:
    """Crawl and sample; fails if a page that was found is neither done nor failed."""
    samples, progress = Samples(), [0]

    def observe(now: Progress) -> None:
        progress[0] = now.pages

    async def sample() -> None:
        while True:
            await asyncio.to_thread(samples.take, progress[0])
            await asyncio.sleep(SAMPLE_S)

    out = Path(tempfile.mkdtemp(prefix="soak-"))
    try:
        async with Site(pages) as site:
            sampling = asyncio.create_task(sample())
            settings = CrawlSettings(urls=(f"{site.url}/page/0",), retries=0)
            summary = await run_crawl(settings, out=out / "crawl", concurrency=concurrency, observe=observe)
            sampling.cancel()
            await asyncio.gather(sampling, return_exceptions=True)
        print(summary)
        assert summary.pending == 0, summary
    finally:
        shutil.rmtree(out)
    return samples


def picture(samples: Samples) -> Image.Image:
    """Draw one strip per figure, from zero up, over the number of pages."""
    width, height = SIZE
    image = Image.new("RGB", (width, height * len(FIGURES)), "white")
    draw = ImageDraw.Draw(image)
    for row, name in enumerate(FIGURES):
        values, top = samples.read[name], row * height
        most, last = max(values) or 1.0, samples.pages[-1] or 1
        points = [
            (10 + (width - 20) * pages / last, top + height - 10 - (height - 40) * value / most)
            for pages, value in zip(samples.pages, values, strict=True)
        ]
        draw.line(points, fill="black", width=2)
        draw.text((10, top + 5), f"{name}: 0 to {most:.0f}, over {last} pages", fill="black")
    return image


def main() -> None:
    """Run the soak and record its figures and its picture."""
    parser = argparse.ArgumentParser(prog="bench.farm.soak", description="Crawl for long and look for growth.")
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--record", default="latest-farm-soak")
    options = parser.parse_args()
    began = time.monotonic()
    samples = asyncio.run(soak(options.pages, options.concurrency))
    slopes = samples.slopes()
    for name, slope in slopes.items():
        print(f"{name}: {slope:+.2f} per 1,000 pages, median {statistics.median(samples.read[name]):.0f}")
    recorded = {"machine": machine(), "seconds": time.monotonic() - began, "slopes": slopes}
    recorded |= {"pages": samples.pages, "samples": samples.read}
    (RESULTS / f"{options.record}.json").write_bytes(msgspec.json.format(msgspec.json.encode(recorded)))
    picture(samples).save(RESULTS / f"{options.record}.png")


if __name__ == "__main__":
    main()
