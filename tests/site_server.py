"""The page server of the tests, with the files of tests/pages."""

from __future__ import annotations

from pathlib import Path

from stillframe.testing import PageServer as Site

PAGES = Path(__file__).parent / "pages"

__all__ = ["PAGES", "Site"]
