"""The browser process: find it, launch it, attach to it, and leave nothing of it behind."""

from __future__ import annotations

from stillframe.chrome.browser_info import BrowserInfo
from stillframe.chrome.connect import ConnectedBrowser, connect
from stillframe.chrome.executable import Found, find_executable, read_version
from stillframe.chrome.flags import policy_proxy_args
from stillframe.chrome.launcher import BrowserProcess, launch, launched
from stillframe.chrome.options import LaunchOptions, Proxy, launch_options
from stillframe.chrome.policy_proxy import PolicyProxy
from stillframe.chrome.profile import sweep

__all__ = [
    "BrowserInfo",
    "BrowserProcess",
    "ConnectedBrowser",
    "Found",
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
    "sweep",
]
