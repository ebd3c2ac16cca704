"""Browsers as programs on this machine: where they are, how they start, and what they leave behind."""

from __future__ import annotations

from stillframe.chrome import LaunchOptions as LaunchOptions
from stillframe.chrome import find_executable as find_executable
from stillframe.chrome import launch_options as launch_options
from stillframe.chrome import launched as launched
from stillframe.chrome import remove_stale_profiles as remove_stale_profiles
