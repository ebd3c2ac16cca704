"""Draw the figures of docs/concepts from data.json.

`python docs/figures/draw.py` draws them again, `--check` fails if a committed figure is not what the data give, and
`--record` first runs stillframe to make new data; its times differ from run to run, so the data are committed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

import tables
import timelines

HERE = Path(__file__).parent
DATA = HERE / "data.json"
IMAGES = HERE.parent / "images"
DRAWN = {
    "still": timelines.still,
    "noise": timelines.noise,
    "tiers": timelines.tiers,
    "clock": timelines.clock,
    "refs": tables.refs,
    "deltas": tables.deltas,
    "identity": tables.identity,
}


def figures() -> dict[Path, str]:
    """Return the figures by their files."""
    data = json.loads(DATA.read_text("utf-8"))
    return {IMAGES / f"{name}.svg": draw(data[name]).svg() for name, draw in DRAWN.items()}


def record() -> None:
    from record import everything

    DATA.write_text(json.dumps(asyncio.run(everything()), indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--record", action="store_true", help="run stillframe to make new data first")
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a figure is stale")
    options = parser.parse_args()
    if options.record:
        record()
    drawn = figures()
    if options.check:
        stale = [path.name for path, svg in drawn.items() if not path.is_file() or path.read_text("utf-8") != svg]
        if stale:
            print(f"stale figures: {', '.join(stale)}; run python docs/figures/draw.py", file=sys.stderr)
        return bool(stale)
    IMAGES.mkdir(exist_ok=True)
    for path, svg in drawn.items():
        path.write_text(svg, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
