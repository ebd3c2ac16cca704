"""How the scripts for pages are put together."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from stillframe.injected import elements_source, observer_source

DECLARED = re.compile(r"^(?:async )?(?:function\*?|const|let|class) (?:\{([^}]*)\}|(\w+))", re.MULTILINE)


@pytest.mark.parametrize("source", [elements_source(), observer_source("key")], ids=["elements", "observer"])
def test_its_files_declare_each_name_once(source: str) -> None:
    """They share one scope: a second function of a name replaces the first in silence."""
    names = Counter(name.strip() for found in DECLARED.findall(source) for name in (found[1] or found[0]).split(","))
    assert len(names) > 50
    assert [name for name, times in names.items() if times > 1] == []
