"""The three sequences of `stillframe demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from stillframe.demo.shop import PASSWORD, USER
from stillframe.model.actions import Action, Click, SetValue
from stillframe.model.secret import Secret

if TYPE_CHECKING:
    from stillframe.model.result import SequenceResult

WATCH_CLOCK = """new Promise((resolve) => {
  const clock = document.querySelector("#clock");
  const beats = [];
  const even = () => {
    const gaps = beats.slice(-8).map((beat, index, last) => beat - last[index - 1]).slice(1);
    return gaps.length === 7 && Math.max(...gaps) < 1.5 * Math.min(...gaps);
  };
  const watcher = new MutationObserver(() => {
    beats.push(performance.now());
    if (even() || beats.length === 60) watcher.disconnect(), resolve();
  });
  clock ? watcher.observe(clock, { childList: true }) : resolve();
})"""
"""Waits for eight even ticks of the clock, if the page has one: stillframe learns a rhythm while nobody acts, and
people look at a page for longer. On a busy machine with uneven ticks it stops after 60."""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One sequence on one page of the shop; `ends_with` is the error code that it should end with, or None."""

    title: str
    shows: str
    path: str
    actions: tuple[Action, ...]
    ends_with: str | None = None

    def is_expected(self, result: SequenceResult) -> bool:
        """Return whether a result is what the scene should show."""
        code = result.failed.code if result.failed else None
        return result.stable and code == self.ends_with and result.state_change is not None


SCENES = (
    Scene(
        title="Log in",
        shows="one call types, clicks, waits for the server, and returns what changed",
        path="/login",
        actions=(SetValue("#user", USER), SetValue("#pass", Secret(PASSWORD)), Click("#submit")),
    ),
    Scene(
        title="A mistake in a form",
        shows="changes have a from and a to, and the clock in the corner is not among them",
        path="/join",
        actions=(SetValue("#email", "ann"), Click("#join")),
    ),
    Scene(
        title="A sequence that fails",
        shows="it stops at the failed action, says why, and returns what changed before",
        path="/shop",
        # The page is loaded, so waiting longer for the missing element is useless.
        actions=(Click("#add-ember"), Click("#add-tyde", timeout_ms=1_000), Click("#add-moth")),
        ends_with="element_not_found",
    ),
)
