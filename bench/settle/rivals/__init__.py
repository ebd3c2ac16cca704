"""The real rivals of settlebench: other people's programs, driven the way their users drive them.

Each has a warm Chromium of its own with the same switches, reached through a relay that counts what goes over the wire,
and runs in a process of its own, so that its CPU time and its moments are its own. `rivals()` gives their lanes.
"""

from __future__ import annotations

from bench.settle.rivals.lane import Rival
from bench.settle.rivals.libraries import Playwright, Puppeteer
from bench.settle.rivals.mcp import ChromeDevtoolsMcp, PlaywrightMcp

__all__ = ["ChromeDevtoolsMcp", "Playwright", "PlaywrightMcp", "Puppeteer", "Rival", "rivals"]


def rivals() -> list[Rival]:
    """Make the lanes of all rivals; those that cannot run here say why in `missing`."""
    return [Playwright(), Puppeteer(), PlaywrightMcp(), ChromeDevtoolsMcp()]
