"""A PostgreSQL server of the tests' own: its own folder and port, started and stopped by them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

import asyncpg

from needing import require
from stillframe.testing.adb_server import free_port

USER = "crawler"
PASSWORD = "hidden-7f3a"
"""The password that must never stand in a message."""
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "log_destination": "stderr",
}
LIMIT_S = 60.0


class PostgresServer:
    """A server in a temporary folder; `with` starts it and removes everything at the end."""

    def __init__(self) -> None:
        require("postgres")
        self._bin = find_binaries()
        self._user = None if os.geteuid() else "postgres" if _exists("postgres") else "nobody"
        self.folder = Path(tempfile.mkdtemp(prefix="farm-postgres-"))
        self.port = free_port()

    def __enter__(self) -> PostgresServer:
        try:
            self._make()
            self.start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            if self.pid() is not None:
                self.stop("immediate")
        finally:
            self._remove()

    def url(self, database: str, *, password: str = PASSWORD, user: str = USER) -> str:
        """Return the URL of a database."""
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start the server and wait until it answers."""
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", self._data, "-l", log, "-w", "-t", str(int(LIMIT_S)), "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: "fast" ends its connections, "immediate" is a crash."""
        self._run("pg_ctl", "-D", self._data, "-m", mode, "-w", "stop")

    def freeze(self) -> None:
        """Stop all of its processes, so that they do not answer."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let its processes go on."""
        self._signal(signal.SIGCONT)

    def pid(self) -> int | None:
        """Return the process of the server, None if it is down."""
        try:
            return int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        except FileNotFoundError:
            return None

    async def create(self) -> str:
        """Create an empty database and return its name."""
        name = f"t{uuid.uuid4().hex[:12]}"
        await self.execute(f'CREATE DATABASE "{name}"')
        return name

    async def drop(self, name: str) -> None:
        """Remove a database and end its connections."""
        await self.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    async def execute(self, statement: str, database: str = "postgres") -> Any:
        """Run one statement and return its rows."""
        connection = await asyncpg.connect(self.url(database))
        try:
            return await connection.fetch(statement)
        finally:
            await connection.close()

    def _signal(self, number: signal.Signals) -> None:
        pid = self.pid()
        assert pid is not None, "the server is down"
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in (pid, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):  # what cleans up for the server comes and goes
                os.kill(each, number)

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _make(self) -> None:
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        if self._user:
            for path in (self.folder, secret):
                shutil.chown(path, self._user)
        self._run(
            "initdb", "-D", self._data, "-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}", "-N", "-E", "UTF8"
        )
        lines = [f"{name} = '{value}'\n" for name, value in {**SETTINGS, "port": str(self.port)}.items()]
        with (self.folder / "data" / "postgresql.conf").open("a") as file:
            file.writelines(lines)

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        done = (
            subprocess.run(
                command, user=self._user, cwd=self.folder, capture_output=True, text=True, timeout=LIMIT_S, check=False
            )
            if program == "initdb"
            else _quietly(command, self._user, self.folder)
        )
        if done.returncode:
            log = self.folder / "log"
            tail = log.read_text()[-2000:] if log.exists() else ""
            raise AssertionError(f"{program} failed ({done.returncode}): {done.stdout}{done.stderr}{tail}")

    def _remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _quietly(command: list[str], user: str | None, folder: Path) -> subprocess.CompletedProcess[str]:
    # A server keeps the pipes of the pg_ctl that started it, so its output goes nowhere.
    return subprocess.run(
        command,
        user=user,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def find_binaries() -> Path:
    """Return the folder of PostgreSQL's programs. Raises AssertionError if there is none."""
    on_path = shutil.which("initdb")
    found = [Path(on_path).resolve()] if on_path else []
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    assert found, "these tests need PostgreSQL: install it (apt-get install postgresql), or put initdb on the PATH"
    return found[-1].parent


def _version(path: Path) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", str(path))]


def _exists(user: str) -> bool:
    listed: Iterable[str] = Path("/etc/passwd").read_text().splitlines()
    return any(line.startswith(f"{user}:") for line in listed)
