"""DNS lookups for the policy proxy: cached, limited, and fair between pages.

A page decides which names are looked up, how many, and how long their answers take. So a policy proxy shares nothing
with the rest of the process: it has threads of its own, a page with many lookups waits behind a page with few, and
concurrent lookups of one name share one query.
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

from stillframe.cdp.loop_clock import time_limit
from stillframe.security.urls import Address

Resolver = Callable[[str], Awaitable[Sequence[Address]]]
Addresses = tuple[Address, ...]

POSITIVE_TTL_S = 5.0
"""Seconds for which addresses are cached: long enough for the connections that one page opens at once, short enough to
follow a change of the network."""
NEGATIVE_TTL_S = 2.0
"""Seconds for which a failed lookup is cached; less, because people retry when their network returns."""
CACHE_SIZE = 1000
"""Names in the cache, as many as in Chrome's own host cache."""
MAX_LOOKUPS = 16
"""Concurrent lookups of one policy proxy; each blocks a thread as long as the system's resolver takes."""
MAX_LOOKUPS_PER_REQUESTER = 4
"""Concurrent lookups for one requester: three requesters with slow names leave room for a fourth."""
MAX_QUEUED_PER_REQUESTER = 4096
"""Queued lookups of one requester; more names fail at once."""
LOOKUP_TIMEOUT_S = 10.0
"""Seconds for one lookup; resolv.conf's default of two attempts at two servers takes 20 s, too long for a page load."""
RESOLVE_TIMEOUT_S = 30.0
"""Seconds for one caller, including the time in the queue: the default time limit of a call."""
MAX_THREADS = 64
"""Threads of one policy proxy: more than MAX_LOOKUPS, because an abandoned lookup keeps its thread until the system's
resolver gives up."""

_NO_REQUESTER = object()


