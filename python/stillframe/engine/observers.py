"""What observes the calls and sequences of a page, as a trace does. The engine only knows these base classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import msgspec

    from stillframe.core import Snapshot
    from stillframe.model.actions import Action
    from stillframe.model.result import SequenceResult, Step


class SequenceObserver:
    """Observes one sequence; the methods of this base class do nothing."""

    async def before(self, *, unchanged: bool) -> None:
        """Take note that the first action is about to run; `unchanged` if nothing changed since the last sequence."""

    def action(self, index: int, action: Action) -> None:
        """Take note that an action begins."""

    def step(self, index: int, action: Action, step: Step) -> None:
        """Take note that an action has ended; the context knows by now which of its texts are secret."""

    async def after(self) -> None:
        """Take note that the page is still, or that the wait has ended otherwise."""

    def result(self, result: SequenceResult, after: Snapshot | None) -> None:
        """Take the result, and the snapshot after the wait; None where the page could not be captured."""


class PageObserver:
    """Observes the calls and sequences of one page; the methods of this base class do nothing."""

    @contextmanager
    def call(self, name: str, arguments: Mapping[str, Any]) -> Iterator[None]:
        """Observe a public call of the page, its frames and locators, which runs inside the block."""
        yield

    def sequence(self, plan: Sequence[Action], options: msgspec.Struct) -> SequenceObserver:
        """Take note that a sequence begins, and return what observes the rest of it."""
        return SequenceObserver()
