"""Selectors and keys as texts."""

from __future__ import annotations

from stillframe.tab.input.keyboard import parse_chord as parse_chord
from stillframe.tab.input.keys import KEYS as KEYS
from stillframe.tab.input.keys import MODIFIERS as MODIFIERS
from stillframe.tab.locating import selectors as selectors
from stillframe.tab.locating.selectors import Css as Css
from stillframe.tab.locating.selectors import has_ref as has_ref
from stillframe.tab.locating.selectors import parse as parse