class Lookup:
    """One running or queued lookup, and everything that waits for it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.waiting = 0
        self.requesters: set[Hashable] = set()
        """The requesters whose queues contain it; it starts with the first whose turn comes."""
        self.task: asyncio.Task[None] | None = None
        self.result: asyncio.Future[Addresses | OSError] = asyncio.get_running_loop().create_future()


class DnsCache:
    """Resolves names for one policy proxy; belongs to the running event loop."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self._cache: OrderedDict[str, tuple[float, Addresses | OSError]] = OrderedDict()
        """Expiry time, and the addresses or the error, by name."""
        self._lookups: dict[str, Lookup] = {}
        self._queues: OrderedDict[Hashable, OrderedDict[str, Lookup]] = OrderedDict()
        """Queued lookups by requester, in round-robin order; no queue is empty."""
        self._running: Counter[Hashable] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    async def resolve(self, name: str, requester: Hashable = None) -> Addresses:
        """Return the addresses of a name; raises OSError if it has none or the lookup takes too long.

        Requesters take turns, so one with many names does not delay the others.
        """
        result = self._cached(name) or await self._looked_up(name, requester)
        if isinstance(result, OSError):
            raise type(result)(*result.args)  # each waiting caller gets an exception of its own
        return result

    def knows(self, name: str) -> bool:
        """Return whether `resolve` has the result of a name without a lookup."""
        return self._cached(name) is not None

    def stop(self) -> None:
        """Cancel running and queued lookups. Idempotent."""
        for lookup in tuple(self._lookups.values()):
            self._forget(lookup)
            if not lookup.result.done():
                lookup.result.set_result(_try_again("the policy proxy has closed"))
            if lookup.task is not None:
                lookup.task.cancel()

    async def aclose(self) -> None:
        """Stop, and wait until no lookup is left."""
        self.stop()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- waiting -------------------------------------------------------------------------------

    async def _looked_up(self, name: str, requester: Hashable) -> Addresses | OSError:
        lookup = self._lookups.get(name) or Lookup(name)
        if lookup.task is None and not self._enqueue(lookup, requester):
            return _try_again("too many names are queued for lookup")
        self._lookups[name] = lookup
        lookup.waiting += 1
        self._start_next()
        try:
            async with time_limit(RESOLVE_TIMEOUT_S):
                return await asyncio.shield(lookup.result)
        except TimeoutError:
            return _try_again("the lookup of the name took too long")
        finally:
            lookup.waiting -= 1
            if not lookup.waiting and lookup.task is None:
                self._forget(lookup)

    def _enqueue(self, lookup: Lookup, requester: Hashable) -> bool:
        """Queue a lookup for a requester; return False if its queue is full."""
        queue = self._queues.setdefault(requester, OrderedDict())
        if len(queue) >= MAX_QUEUED_PER_REQUESTER and lookup.name not in queue:
            return False
        queue[lookup.name] = lookup
        lookup.requesters.add(requester)
        return True

    def _forget(self, lookup: Lookup) -> None:
        self._dequeue(lookup)
        if self._lookups.get(lookup.name) is lookup:
            del self._lookups[lookup.name]

    def _dequeue(self, lookup: Lookup) -> None:
        """Remove a lookup from the queues of all requesters."""
        for requester in lookup.requesters:
            queue = self._queues[requester]
            del queue[lookup.name]
            if not queue:
                del self._queues[requester]
        lookup.requesters.clear()

    # -- running -------------------------------------------------------------------------------

    def _start_next(self) -> None:
        """Start as many queued lookups as the limits allow, one per requester in turn."""
        while self._running.total() < MAX_LOOKUPS and (requester := self._next_requester()) is not _NO_REQUESTER:
            self._queues.move_to_end(requester)
            lookup = next(iter(self._queues[requester].values()))
            self._dequeue(lookup)
            self._running[requester] += 1
            lookup.task = asyncio.get_running_loop().create_task(self._run(lookup), name="stillframe-lookup")
            self._tasks.add(lookup.task)
            lookup.task.add_done_callback(partial(self._ended, requester))

    def _next_requester(self) -> Hashable:
        free = (each for each in self._queues if self._running[each] < MAX_LOOKUPS_PER_REQUESTER)
        return next(free, _NO_REQUESTER)

    def _ended(self, requester: Hashable, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._running[requester] -= 1
        self._running += Counter()  # drops the requesters with a count of zero
        self._start_next()

    async def _run(self, lookup: Lookup) -> None:
        result: Addresses | OSError = _try_again("the lookup was cancelled")
        try:
            result = await self._query(lookup.name)
            self._store(lookup.name, result)
        finally:
            self._forget(lookup)
            if not lookup.result.done():
                lookup.result.set_result(result)

    async def _query(self, name: str) -> Addresses | OSError:
        try:
            async with time_limit(LOOKUP_TIMEOUT_S):
                addresses = tuple(await self._resolver(name))
        except TimeoutError:
            return _try_again("the name server did not answer in time")
        except OSError as error:
            return error
        except ValueError as error:  # from Python's IDNA codec, or from an invalid address
            return _not_found(f"the name cannot be resolved: {error}")
        return addresses or _not_found("the name has no address")

    # -- the cache -----------------------------------------------------------------------------

    def _cached(self, name: str) -> Addresses | OSError | None:
        expires, result = self._cache.get(name, (0.0, None))
        return result if expires > asyncio.get_running_loop().time() else None

    def _store(self, name: str, result: Addresses | OSError) -> None:
        ttl = NEGATIVE_TTL_S if isinstance(result, OSError) else POSITIVE_TTL_S
        self._cache[name] = asyncio.get_running_loop().time() + ttl, result
        self._cache.move_to_end(name)
        while len(self._cache) > CACHE_SIZE:
            self._cache.popitem(last=False)


def _try_again(reason: str) -> OSError:
    return socket.gaierror(socket.EAI_AGAIN, reason)


def _not_found(reason: str) -> OSError:
    return socket.gaierror(socket.EAI_NONAME, reason)


class SystemResolver:
    """Resolves names with the system's resolver, in threads of its own.

    The event loop's threads serve everything else in the process, and slow names would block them. These threads are
    daemons that end with their lookup, so neither `aclose` nor the interpreter's exit waits for a name server.
    """

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(MAX_THREADS)

    async def resolve(self, name: str) -> Sequence[Address]:
        """Return the addresses of a host; raises OSError."""
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        result: asyncio.Future[list[str]] = loop.create_future()
        try:
            threading.Thread(target=self._query, args=(loop, name, result), name="stillframe-dns", daemon=True).start()
        except RuntimeError as error:  # the system has no thread left
            self._free.release()
            raise _try_again(str(error)) from None
        return tuple(map(ip_address, await result))

    def _query(self, loop: asyncio.AbstractEventLoop, name: str, result: asyncio.Future[list[str]]) -> None:
        try:
            texts, error = _getaddrinfo(name), None
        except Exception as problem:
            texts, error = [], problem
        with contextlib.suppress(RuntimeError):  # the loop has closed meanwhile
            loop.call_soon_threadsafe(self._finish, result, texts, error)

    def _finish(self, result: asyncio.Future[list[str]], texts: list[str], error: Exception | None) -> None:
        self._free.release()
        if result.done():
            return
        if error is None:
            result.set_result(texts)
        else:
            result.set_exception(error)


def _getaddrinfo(name: str) -> list[str]:
    found = socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    # A link-local address has a zone suffix, which no policy rule covers.
    return list(dict.fromkeys(str(sockaddr[0]).partition("%")[0] for *_, sockaddr in found))
