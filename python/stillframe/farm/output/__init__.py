"""What a crawl writes: one record per page, as JSON Lines, Parquet and WARC, each exactly once."""

from __future__ import annotations

from stillframe.farm.output.export import Exporter, Sink
from stillframe.farm.output.folder import OutputFolder, Owner, read_owner
from stillframe.farm.output.json_lines import JsonLines
from stillframe.farm.output.parquet import Parquet
from stillframe.farm.output.record import PageRecord, PageTimings, failed_page, read_page
from stillframe.farm.output.warc import Warc
from stillframe.farm.output.warc_recorder import WarcRecorder

__all__ = [
    "Exporter",
    "JsonLines",
    "OutputFolder",
    "Owner",
    "PageRecord",
    "PageTimings",
    "Parquet",
    "Sink",
    "Warc",
    "WarcRecorder",
    "failed_page",
    "read_owner",
    "read_page",
]
