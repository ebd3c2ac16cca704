"""The options of launches, browsers and contexts, and the patterns of URLs, read and checked."""

from __future__ import annotations

from stillframe.tab.context.browser_options import LAUNCH_FIELDS as LAUNCH_FIELDS
from stillframe.tab.context.browser_options import BrowserOptions as BrowserOptions
from stillframe.tab.context.browser_options import split_browser_options as split_browser_options
from stillframe.tab.context.emulation import EMULATED as EMULATED
from stillframe.tab.context.keywords import BrowserKeywords as BrowserKeywords
from stillframe.tab.context.keywords import SessionKeywords as SessionKeywords
from stillframe.tab.context.options import CONTEXT_FIELDS as CONTEXT_FIELDS
from stillframe.tab.context.options import ContextOptions as ContextOptions
from stillframe.tab.context.options import check_headers as check_headers
from stillframe.tab.context.options import parse_context_options as parse_context_options
from stillframe.tab.network.url_patterns import glob_regex as glob_regex
from stillframe.tab.network.url_patterns import url_matcher as url_matcher
from stillframe.tab.reading.aria_snapshot import MAX_BUDGET as MAX_BUDGET
from stillframe.tab.reading.aria_snapshot import MIN_BUDGET as MIN_BUDGET
from stillframe.tab.reading.marks import MAX_MARKS as MAX_MARKS
from stillframe.tab.reading.marks import MarkedElement as MarkedElement
from stillframe.tab.reading.marks import MarkedScreenshot as MarkedScreenshot
