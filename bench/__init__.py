"""Benchmarks: each states its question, runs beside its rivals in one process run, and checks every answer."""

from __future__ import annotations

import sys
from pathlib import Path

PHONE = str(Path(__file__).resolve().parent.parent / "phone")
"""The folder of `stillframe_phone`, which no environment has installed."""

if PHONE not in sys.path:
    sys.path.append(PHONE)
