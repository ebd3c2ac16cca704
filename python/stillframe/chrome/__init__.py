"""The browser process: find, launch and connect to it, end it without leftovers, and proxy its connections.

The proxy is imported on first use, because few browsers need it and its HTTP parser takes a while to import (10 ms).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from stillframe.chrome.browser_info import BrowserInfo
from stillframe.chrome.connect import ConnectedBrowser, connect
from stillframe.chrome.executable import Executable, find_executable, read_version
from stillframe.chrome.flags import policy_proxy_args
from stillframe.chrome.launcher import BrowserProcess, launch, launched
from stillframe.chrome.options import LaunchOptions, Proxy, launch_options
from stillframe.chrome.profile import remove_stale_profiles

if TYPE_CHECKING:
    from stillframe.chrome.policy_proxy import PolicyProxy

__all__ = [
    "BrowserInfo",
    "BrowserProcess",
    "ConnectedBrowser",
    "Executable",
    "LaunchOptions",
    "PolicyProxy",
    "Proxy",
    "connect",
    "find_executable",
    "launch",
    "launch_options",
    "launched",
    "policy_proxy_args",
    "read_version",
    "remove_stale_profiles",
]


def __getattr__(name: str) -> Any:
    if name != "PolicyProxy":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f"{__name__}.policy_proxy").PolicyProxy
