"""What hosts are called turned into addresses, for the policy proxy: in turns, with limits, and remembered for a moment.

A page decides which names are asked for, how many, and how long their answers take. So nothing here is shared with the
rest of the process: a policy proxy has threads of its own, a page that asks for many names waits behind one that asks for few,
and a name is asked for once however many want it.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from ipaddress import ip_address

from stillframe.security.urls import Address

Resolver = Callable[[str], Awaitable[Sequence[Address]]]
Addresses = tuple[Address, ...]

POSITIVE_TTL_S = 5.0
"""How long the addresses of a judged host are used again: for the connections that one page opens at once."""
NEGATIVE_TTL_S = 2.0
"""How long a name is known to lead nowhere; less, for people try again when a network comes back."""
CACHE_SIZE = 1000
"""DnsCache that are remembered."""
MAX_LOOKUPS = 16
"""Lookups of one policy proxy that run at once; each takes a thread for as long as the system's resolver takes."""
MAX_LOOKUPS_PER_REQUESTER = 4
"""Lookups that one asker has running; another finds a place beside three whose names take long."""
MAX_QUEUED_PER_REQUESTER = 4096
"""Lookups that one asker has waiting; a name beyond that is refused at once."""
LOOKUP_TIMEOUT_S = 10.0
"""For one lookup: two attempts with two servers take 20 s by default (resolv.conf), which nobody waits for."""
RESOLVE_TIMEOUT_S = 30.0
"""For one caller, its turn included."""
MAX_THREADS = 64
"""SystemResolver of one policy proxy: more than lookups, for one whose lookup was given up lasts until the system gives up too."""

_NOBODY = object()


class Lookup:
    """One name that is asked for, and everybody who waits for it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.waiting = 0
        self.askers: set[Hashable] = set()
        """Those in whose queue it is; it begins with the first whose turn comes."""
        self.task: asyncio.Task[None] | None = None
        self.found: asyncio.Future[Addresses | OSError] = asyncio.get_running_loop().create_future()


class DnsCache:
    """The lookups of one policy proxy; belongs to the running event loop."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._known: OrderedDict[str, tuple[float, Addresses | OSError]] = OrderedDict()
        """Until when, and the addresses or why there are none."""
        self._lookups: dict[str, Lookup] = {}
        self._queues: OrderedDict[Hashable, OrderedDict[str, Lookup]] = OrderedDict()
        """What has still to begin by asker, the one whose turn it is first; none is empty."""
        self._running: Counter[Hashable] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    async def find(self, name: str, asker: Hashable = None) -> Addresses:
        """Return the addresses of a name; raises OSError for one that leads nowhere, or not in time.

        `asker` is on whose behalf: askers take turns.
        """
        found = self._remembered(name) or await self._awaited(name, asker)
        if isinstance(found, OSError):
            raise type(found)(*found.args)  # one of its own for everybody who waited
        return found

    def stop(self) -> None:
        """Begin to give up what runs and what waits. Idempotent."""
        for lookup in tuple(self._lookups.values()):
            self._forget(lookup)
            if not lookup.found.done():
                lookup.found.set_result(_again("the policy proxy has closed"))
            if lookup.task is not None:
                lookup.task.cancel()

    async def aclose(self) -> None:
        """Stop, and wait until nothing is left."""
        self.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- waiting -------------------------------------------------------------------------------

    async def _awaited(self, name: str, asker: Hashable) -> Addresses | OSError:
        lookup = self._lookups.get(name) or Lookup(name)
        if lookup.task is None and not self._enqueued(lookup, asker):
            return _again("too many names are asked for at once")
        self._lookups[name] = lookup
        lookup.waiting += 1
        self._begin()
        try:
            async with asyncio.timeout(RESOLVE_TIMEOUT_S):
                return await asyncio.shield(lookup.found)
        except TimeoutError:
            return _again("the name was not looked up in time")
        finally:
            lookup.waiting -= 1
            if not lookup.waiting and lookup.task is None:
                self._forget(lookup)

    def _enqueued(self, lookup: Lookup, asker: Hashable) -> bool:
        """Put a lookup into the queue of an asker, unless that is full."""
        queue = self._queues.setdefault(asker, OrderedDict())
        if len(queue) >= MAX_QUEUED_PER_REQUESTER and lookup.name not in queue:
            return False
        queue[lookup.name] = lookup
        lookup.askers.add(asker)
        return True

    def _forget(self, lookup: Lookup) -> None:
        """Take a lookup out of everything."""
        self._dequeue(lookup)
        if self._lookups.get(lookup.name) is lookup:
            del self._lookups[lookup.name]

    def _dequeue(self, lookup: Lookup) -> None:
        for asker in lookup.askers:
            queue = self._queues[asker]
            del queue[lookup.name]
            if not queue:
                del self._queues[asker]
        lookup.askers.clear()

    # -- running -------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Start what may run now, one of each asker in turn."""
        while self._running.total() < MAX_LOOKUPS and (asker := self._whose_turn()) is not _NOBODY:
            self._queues.move_to_end(asker)
            lookup = next(iter(self._queues[asker].values()))
            self._dequeue(lookup)
            self._running[asker] += 1
            lookup.task = asyncio.get_running_loop().create_task(self._run(lookup), name="stillframe-lookup")
            self._tasks.add(lookup.task)
            lookup.task.add_done_callback(partial(self._ended, asker))

    def _whose_turn(self) -> Hashable:
        return next((asker for asker in self._queues if self._running[asker] < MAX_LOOKUPS_PER_REQUESTER), _NOBODY)

    def _ended(self, asker: Hashable, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._running[asker] -= 1
        self._running += Counter()  # without those that have none left
        self._begin()

    async def _run(self, lookup: Lookup) -> None:
        found: Addresses | OSError = _again("the name was not looked up")
        try:
            found = await self._resolved(lookup.name)
            self._remember(lookup.name, found)
        finally:
            self._forget(lookup)
            if not lookup.found.done():
                lookup.found.set_result(found)

    async def _resolved(self, name: str) -> Addresses | OSError:
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT_S):
                addresses = tuple(await self._resolver(name))
        except TimeoutError:
            return _again("the name was not resolved in time")
        except OSError as error:
            return error
        except ValueError as error:  # of Python's codec for names, or an address that is none
            return _nowhere(f"the name cannot be resolved: {error}")
        return addresses or _nowhere("the name has no address")

    # -- remembering ---------------------------------------------------------------------------

    def _remembered(self, name: str) -> Addresses | OSError | None:
        until, known = self._known.get(name, (0.0, None))
        return known if until > asyncio.get_running_loop().time() else None

    def _remember(self, name: str, found: Addresses | OSError) -> None:
        seconds = NEGATIVE_TTL_S if isinstance(found, OSError) else POSITIVE_TTL_S
        self._known[name] = asyncio.get_running_loop().time() + seconds, found
        self._known.move_to_end(name)
        while len(self._known) > CACHE_SIZE:
            self._known.popitem(last=False)


