"""Runs the coroutine of a command; a signal that ends the process cancels it."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Coroutine, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stillframe.cli.output import ExitCode


def run_async(work: Coroutine[Any, Any, ExitCode]) -> ExitCode:
    """Run a command's coroutine; SIGTERM and SIGHUP cancel it as Ctrl-C does, so that it closes its browser."""

    async def cancellable() -> ExitCode:
        task = asyncio.current_task()
        assert task is not None
        for number in _ending_signals():
            with contextlib.suppress(NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        return await work

    return asyncio.run(cancellable())


def _ending_signals() -> Iterator[signal.Signals]:
    """Yield the signals that ask a process to end, without a hang-up that is ignored, as under nohup."""
    yield signal.SIGTERM
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hang_up is not None and signal.getsignal(hang_up) is not signal.SIG_IGN:
        yield hang_up
