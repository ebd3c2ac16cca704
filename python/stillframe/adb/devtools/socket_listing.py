"""What one shell command says about the DevTools sockets of a device and the processes that own them. No I/O."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from stillframe.adb.devtools.processes import package_of, parse_cmdline, parse_ps
from stillframe.adb.devtools.unix_sockets import (
    PACKAGES,
    DevtoolsSocket,
    SocketKind,
    is_package,
    parse_unix_sockets,
)

FROZEN_ADJ = 900
"""The `oom_score_adj` from which Android freezes apps: CACHED_APP_MIN_ADJ of ProcessList (AOSP), since Android 11."""

SEPARATOR = "-- stillframe --"

LISTING_COMMAND = f"""\
cat /proc/net/unix
echo '{SEPARATOR}'
ps -A 2>/dev/null
ps 2>/dev/null
set -f
p= n= d=
IFS='
'
for w in $(cat /proc/net/unix); do
  case $w in *@*_devtools_remote*) w=${{w##*@}};; *) continue;; esac
  case $w in
    *_devtools_remote_*) r=${{w##*_devtools_remote_}}; p="$p ${{r%%_*}} ${{r##*_}}";;
    chrome_*) n="$n {" ".join(PACKAGES["chrome"])}";;
    Terrace_*) n="$n {" ".join(PACKAGES["samsung"])}";;
    content_shell_*) n="$n {" ".join(PACKAGES["content_shell"])}";;
    *.*_devtools_remote) n="$n ${{w%_devtools_remote}}";;
  esac
done
unset IFS
if [ -n "$n" ]; then p="$p $(pidof $n 2>/dev/null)"; fi
for q in $p; do
  case $q in *[!0-9]*) continue;; esac
  case " $d " in *" $q "*) continue;; esac
  d="$d $q"
  a=
  read a </proc/$q/oom_score_adj
  echo '{SEPARATOR}'
  echo "$q $a"
  cat /proc/$q/cmdline
  echo
done 2>/dev/null
true
"""
"""Prints the table of sockets, that of processes, and a section for each process that may own a DevTools socket.

`ps -A` prints all processes since Android 8; before that it prints a heading only, and plain `ps` prints all. The loop
uses only what the mksh of Android 5 has built in. Android 5 has no `pidof`, and freezes no apps either.
"""

_SEPARATION = re.compile(rb"^%b\r?\n" % SEPARATOR.encode(), re.MULTILINE)
_HEAD = re.compile(rb"(?P<pid>[0-9]{1,7}) *(?P<adj>-?[0-9]{1,4})?")


class FoundSocket(msgspec.Struct, frozen=True):
    """A DevTools socket of a device and its process; what is unknown is None.

    `package` comes from the name of the process and can be wrong for one that its manifest renames, until
    `with_package` sets it. `oom_score_adj` was true when the socket was found.
    """

    name: str
    kind: SocketKind
    pid: int | None = None
    package: str | None = None
    process: str | None = None
    oom_score_adj: int | None = None

    @property
    def frozen(self) -> bool:
        """Whether Android may have frozen the process, so that it accepts connections and never answers."""
        return self.oom_score_adj is not None and self.oom_score_adj >= FROZEN_ADJ

    def with_package(self, package: str | None) -> FoundSocket:
        """Return the socket with the package that `/json/version` names, which is the authority; None keeps it."""
        return msgspec.structs.replace(self, package=package) if package else self


class Owner(NamedTuple):
    """What is known about a process that may own a socket."""

    process: str
    oom_score_adj: int | None


class Listing(NamedTuple):
    """The DevTools sockets of a device, and the names of all its processes by pid."""

    sockets: list[FoundSocket]
    processes: dict[int, str]

    def sockets_of(self, package: str) -> list[FoundSocket]:
        """Return the sockets of a package, those of all its processes."""
        return [each for each in self.sockets if each.package == package]

    def processes_of(self, package: str) -> dict[int, str]:
        """Return the processes of a package by pid, its main process first."""
        own = {pid: name for pid, name in self.processes.items() if package_of(name) == package}
        return dict(sorted(own.items(), key=lambda each: (each[1] != package, each[0])))


def parse_listing(output: bytes) -> Listing:
    """Return what the output of `LISTING_COMMAND` says; a part that is missing or broken counts as empty."""
    unix, ps, *sections = [*split_sections(output), b"", b""]
    owners = dict(filter(None, map(_parse_owner, sections)))
    processes = parse_ps(ps.decode("utf-8", "replace"))
    processes |= {pid: owner.process for pid, owner in owners.items() if owner.process}
    sockets = parse_unix_sockets(unix)
    return Listing([_found(socket, sockets, processes, owners) for socket in sockets], processes)


def split_sections(output: bytes) -> list[bytes]:
    """Return what stands between the lines that are `SEPARATOR`."""
    return _SEPARATION.split(output)


def _parse_owner(section: bytes) -> tuple[int, Owner] | None:
    first, _, cmdline = section.partition(b"\n")
    head = _HEAD.fullmatch(first.strip())
    if head is None:
        return None
    return int(head["pid"]), Owner(parse_cmdline(cmdline), int(head["adj"]) if head["adj"] else None)


def _found(
    socket: DevtoolsSocket,
    sockets: Iterable[DevtoolsSocket],
    processes: Mapping[int, str],
    owners: Mapping[int, Owner],
) -> FoundSocket:
    pid = socket.pid if socket.pid is not None else _only_process(socket, sockets, processes)
    process = processes.get(pid) if pid is not None else None
    owner = owners.get(pid) if pid is not None else None
    package = socket.package or _package(process)
    return FoundSocket(socket.name, socket.kind, pid, package, process, owner.oom_score_adj if owner else None)


def _only_process(
    socket: DevtoolsSocket, sockets: Iterable[DevtoolsSocket], processes: Mapping[int, str]
) -> int | None:
    """Return the only process that can own a socket without a pid in its name: one without a socket of that kind."""
    packages = (socket.package,) if socket.package else PACKAGES.get(socket.kind, ())
    taken = {each.pid for each in sockets if each.kind == socket.kind}
    own = [pid for pid, name in processes.items() if name in packages and pid not in taken]
    return own[0] if len(own) == 1 else None


def _package(process: str | None) -> str | None:
    package = package_of(process or "")
    return package if is_package(package) else None
