"""`stillframe bench`: the benchmarks of the source tree, which are no part of the installed package."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import typer

import stillframe
from stillframe.cli.output import ExitCode

BENCHMARKS = {"settle": "bench.settle.command"}
"""The benchmarks with a command line of their own, and the modules whose `main` it is."""
CHECKOUT = Path(stillframe.__file__).resolve().parents[2]
"""Where the source tree is, if we are run from one."""


def bench(name: str, arguments: Sequence[str], *, checkout: Path = CHECKOUT) -> ExitCode:
    """Hand the arguments to a benchmark; raises BadParameter for an unknown one, and outside of a checkout."""
    if name not in BENCHMARKS:
        raise typer.BadParameter(f"there is no benchmark {name!r}; known: {', '.join(BENCHMARKS)}.")
    if not (checkout / "bench" / "settle").is_dir():
        raise typer.BadParameter(
            "benchmarks are run from a checkout of stillframe's source, where `make setup` has installed what they "
            "need; this is an installed package without them."
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
