"""Lookups of the policy proxy: in turns, once per name, within limits, in threads of their own, and remembered."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_policy_proxy import ask, get, serving

from patience import HANG_S
from stillframe.chrome import dns, policy_proxy
from stillframe.chrome.dns import DnsCache, SystemResolver
from stillframe.chrome.policy_proxy import PolicyProxy
from stillframe.security.policy import UrlPolicy
from stillframe.security.urls import LOOPBACK, Address

PUBLIC = ip_address("93.184.216.34")


class Held:
    """A resolver that answers when it is let, and knows what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.most = 0
        self._open = asyncio.Event()
        self._running = 0

    def let(self) -> None:
        self._open.set()

    async def __call__(self, name: str) -> Sequence[Address]:
        self.asked.append(name)
        self._running += 1
        self.most = max(self.most, self._running)
        try:
            await self._open.wait()
        finally:
            self._running -= 1
        return (PUBLIC,)


@asynccontextmanager
async def opened(proxy: PolicyProxy) -> AsyncIterator[PolicyProxy]:
    async with asyncio.timeout(30), proxy:
        yield proxy


async def turns(count: int = 20) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


# -- through the policy proxy ------------------------------------------------------------------------------


async def test_a_name_is_looked_up_once_however_many_ask() -> None:
    held = Held()
    async with opened(PolicyProxy(UrlPolicy(), resolver=held)) as proxy:
        asking = [asyncio.ensure_future(proxy.judge(f"http://one.test:{port}/")) for port in range(8000, 8200)]
        await turns()
        held.let()
        assert await asyncio.gather(*asking) == [None] * 200
        assert await proxy.judge("https://ONE.test./") is None
        assert held.asked == ["one.test"]


@pytest.mark.parametrize("problem", [None, socket.gaierror(socket.EAI_NONAME, "nobody")])
async def test_that_a_name_leads_nowhere_is_remembered(problem: OSError | None) -> None:
    asked = 0

    async def resolver(name: str) -> Sequence[Address]:
        nonlocal asked
        asked += 1
        if problem is not None:
            raise problem
        return ()

    async with opened(PolicyProxy(UrlPolicy(), resolver=resolver)) as proxy:
        for _ in range(50):
            with pytest.raises(OSError, match=r"nobody|no address"):
                await proxy.judge("http://nowhere.test/")
        assert asked == 1


async def test_a_failure_is_forgotten_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "NEGATIVE_TTL_S", 0.0)
    answers = iter([(), (PUBLIC,)])

    async def resolver(name: str) -> Sequence[Address]:
        return next(answers)

    async with opened(PolicyProxy(UrlPolicy(), resolver=resolver)) as proxy:
        with pytest.raises(OSError, match="no address"):
            await proxy.judge("http://late.test/")
        assert await proxy.judge("http://late.test/") is None


async def test_a_page_that_asks_for_thousands_of_names_does_not_keep_another_waiting() -> None:
    held = Held()
    async with opened(PolicyProxy(UrlPolicy(), resolver=held)) as proxy:
        flood = [asyncio.ensure_future(proxy.judge(f"http://n{number}.test/", "loud")) for number in range(3000)]
        await turns()
        quiet = asyncio.ensure_future(proxy.judge("http://quiet.test/", "quiet"))
        await turns()
        assert "quiet.test" in held.asked
        assert len(held.asked) < 10
        held.let()
        assert await quiet is None
        await asyncio.gather(*flood)
        assert held.most <= dns.MAX_LOOKUPS


async def test_two_gates_share_nothing() -> None:
    held = Held()
    async with opened(PolicyProxy(UrlPolicy(), resolver=held)) as loud, opened(PolicyProxy(UrlPolicy())) as other:
        flood = [asyncio.ensure_future(loud.judge(f"http://n{number}.test/", number)) for number in range(100)]
        await turns()
        other.resolver = quick
        assert await other.judge("http://other.test/") is None
        held.let()
        await asyncio.gather(*flood)


async def quick(name: str) -> Sequence[Address]:
    return (PUBLIC,)


