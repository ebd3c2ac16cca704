"""Browsers as programs on this machine: where they are, how they start, and what they leave behind."""

from __future__ import annotations

from stillframe.chrome.executable import find_executable as find_executable
from stillframe.chrome.launcher import launched as launched
from stillframe.chrome.options import LaunchOptions as LaunchOptions
from stillframe.chrome.options import launch_options as launch_options
from stillframe.chrome.profile import remove_stale_profiles as remove_stale_profiles
