"""Metrics and spans of a crawl worker, by OpenTelemetry, and an endpoint for Prometheus.

The user chooses what becomes of them: `CrawlMetrics` speaks to the API of OpenTelemetry alone, so any SDK and exporter
that the process has set up receive them, and without one they cost next to nothing. Importing this package raises
ModuleNotFoundError, naming the extra, where OpenTelemetry is not installed; nothing else of stillframe imports it.

instruments        the table of instruments: names, units, descriptions
crawl_metrics      what a worker calls: pages, pool and queue
page_spans         one span per page, and one for each part of it
hosts              which hosts have figures of their own
span_url           URLs without what must not be in a span
watching           looks at the pool, at the queue and at its database from time to time
prometheus         the endpoint that Prometheus scrapes
packages           what the extra consists of
"""

from __future__ import annotations

from stillframe.farm.metrics.packages import needing_extra

with needing_extra():
    from stillframe.farm.metrics.crawl_metrics import CrawlMetrics
from stillframe.farm.metrics.instruments import INSTRUMENTS, Instrument
from stillframe.farm.metrics.prometheus import PrometheusEndpoint, serve_prometheus
from stillframe.farm.metrics.watching import watching, watching_crawl

__all__ = [
    "INSTRUMENTS",
    "CrawlMetrics",
    "Instrument",
    "PrometheusEndpoint",
    "serve_prometheus",
    "watching",
    "watching_crawl",
]
