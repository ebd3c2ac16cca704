"""Run the flows beside this file, and print what each of them returns as a line of JSON.

    python examples/flows/run.py                                    all with stillframe's asynchronous API
    python examples/flows/run.py --flavour stillframe_sync 01_login
    python examples/flows/run.py --flavour playwright_async --options '{"executable_path": "/usr/bin/chromium"}'

`--options` are those of the launch.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import runpy
from pathlib import Path

from flow_site import served

HERE = Path(__file__).parent
FLAVOURS = ("playwright_async", "stillframe_async", "stillframe_sync")
NAMES = sorted(path.parent.name for path in HERE.glob("*/stillframe_async.py"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*NAMES, []], metavar="NAME", help=f"of: {', '.join(NAMES)}")
    parser.add_argument("--flavour", choices=FLAVOURS, default="stillframe_async")
    parser.add_argument("--options", type=json.loads, default={}, help="options of the launch, as JSON")
    given = parser.parse_args()
    with served() as url:
        for name in given.names or NAMES:
            run = runpy.run_path(str(HERE / name / f"{given.flavour}.py"))["run"]
            result = run(f"{url}/{name}", **given.options)
            if inspect.iscoroutine(result):
                result = asyncio.run(result)
            print(json.dumps({"flow": name, "result": result}), flush=True)


if __name__ == "__main__":
    main()
