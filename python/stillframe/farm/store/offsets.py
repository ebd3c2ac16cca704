"""How far the exports of a crawl are, and up to which row a vacuum has deleted what they have."""

from __future__ import annotations

from sqlalchemy import Connection, case, func, select, true, update

from stillframe.farm.store import statements, states
from stillframe.farm.store.entries import ExportOffset
from stillframe.farm.store.tables import offsets

VACUUMED = "vacuumed:"
"""The value with the last row that a vacuum may have deleted, by dataset."""


def begin(connection: Connection, crawl: int, name: str, dataset: str, *, payloads: bool) -> tuple[ExportOffset, int]:
    """Return the offset of an export and the last row that a vacuum may have deleted; record an export that is new.

    Only a recorded one is waited for by a vacuum, so one that a vacuum has come before is not.
    """
    deleted, found = vacuumed(connection, crawl, dataset), read(connection, crawl, name)
    if found is None and not deleted:
        write(connection, crawl, name, ExportOffset(), dataset, payloads=payloads)
    return found or ExportOffset(), deleted


def read(connection: Connection, crawl: int, name: str) -> ExportOffset | None:
    """Return the recorded offset of an export, None if there is none."""
    columns = (offsets.c.row_id, offsets.c.size, offsets.c.file, offsets.c.generation)
    found = connection.execute(select(*columns).where(offsets.c.crawl == crawl, offsets.c.name == name)).first()
    return None if found is None else ExportOffset(**found._mapping)


def write(connection: Connection, crawl: int, name: str, offset: ExportOffset, dataset: str, *, payloads: bool) -> bool:
    """Record an offset; return False, and change nothing, if the export has to begin again since it was read."""
    values = {"row_id": offset.row_id, "size": offset.size, "file": offset.file, "dataset": dataset}
    values |= {"payloads": payloads}
    new = statements.inserting(connection.dialect.name, offsets).values(
        crawl=crawl, name=name, generation=offset.generation, **values
    )
    same = offsets.c.generation == offset.generation
    written = new.on_conflict_do_update(index_elements=["crawl", "name"], set_=values, where=same)
    return connection.execute(written.returning(offsets.c.row_id)).first() is not None


def rewind(connection: Connection, crawl: int, dataset: str, row_id: int, *, payloads: bool) -> None:
    """Let the exports begin again that have this row; those that write payloads alone, if some row has one.

    One that has not recorded it may have read it already: it gets another generation, so that it reads again from where
    it was.
    """
    concerned = true() if payloads else offsets.c.payloads.is_(False)
    has_it = offsets.c.row_id >= row_id
    connection.execute(
        update(offsets)
        .where(offsets.c.crawl == crawl, offsets.c.dataset == dataset, concerned)
        .values(
            row_id=case((has_it, 0), else_=offsets.c.row_id),
            size=case((has_it, 0), else_=offsets.c.size),
            file=case((has_it, ""), else_=offsets.c.file),
            generation=offsets.c.generation + 1,
        )
    )


def exported_up_to(connection: Connection, crawl: int) -> dict[str, int]:
    """Return for each dataset the last row that all its exports have, without those of which one has none."""
    last = func.min(offsets.c.row_id)
    found = select(offsets.c.dataset, last).where(offsets.c.crawl == crawl).group_by(offsets.c.dataset)
    return {dataset: row_id for dataset, row_id in connection.execute(found) if row_id}


def vacuumed(connection: Connection, crawl: int, dataset: str) -> int:
    """Return the last row of a dataset that a vacuum may have deleted, 0 for none."""
    key = VACUUMED + dataset
    return int(states.read(connection, crawl, [key]).get(key, 0))


def set_vacuumed(connection: Connection, crawl: int, dataset: str, row_id: int) -> None:
    """Record that rows up to this one may be gone."""
    last = max(row_id, vacuumed(connection, crawl, dataset))
    states.write(connection, crawl, VACUUMED + dataset, b"%d" % last)
