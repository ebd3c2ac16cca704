"""Opening a crawl: its tables, their version, and the crawl of a name."""

from __future__ import annotations

import json
import secrets
from typing import Any, Literal

from sqlalchemy import Connection, insert, inspect, select, update

from stillframe.errors import OptionInvalid
from stillframe.farm.errors import CrawlExists, CrawlUnknown, StoreVersion
from stillframe.farm.store.functions import LOCKS
from stillframe.farm.store.migrations import create_functions, migrate
from stillframe.farm.store.tables import VERSION, crawls, metadata, versions
from stillframe.farm.store.transactions import Transactions

Mode = Literal["create", "resume", "join"]
TOMBSTONE = "deleted: "
"""How the name of a crawl begins that is being deleted, before its number; its own name is free at once."""


class Opening:
    """Makes the tables where they are missing, and finds or creates the crawl; safe to run twice."""

    def __init__(self, transactions: Transactions, name: str, mode: Mode, settings: dict[str, Any]) -> None:
        self._transactions = transactions
        self._name = name
        self._mode = mode
        self._settings = settings
        self._mark = secrets.token_hex(8)

    def run(self, connection: Connection) -> tuple[int, dict[str, Any]]:
        """Return the number of the crawl and its settings. Raises CrawlExists, CrawlUnknown and StoreVersion."""
        if not self._transactions.is_sqlite:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCKS})")
        self._make_tables(connection)
        asked = select(crawls.c.id, crawls.c.settings).where(crawls.c.name == self._name)
        found = connection.execute(asked).first()
        if found is None:
            return self._create(connection)
        if self._mode == "create" and json.loads(found.settings) != self._marked():
            raise CrawlExists(
                f"A crawl named {self._name!r} stands in {self._transactions.shown}; continue it with --resume, or "
                "give another --name",
                name=self._name,
            )
        if self._mode == "resume":
            connection.execute(update(crawls).where(crawls.c.id == found.id).values(stopped=False))
        return found.id, json.loads(found.settings)["settings"]

    def _make_tables(self, connection: Connection) -> None:
        metadata.create_all(connection, tables=[versions])
        version = connection.scalar(select(versions.c.version))
        if version is None:
            metadata.create_all(connection)
            create_functions(connection)
            connection.execute(insert(versions).values(version=VERSION))
        elif version < VERSION:
            migrate(connection, version)
            connection.execute(update(versions).values(version=VERSION))
        else:
            check_version(connection, self._transactions.shown)

    def _create(self, connection: Connection) -> tuple[int, dict[str, Any]]:
        if self._mode != "create":
            raise CrawlUnknown(
                f"No crawl named {self._name!r} stands in {self._transactions.shown}; start it without --resume, or "
                "check the name and the URL",
                name=self._name,
            )
        if self._name.startswith(TOMBSTONE):
            raise OptionInvalid(
                f"option name: {self._name!r} begins with {TOMBSTONE!r}, as crawls do that are being deleted; choose "
                "another one",
                option="name",
            )
        created = insert(crawls).values(
            name=self._name,
            settings=json.dumps(self._marked()),
            stopped=False,
            last_position=0,
            first_position=0,
            max_pages=self._settings.get("max_pages"),
            host_pages=self._settings.get("pages_per_host"),
            host_interval_s=self._settings.get("host_interval_s"),
        )
        crawl = connection.execute(created.returning(crawls.c.id)).scalar_one()
        return crawl, self._settings

    def _marked(self) -> dict[str, Any]:
        """Return the settings with a mark of this call, by which a repetition knows the crawl that it made."""
        return {"settings": self._settings, "made_by": self._mark}


def check_version(connection: Connection, shown: str) -> None:
    """Raise StoreVersion for tables of another version than this stillframe's, and for none; `shown` names them."""
    known = inspect(connection).has_table(versions.name)
    version = (connection.scalar(select(versions.c.version)) if known else None) or 0
    if version != VERSION:
        remedy = {
            True: "use the newer stillframe that wrote them, or another database",
            False: "continue one of its crawls with --resume, which brings them to this version",
        }[version > VERSION]
        raise StoreVersion(
            f"The database {shown} has tables of version {version}, and this stillframe knows version {VERSION}; "
            f"{remedy}",
            url=shown,
            found=version,
            expected=VERSION,
        )
