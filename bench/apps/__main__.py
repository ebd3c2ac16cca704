"""Start one application and keep it: `python -m bench.apps django-admin [--port 8000]`; Ctrl-C ends it."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import suppress

from bench.apps import app
from bench.apps.catalogue import APPS


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="bench.apps", description=main.__doc__)
    parser.add_argument("name", choices=[each.name for each in APPS])
    parser.add_argument("--port", type=int, help="default: a free one")
    arguments = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(arguments.name, arguments.port))


async def _serve(name: str, port: int | None) -> None:
    async with app(name, port=port) as url:
        print(f"{name}: {url}", flush=True)
        for state in next(each for each in APPS if each.name == name).states:
            if state.path is not None:
                print(f"  {url}{state.path}  {state.name}", flush=True)
        await asyncio.Event().wait()


main()
