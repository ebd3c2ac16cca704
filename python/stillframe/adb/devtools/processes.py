"""The processes of a device: the table that `ps` prints, and names of processes."""

from __future__ import annotations

import re

PID_COLUMN = 1
"""The column of the pid where there is no heading, as toolbox and toybox print it: USER PID PPID …"""


def parse_ps(text: str) -> dict[int, str]:
    """Return the name of each process by its pid, from what `ps` prints on any version of Android.

    The number of columns differs between versions, so only the headings count, and the name is the last column. Several
    tables may follow each other. Rows that do not fit are left out.
    """
    names: dict[int, str] = {}
    column, width = PID_COLUMN, 3
    for line in text.splitlines():
        cells = line.split()
        if "PID" in cells and not any(map(str.isdigit, cells)):
            column, width = cells.index("PID"), len(cells)
        elif len(cells) >= width and re.fullmatch(r"[0-9]{1,7}", cells[column]):
            names[int(cells[column])] = cells[-1]
    return names


def package_of(process_name: str) -> str:
    """Return the package of a process by its name, which is the package unless the manifest says otherwise.

    >>> package_of("com.example.app:web")
    'com.example.app'
    """
    return process_name.partition(":")[0]


def parse_cmdline(content: bytes) -> str:
    """Return the name of an app's process from `/proc/<pid>/cmdline`: what stands before the first NUL."""
    return content.partition(b"\0")[0].decode("utf-8", "replace").strip()
