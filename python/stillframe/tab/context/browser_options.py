"""The options of `launch`: those of the browser, and those of its default context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from stillframe.chrome.options import LaunchOptions
from stillframe.errors import OptionInvalid
from stillframe.model.suggest import unknown
from stillframe.tab.context.names import translated
from stillframe.tab.context.options import CONTEXT_FIELDS

LAUNCH_FIELDS = (*LaunchOptions.__struct_fields__, "allow_schemes")


class BrowserOptions(NamedTuple):
    """Options of a launch and options of a context; a proxy is in both, because pages need its login."""

    launch: dict[str, Any]
    context: dict[str, Any]

    @property
    def all(self) -> dict[str, Any]:
        """Both together, as `stillframe.launch` takes them."""
        return {**self.context, **self.launch}


def split_browser_options(options: Mapping[str, Any]) -> BrowserOptions:
    """Split options by whether they belong to a launch or to a context; raises OptionInvalid for an unknown one."""
    options = translated(options)
    for name in options:
        if name not in LAUNCH_FIELDS and name not in CONTEXT_FIELDS:
            known = dict.fromkeys((*LAUNCH_FIELDS, *CONTEXT_FIELDS))
            raise OptionInvalid(unknown("option", name, known), option=name)
    launch = {name: value for name, value in options.items() if name in LAUNCH_FIELDS}
    context = {name: value for name, value in options.items() if name in CONTEXT_FIELDS}
    return BrowserOptions(launch, context)
