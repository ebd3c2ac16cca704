"""The crawler for crawlee's users stands on what crawlee shows to those who extend it."""

from __future__ import annotations

import ast
import inspect
import re

from crawlee.crawlers import BasicCrawler
from crawlee.request_loaders import ThrottlingRequestManager
from crawlee.router import Router

from stillframe.farm.crawler import crawler, enqueue, request_manager
from stillframe.farm.crawler.crawler import StillframeCrawler

CALLED = {"_create_enqueue_links_function", "_enqueue_links_filter_iterator"}
"""Methods that crawlee's own browser crawlers call of their base, too: strategies and globs of `enqueue_links`."""


def private_names(of: type) -> set[str]:
    return {name for name in vars(of) if re.match(r"_(?!_|abc_impl)", name)}


def test_no_private_method_of_crawlee_is_overridden() -> None:
    for own, base in (
        (StillframeCrawler, BasicCrawler),
        (request_manager.DeferringRequestManager, ThrottlingRequestManager),
        (crawler._LimitedRouter, Router),
    ):
        assert not {name for name in private_names(own) if hasattr(base, name)}


def test_no_private_attribute_of_crawlee_is_replaced() -> None:
    source = inspect.getsource(StillframeCrawler)
    written = set(re.findall(r"self\.(_\w+)(?:: [^=\n]+)? = ", source))
    base = set(re.findall(r"self\.(_\w+)(?:: [^=\n]+)? = ", inspect.getsource(BasicCrawler)))
    assert written
    assert not written & base


def test_the_private_methods_of_crawlee_that_are_called_are_known() -> None:
    used = {
        node.attr
        for module in (crawler, enqueue)
        for node in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(node, ast.Attribute) and re.match(r"_(?!_)", node.attr)
    }
    assert used & private_names(BasicCrawler) == CALLED
