"""`stillframe bench`: runs the benchmarks of a checkout; the installed package has none."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import typer

import stillframe
from stillframe.cli.output import ExitCode

BENCHMARKS = {"settle": "bench.settle.command"}
"""The benchmarks with a command line, and the modules with its `main`."""
CHECKOUT = Path(stillframe.__file__).resolve().parents[2]
"""The root of the source tree, if stillframe runs from one."""


def bench(name: str, arguments: Sequence[str], *, checkout: Path = CHECKOUT) -> ExitCode:
    """Run a benchmark with these arguments; raises BadParameter for an unknown one, and outside a checkout."""
    if name not in BENCHMARKS:
        raise typer.BadParameter(f"there is no benchmark {name!r}; known: {', '.join(BENCHMARKS)}.")
    if not (checkout / "bench" / "settle").is_dir():
        raise typer.BadParameter(
            "benchmarks run in a checkout of stillframe's source, after `make setup` has installed what they need; "
            "this installed package has none."
        )
    if str(checkout) not in sys.path:
        sys.path.insert(0, str(checkout))
    try:
        command = import_module(BENCHMARKS[name])
    except ModuleNotFoundError as error:
        raise typer.BadParameter(
            f"the benchmark needs the Python package {error.name}: run `make setup` in {checkout}."
        ) from None
    return ExitCode(command.main(arguments))
