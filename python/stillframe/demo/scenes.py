"""The three sequences that `stillframe demo` runs in the shop."""

from __future__ import annotations

from typing import Any

import msgspec

from stillframe.demo.shop import PASSWORD, USER
from stillframe.model.actions import Action, Click, SetValue
from stillframe.model.result import SequenceResult
from stillframe.model.secrets import Secret

WATCH_CLOCK = """new Promise((resolve) => {
  const clock = document.querySelector("#clock");
  let ticks = 0;
  const watcher = new MutationObserver(() => ++ticks < 8 || (watcher.disconnect(), resolve()));
  clock ? watcher.observe(clock, { childList: true }) : resolve();
})"""
"""Waits for eight ticks of the clock, if there is one: a rhythm is learned while nobody acts, from three even intervals
or more, and a person looks at a page for longer than that."""


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
