"""The three sequences that `stillframe demo` runs in the shop."""

from __future__ import annotations

from typing import Any

import msgspec

from stillframe.demo.shop import PASSWORD, USER
from stillframe.model.actions import Action, Click, SetValue
from stillframe.model.result import SequenceResult
from stillframe.model.secret import Secret

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
"""Waits for eight even ticks of the clock, if there is one: a rhythm is learned while nobody acts, and a person looks
at a page for longer. A machine that is too busy to tick evenly is waited for no longer than 60 ticks."""


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """One sequence on one page of the shop; `ends_with` is the error code it is meant to stop at, None for none."""

    title: str
    shows: str
    path: str
    actions: tuple[Action, ...]
    options: dict[str, Any] = {}
    ends_with: str | None = None

    def as_meant(self, result: SequenceResult) -> bool:
        """Say whether a result is what this scene is there to show."""
        code = result.failed.code if result.failed else None
        return result.stable and code == self.ends_with and result.state_change is not None


SCENES = (
    Scene(
        title="Log in",
        shows="one call types, clicks, waits for the server, and says what it led to",
        path="/login",
        actions=(SetValue("#user", USER), SetValue("#pass", Secret(PASSWORD)), Click("#submit")),
    ),
    Scene(
        title="A mistake in a form",
        shows="what changed has a from and a to, and the clock in the corner is left out",
        path="/join",
        actions=(SetValue("#email", "ann"), Click("#join")),
    ),
    Scene(
        title="A sequence that cannot go on",
        shows="it stops where it failed, says why, and keeps what was done before",
        path="/shop",
        actions=(Click("#add-ember"), Click("#add-tyde"), Click("#add-moth")),
        # The page is loaded: what is not there now will not come.
        options={"action_timeout_ms": 500},
        ends_with="element_not_found",
    ),
)
