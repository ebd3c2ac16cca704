"""Parquet: part files of some thousand rows each, for pandas, DuckDB and Spark."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from stillframe.errors import OptionInvalid
from stillframe.farm.output import durable
from stillframe.farm.output.numbered import NumberedFiles
from stillframe.farm.store import ExportOffset, StoredRow

ROWS = 2_000
"""Rows per file: some tens of megabytes, which is also what writing one takes in memory; our choice."""
COLUMNS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("url", ("url",), "string"),
    ("finalUrl", ("finalUrl",), "string"),
    ("status", ("status",), "int64"),
    ("contentType", ("contentType",), "string"),
    ("title", ("title",), "string"),
    ("text", ("text",), "string"),
    ("links", ("links",), "list"),
    ("signature", ("signature",), "string"),
    ("depth", ("depth",), "int64"),
    ("stable", ("verdict", "stable"), "bool"),
    ("reason", ("verdict", "reason"), "string"),
    ("detail", ("verdict", "detail"), "string"),
    ("loadMs", ("timings", "loadMs"), "double"),
    ("settleMs", ("timings", "settleMs"), "double"),
    ("totalMs", ("timings", "totalMs"), "double"),
    ("errorKind", ("error", "kind"), "string"),
    ("errorMessage", ("error", "message"), "string"),
)
"""The columns: name, where the value stands in the row, and type. A value of another type becomes null."""
EXTRA = "extra"
"""The column with all other keys of the row as JSON, null if there are none."""
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "int64": (int,),
    "double": (float, int),
    "bool": (bool,),
    "list": (list,),
}


class Parquet:
    """A sink that writes `pages-00001.parquet` and so on; each file is whole or absent."""

    whole = True
    payloads = False

    def __init__(self, folder: str | os.PathLike[str], *, stem: str = "pages", rows: int = ROWS) -> None:
        """Make a sink; raises OptionInvalid without pyarrow."""
        _pyarrow()
        self.files = NumberedFiles(Path(folder), stem, ".parquet")
        """The files."""
        self.name = f"{stem}.parquet"
        self.folder = str(folder)
        self.batch = rows

    def repair(self, offset: ExportOffset) -> bool:
        """Remove files after that of the offset; return False if one is missing, or the last has another size."""
        return self.files.repair(offset, cut=False)

    def append(self, rows: Sequence[StoredRow], at: ExportOffset) -> ExportOffset:
        """Write the rows as one more file; raises DiskFull and OutputInvalid."""
        path = self.files.path(self.files.number(at.file) + 1)
        content = encoded([columns_of(row.body) for row in rows])
        durable.replace(path, content)
        return ExportOffset(row_id=rows[-1].id, size=len(content), file=path.name)


def columns_of(body: bytes) -> dict[str, Any]:
    """Return the values of the columns for one row of JSON."""
    try:
        row = msgspec.json.decode(body)
    except msgspec.DecodeError:
        row = None
    if not isinstance(row, dict):
        return {EXTRA: body.decode("utf-8", "replace")}
    values = {name: _typed(_at(row, path), kind) for name, path, kind in COLUMNS}
    extra = _rest(row, values)
    return values | {EXTRA: msgspec.json.encode(extra).decode() if extra else None}


def encoded(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a Parquet file with these rows."""
    arrow, parquet = _pyarrow()
    types = {kind: getattr(arrow, kind)() for kind in ("string", "int64")}
    types |= {"double": arrow.float64(), "bool": arrow.bool_(), "list": arrow.list_(arrow.string())}
    fields = [(name, types[kind]) for name, _, kind in COLUMNS]
    table = arrow.Table.from_pylist(list(rows), schema=arrow.schema([*fields, (EXTRA, arrow.string())]))
    out = arrow.BufferOutputStream()
    parquet.write_table(table, out, compression="zstd")
    return bytes(out.getvalue())


def _rest(row: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a row that no column has completely."""
    shown = {path[0] for name, path, _ in COLUMNS if len(path) == 1 and values[name] is not None}
    nested: dict[str, set[str]] = {}
    for name, path, _ in COLUMNS:
        if len(path) == 2 and values[name] is not None:
            nested.setdefault(path[0], set()).add(path[1])
    rest = {key: _without(value, nested.get(key, set())) for key, value in row.items() if key not in shown}
    return {key: value for key, value in rest.items() if value not in (None, {})}


def _without(value: Any, keys: set[str]) -> Any:
    return {key: one for key, one in value.items() if key not in keys} if isinstance(value, dict) else value


def _at(row: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    value: Any = row
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _typed(value: Any, kind: str) -> Any:
    """Return the value, or None if the column cannot hold it."""
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "bool"):
        return None
    return value if _FITS.get(kind, _any)(value) else None


def _any(_: Any) -> bool:
    return True


_FITS: dict[str, Callable[[Any], bool]] = {
    "int64": lambda value: -(2**63) <= value < 2**63,
    "double": lambda value: abs(value) < 2**1000,
    "list": lambda value: all(isinstance(each, str) for each in value),
}


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ImportError as error:
        raise OptionInvalid(
            'the format "parquet" needs pyarrow, which is not installed: pip install "stillframe[parquet]"',
            option="format",
        ) from error
    return pyarrow, pyarrow.parquet
