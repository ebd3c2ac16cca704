"""The packages of OpenTelemetry and Prometheus, which are an extra."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

EXTRA = frozenset({"opentelemetry", "prometheus_client"})
"""The packages of the extra `metrics` that this room imports."""
MISSING = "the metrics of a crawl need OpenTelemetry and its Prometheus exporter: pip install 'stillframe[metrics]'"


@contextmanager
def needing_extra() -> Iterator[None]:
    """Raise a ModuleNotFoundError that names the extra in the place of one of its packages' own."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRA:
            raise
        raise ModuleNotFoundError(f"{MISSING} ({error.name} is missing)", name=package) from error