def _again(words: str) -> OSError:
    return socket.gaierror(socket.EAI_AGAIN, words)


def _nowhere(words: str) -> OSError:
    return socket.gaierror(socket.EAI_NONAME, words)


class SystemResolver:
    """Asks the system, in threads of its own: the loop's are for everybody, and a slow name would hold one of few.

    They end with their lookup and are daemons: neither closing nor the end of Python waits for a name server.
    """

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(MAX_THREADS)

    async def resolve(self, name: str) -> Sequence[Address]:
        """Return the addresses of a host, as the system knows them; raises OSError."""
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        found: asyncio.Future[list[str]] = loop.create_future()
        try:
            threading.Thread(target=self._ask, args=(loop, name, found), name="stillframe-name", daemon=True).start()
        except RuntimeError as error:  # no more threads are to be had
            self._free.release()
            raise _again(str(error)) from None
        return tuple(map(ip_address, await found))

    def _ask(self, loop: asyncio.AbstractEventLoop, name: str, found: asyncio.Future[list[str]]) -> None:
        try:
            texts, error = _system(name), None
        except Exception as problem:
            texts, error = [], problem
        with contextlib.suppress(RuntimeError):  # the loop has closed meanwhile
            loop.call_soon_threadsafe(self._answer, found, texts, error)

    def _answer(self, found: asyncio.Future[list[str]], texts: list[str], error: Exception | None) -> None:
        self._free.release()
        if found.done():
            return
        if error is None:
            found.set_result(texts)
        else:
            found.set_exception(error)


def _system(name: str) -> list[str]:
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    # A link-local address comes with its zone, which no rule is about.
    return list(dict.fromkeys(str(sockaddr[0]).partition("%")[0] for *_, sockaddr in found))
