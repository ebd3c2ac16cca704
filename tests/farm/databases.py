"""Which tests of the store run on SQLite alone."""

from __future__ import annotations

import pytest

from sampling import sampled

on_sqlite = pytest.mark.parametrize("store_url", sampled(["sqlite", "postgresql"], keep=["sqlite"]), indirect=True)
"""For what is the same SQL on both databases: on PostgreSQL it is slow to open and close, so `make test-all` has it."""
