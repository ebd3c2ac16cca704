"""The service `sync:` of an emulated device, which carries files: `adb push`, `adb pull`, `adb ls`.

A request is four letters, the length of what follows, and a path (AOSP, SYNC.TXT). Features `stat_v2` and `ls_v2` add
requests whose answers have 64-bit sizes.
"""

from __future__ import annotations

import posixpath
import stat
import struct
from collections.abc import Awaitable, Callable

from stillframe_phone.adbd import AdbStream
from stillframe_phone.emulated.files import EmulatedFiles, Status
from stillframe_phone.emulated.shell_io import cause

HEAD = struct.Struct("<4sI")
STAT = struct.Struct("<4sIII")
STAT_2 = struct.Struct("<4sIQQIIIIQqqq")
"""72 bytes: id, error, device, inode, mode, links, uid, gid, size, and three times (AOSP, file_sync_protocol.h)."""
MAX_CHUNK = 64 * 1024
"""Bytes that one DATA may carry (AOSP)."""
MAX_PATH = 1024
SHELL_UID = 2000


class SyncService:
    """Serves one `sync:` stream until QUIT."""

    def __init__(self, stream: AdbStream, files: EmulatedFiles) -> None:
        self._stream = stream
        self._files = files
        self._buffer = bytearray()
        self._requests: dict[bytes, Callable[[str], Awaitable[None]]] = {
            b"STAT": self._stat,
            b"STA2": self._stat_2,
            b"LST2": self._stat_2,
            b"LIST": self._list,
            b"LIS2": self._list_2,
            b"RECV": self._receive,
            b"SEND": self._send,
        }

    async def run(self) -> None:
        """Answer requests. Raises EOFError or ConnectionResetError when the host closes the stream."""
        while True:
            name, size = HEAD.unpack(await self._take(HEAD.size))
            if name == b"QUIT":
                return
            if name not in self._requests or size > MAX_PATH:
                await self._fail(f"unknown command {name.decode(errors='replace')}")
                return
            self._name = name
            await self._requests[name]((await self._take(size)).decode(errors="surrogateescape"))

    async def _take(self, size: int) -> bytes:
        return await self._stream.read_exactly(size, self._buffer)

    async def _fail(self, text: str) -> None:
        await self._stream.write(HEAD.pack(b"FAIL", len(text.encode())) + text.encode())

    # -- looking

    def _status(self, path: str) -> tuple[int, Status]:
        """Return an error number, 0 if there is none, and what is known."""
        try:
            return 0, self._files.status(path)
        except OSError as failure:
            return failure.errno or 5, Status(0, 0, 0)

    async def _stat(self, path: str) -> None:
        _, found = self._status(path)
        await self._stream.write(STAT.pack(b"STAT", found.mode, found.size, found.mtime))

    async def _stat_2(self, path: str) -> None:
        await self._stream.write(self._packed(self._name, path))

    def _packed(self, name: bytes, path: str) -> bytes:
        number, found = self._status(path)
        links, owner = (0, 0) if number else (1, SHELL_UID)
        times = (found.mtime,) * 3
        return STAT_2.pack(name, number, 0, 0, found.mode, links, owner, owner, found.size, *times)

    def _names(self, folder: str) -> list[str]:
        return self._files.names(folder) if self._files.is_folder(folder) else []

    async def _list(self, folder: str) -> None:
        for name in self._names(folder):
            _, found = self._status(posixpath.join(folder, name))
            head = STAT.pack(b"DENT", found.mode, found.size, found.mtime)
            await self._stream.write(head + struct.pack("<I", len(name.encode())) + name.encode())
        await self._stream.write(STAT.pack(b"DONE", 0, 0, 0) + bytes(4))

    async def _list_2(self, folder: str) -> None:
        for name in self._names(folder):
            head = self._packed(b"DNT2", posixpath.join(folder, name))
            await self._stream.write(head + struct.pack("<I", len(name.encode())) + name.encode())
        await self._stream.write(b"DONE" + bytes(STAT_2.size))

    # -- files

    async def _receive(self, path: str) -> None:
        try:
            content = self._files.read(path)
        except OSError as failure:
            await self._fail(f"open failed: {cause(failure)}")
            return
        for start in range(0, len(content), MAX_CHUNK):
            chunk = content[start : start + MAX_CHUNK]
            await self._stream.write(HEAD.pack(b"DATA", len(chunk)) + chunk)
        await self._stream.write(HEAD.pack(b"DONE", 0))

    async def _send(self, target: str) -> None:
        path, _, mode = target.rpartition(",")
        content = bytearray()
        while True:
            name, size = HEAD.unpack(await self._take(HEAD.size))
            if name != b"DATA" or size > MAX_CHUNK:
                break
            content += await self._take(size)
        try:
            _check_end(name, mode)
            self._write(path, bytes(content), stat.S_IMODE(int(mode)), mtime=size)
        except OSError as failure:
            await self._fail(f"couldn't create file: {cause(failure)}")
        else:
            await self._stream.write(HEAD.pack(b"OKAY", 0))

    def _write(self, path: str, content: bytes, mode: int, mtime: int) -> None:
        self._files.make_folder(posixpath.dirname(path), parents_too=True)
        self._files.write(path, content, mode, mtime)


def _check_end(name: bytes, mode: str) -> None:
    if name != b"DONE" or not mode.isdecimal():
        raise OSError(22, "Invalid argument")
