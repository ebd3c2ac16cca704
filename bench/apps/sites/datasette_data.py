"""Makes the database that Datasette serves: `datasette_data.py FILE`."""

from __future__ import annotations

import sqlite3
import sys

with sqlite3.connect(sys.argv[1]) as connection:
    connection.execute("create table rivers (id integer primary key, name text, km integer, sea text)")
    seas = ("North Sea", "Black Sea", "Baltic")
    rows = [(n, f"River {n}", 40 + 13 * n, seas[n % 3]) for n in range(1, 240)]
    connection.executemany("insert into rivers values (?, ?, ?, ?)", rows)
    connection.execute("create table gauges (id integer primary key, river integer references rivers(id), level real)")
    connection.executemany("insert into gauges values (?, ?, ?)", [(n, n, n / 7) for n in range(1, 60)])
connection.close()