async def test_the_loops_own_threads_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every lookup hangs, and what else runs in threads goes on; nor does closing wait for a name server."""
    hang = threading.Event()
    began = threading.Semaphore(0)

    def getaddrinfo(*_: object, **__: object) -> list[object]:
        began.release()
        hang.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    try:
        async with asyncio.timeout(10), PolicyProxy(UrlPolicy()) as proxy:
            asking = [asyncio.ensure_future(proxy.judge(f"http://n{number}.test/", number)) for number in range(50)]
            await turns()
            assert began.acquire(timeout=5)
            assert await asyncio.to_thread(lambda: "free") == "free"
            for task in asking:
                task.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
    finally:
        hang.set()


@pytest.mark.parametrize("host", ["localhost", "app.localhost", "A.B.LocalHost."])
async def test_localhost_is_loopback_and_nobody_is_asked(host: str) -> None:
    asked: list[str] = []

    async def lying(name: str) -> Sequence[Address]:
        asked.append(name)
        return (PUBLIC,)

    async with serving() as server:
        async with PolicyProxy(UrlPolicy(allow_private=True), resolver=lying) as proxy:
            assert b"hello" in await ask(proxy, get(server.port, host=host))
        async with PolicyProxy(
            UrlPolicy(allowed_hosts=[f"{host.lower().rstrip('.')}:{server.port}"]), resolver=lying
        ) as proxy:
            assert b"hello" in await ask(proxy, get(server.port, host=host))
        async with PolicyProxy(UrlPolicy(), resolver=lying) as proxy:
            refused = await ask(proxy, get(server.port, host=host))
            assert b"X-Stillframe-Refused: private: loopback\r\n" in refused
        async with PolicyProxy(UrlPolicy(allow_private=True, denied_hosts=["127.0.0.0/8"]), resolver=lying) as proxy:
            assert b"X-Stillframe-Refused: denied_hosts: 127.0.0.0/8" in await ask(proxy, get(server.port, host=host))
    assert asked == []


async def test_an_entry_below_localhost_allows_what_is_below() -> None:
    async with serving() as server, PolicyProxy(UrlPolicy(allowed_hosts=["*.localhost"])) as proxy:
        assert b"hello" in await ask(proxy, get(server.port, host="app.localhost"))
        assert (await ask(proxy, get(server.port, host="localhost"))).startswith(b"HTTP/1.1 403 ")


# -- limits ----------------------------------------------------------------------------------------


async def test_a_lookup_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "LOOKUP_TIMEOUT_S", 0.05)
    known = DnsCache(Held())
    with pytest.raises(OSError, match="did not answer in time"):
        await known.resolve("slow.test")
    with pytest.raises(OSError, match="did not answer in time"):
        await known.resolve("slow.test")
    await known.aclose()


async def test_nobody_waits_for_a_turn_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "RESOLVE_TIMEOUT_S", 0.05)
    known = DnsCache(Held())
    found = await asyncio.gather(*(known.resolve(f"n{number}.test") for number in range(50)), return_exceptions=True)
    assert all("took too long" in str(error) for error in found)
    assert not known._queues
    await known.aclose()


async def test_too_many_names_of_one_asker_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "MAX_QUEUED_PER_REQUESTER", 10)
    held = Held()
    known = DnsCache(held)
    asking = [asyncio.ensure_future(known.resolve(f"n{number}.test")) for number in range(100)]
    await turns()
    held.let()
    found = await asyncio.gather(*asking, return_exceptions=True)
    assert [error for error in found if isinstance(error, OSError)] == found[10 + dns.MAX_LOOKUPS_PER_REQUESTER :]
    assert len(held.asked) == 10 + dns.MAX_LOOKUPS_PER_REQUESTER
    await known.aclose()


async def test_who_has_gone_is_not_looked_up_for() -> None:
    held = Held()
    known = DnsCache(held)
    asking = [asyncio.ensure_future(known.resolve(f"n{number}.test")) for number in range(1000)]
    await turns()
    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    assert not known._queues
    held.let()
    await known.resolve("last.test")
    assert len(held.asked) == dns.MAX_LOOKUPS_PER_REQUESTER + 1
    await known.aclose()


async def test_who_asks_for_a_name_that_waits_for_another_gets_it_in_the_own_turn() -> None:
    held = Held()
    known = DnsCache(held)
    loud = [asyncio.ensure_future(known.resolve(f"n{number}.test", "loud")) for number in range(1000)]
    await turns()
    quiet = asyncio.ensure_future(known.resolve("n999.test", "quiet"))
    await turns()
    assert held.asked[-1] == "n999.test"
    held.let()
    assert await quiet == (PUBLIC,)
    await asyncio.gather(*loud)
    assert Counter(held.asked).most_common(1)[0][1] == 1
    await known.aclose()


async def test_closing_tells_everybody_who_waits() -> None:
    known = DnsCache(Held())
    asking = [asyncio.ensure_future(known.resolve(f"n{number}.test", number % 7)) for number in range(100)]
    await turns()
    await known.aclose()
    found = await asyncio.gather(*asking, return_exceptions=True)
    assert all("closed" in str(error) for error in found)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.booleans()), max_size=60),
    st.integers(1, 3),
    st.integers(1, 3),
)
async def test_whatever_is_asked_in_whatever_order_everybody_hears(
    asked: list[tuple[int, int, bool]], at_once: int, each: int
) -> None:
    """DnsCache, askers and who goes away again: what remains is answered, and nothing is left over."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dns, "MAX_LOOKUPS", at_once)
        patch.setattr(dns, "MAX_LOOKUPS_PER_REQUESTER", each)
        held = Held()
        known = DnsCache(held)
        asking = [(asyncio.ensure_future(known.resolve(f"n{name}.test", asker)), gone) for name, asker, gone in asked]
        await turns(3)
        for task, gone in asking:
            if gone:
                task.cancel()
        held.let()
        async with asyncio.timeout(HANG_S):
            found = await asyncio.gather(*(task for task, _ in asking), return_exceptions=True)
        for result, (_, gone) in zip(found, asking, strict=True):
            assert result == (PUBLIC,) or (gone and isinstance(result, asyncio.CancelledError))
        assert held.most <= at_once
        await turns(3)
        assert not known._queues
        assert not known._lookups
        assert not known._running
        await known.aclose()


