"""The browser process: find, launch and connect to it, end it without leftovers, and proxy its connections."""

from __future__ import annotations

from stillframe.chrome.browser_info import BrowserInfo
from stillframe.chrome.connect import ConnectedBrowser, connect
from stillframe.chrome.executable import Executable, find_executable, read_version
from stillframe.chrome.flags import policy_proxy_args
from stillframe.chrome.launcher import BrowserProcess, launch, launched
from stillframe.chrome.options import LaunchOptions, Proxy, launch_options
from stillframe.chrome.policy_proxy import PolicyProxy
from stillframe.chrome.profile import remove_stale_profiles

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
