"""The browser process: find it, launch it, attach to it, and leave nothing of it behind."""

from __future__ import annotations

from stillframe.chrome.attach import Attached, attach
from stillframe.chrome.find import Found, find_executable, read_version
from stillframe.chrome.flags import gated_args
from stillframe.chrome.gate import Gate
from stillframe.chrome.info import BrowserInfo
from stillframe.chrome.launcher import BrowserProcess, launch, launched
from stillframe.chrome.options import LaunchOptions, Proxy, launch_options
from stillframe.chrome.profile import sweep

__all__ = [
    "Attached",
    "BrowserInfo",
    "BrowserProcess",
    "Found",
    "Gate",
    "LaunchOptions",
    "Proxy",
    "attach",
    "find_executable",
    "gated_args",
    "launch",
    "launch_options",
    "launched",
    "read_version",
    "sweep",
]