async def test_the_system_is_asked_in_threads_that_end() -> None:
    threads = SystemResolver()
    assert set(await threads.resolve("localhost")) <= set(LOOPBACK)
    with pytest.raises(OSError, match=r"\w"):
        await threads.resolve("no-such-name.invalid")
    with pytest.raises((OSError, ValueError)):
        await threads.resolve("a" * 64 + ".test")


async def test_connections_that_would_wait_beyond_a_number_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_proxy, "MAX_WAITING_PER_REQUESTER", 8)
    monkeypatch.setattr(policy_proxy, "MAX_WAITING", 20)
    held = Held()
    async with serving() as server, opened(PolicyProxy(UrlPolicy(allow_private=True), resolver=held)) as proxy:
        proxy.listen(lambda *_: None, lambda host, _port: host.name.partition("-")[0])

        def connections(page: str, count: int) -> list[asyncio.Task[bytes]]:
            names = (f"{page}-{number}.test" for number in range(count))
            return [asyncio.ensure_future(ask(proxy, get(80, host=name))) for name in names]

        loud = connections("a", 12)
        refused, waiting = await asyncio.wait(loud, return_when=asyncio.FIRST_COMPLETED)
        while len(refused) < 4:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            refused |= done
        assert {task.result().partition(b"\r\n")[0] for task in refused} == {
            b"HTTP/1.1 502 Too many names wait for their lookup"
        }
        # Where all pages together have reached their number, one with few still waits.
        crowd: list[asyncio.Task[bytes]] = []
        for page, count, wait in (("b", 8, 8), ("c", 8, dns.MAX_LOOKUPS_PER_REQUESTER), ("d", 1, 1)):
            crowd += connections(page, count)
            while proxy._waiting[page] < wait:  # noqa: ASYNC110  the proxy has no event for it
                await asyncio.sleep(0)
        assert proxy._waiting.total() == 21
        local = get(server.port, host="localhost")
        assert b"200 OK" in await ask(proxy, local)
        for task in (*waiting, *crowd):
            task.cancel()
        await asyncio.gather(*loud, *crowd, return_exceptions=True)
