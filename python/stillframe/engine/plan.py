"""Plans: sequences that can run, parsed and checked in one pass before anything happens on the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from stillframe.engine.actions import added_s, finding_s
from stillframe.engine.actions import check as check_action
from stillframe.model.action_list import parsed_actions, secret_names, secrets_of, texts_of
from stillframe.model.actions import Action, Navigate

if TYPE_CHECKING:
    from stillframe.model.options import SequenceOptions
    from stillframe.model.secret import Secret
    from stillframe.tab.tab import Tab


class Plan(msgspec.Struct, frozen=True):
    """A sequence that can run on a page."""

    actions: tuple[Action, ...]
    secret_texts: tuple[str, ...]
    """The texts of the secrets that the actions hold, longest first."""
    limit_s: float
    """How many seconds the sequence may take: the limits of all actions and of the wait."""


def make_plan(tab: Tab, actions: Sequence[Action | Mapping[str, Any]], options: SequenceOptions) -> Plan:
    """Parse and check a list of actions, before any of them runs.

    What `slow_mo` adds before each action but the first, which begins after it, is in no limit of an action. Raises
    ActionInvalid with the index and the field of the first action that is wrong, and the errors of `check_planned`.
    """
    checked: list[Action] = []
    secrets: list[Secret] = []
    limit_s = options.timeout_ms / 1000
    for action in parsed_actions(actions):
        check_planned(tab, action)
        checked.append(action)
        secrets += secrets_of(action)
        own_s = finding_s(tab, action, options)
        limit_s += own_s + added_s(tab, action, own_s)
    return Plan(tuple(checked), texts_of(secrets), limit_s + slow_s(tab) * (len(checked) - 1))


def check_planned(tab: Tab, action: Action) -> None:
    """Raise the error of an action that cannot run on any page: a wrong selector, key, file, URL or secret."""
    check_action(action)
    if isinstance(action, Navigate):
        tab.context.check_url(action.url)
    for name in secret_names([action]):
        tab.context.secrets.find(name)


def slow_s(tab: Tab) -> float:
    """Return how many seconds the option `slow_mo` adds before an action."""
    return tab.context.options.slow_mo / 1000
