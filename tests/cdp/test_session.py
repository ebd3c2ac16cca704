from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from cdp_support import Wired

from stillframe import errors
from stillframe.cdp import CDPSession
from stillframe.cdp_types import page, target
from stillframe.testing import Sent


async def test_attaching_works_whichever_of_answer_and_event_comes_first(wired: Wired) -> None:
    async def attach(answer: Callable[[Sent], dict[str, str]]) -> CDPSession:
        wired.peer.answer("Target.attachToTarget", answer)
        return await wired.connection.root.attach("T")

    def event_first(sent: Sent) -> dict[str, str]:
        wired.peer.attach("S1", target_id="T")
        return {"sessionId": "S1"}

    def answer_first(sent: Sent) -> dict[str, str]:
        wired.peer.reply(sent.id, {"sessionId": "S2"})
        wired.peer.emit("Page.early", session_id="S2")
        wired.peer.attach("S2", target_id="T")
        return None  # type: ignore[return-value]  # answered above

    first, second = await attach(event_first), await attach(answer_first)
    await wired.connection.root.drain_events()
    assert first.target_info is not None
    assert first.target_info.target_id == second.target_id == "T"
    assert second.target_type == "page"
    assert wired.connection.root.children == [first, second]
    assert second.parent is wired.connection.root


async def test_detaching_tells_it_from_a_closed_target(wired: Wired) -> None:
    session = await wired.session("S")
    wired.peer.hold("Page.enable")
    wired.peer.answer(
        "Target.detachFromTarget",
        lambda sent: wired.peer.emit("Target.detachedFromTarget", {"sessionId": "S"}) or {},
    )
    future = session.post(page.Enable())
    await session.detach()
    assert isinstance(future.exception(), errors.SessionDetached)
    assert isinstance(session.error, errors.SessionDetached)
    await session.detach()
    with pytest.raises(errors.InputError, match="close the connection"):
        await wired.connection.root.detach()


async def test_auto_attach_prepares_each_target_before_it_runs(wired: Wired) -> None:
    prepared: list[CDPSession] = []

    def prepare(child: CDPSession) -> None:
        prepared.append(child)
        child.post(page.Enable())
        child.on("Page.early", lambda event: None)

    await wired.connection.root.auto_attach(prepare, filter=[target.FilterEntry(type="page")])
    wired.peer.emit("Page.early", session_id="C1")
    wired.peer.attach("C1", waiting=True)
    wired.peer.attach("C2", parent="C1", type="worker", waiting=False)
    await wired.connection.root.drain_events()
    await wired.connection.root.drain_events()
    assert [child.session_id for child in prepared] == ["C1", "C2"]
    assert prepared[1].parent is prepared[0]
    sent = [(s.session_id, s.method) for s in wired.peer.received if s.method != "Browser.getVersion"]
    assert sent == [
        ("", "Target.setAutoAttach"),
        ("C1", "Page.enable"),
        ("C1", "Target.setAutoAttach"),
        ("C1", "Runtime.runIfWaitingForDebugger"),
        ("C2", "Page.enable"),
        ("C2", "Target.setAutoAttach"),
    ]
    assert wired.peer.received[0].params["filter"] == [{"type": "page"}]


async def test_a_prepared_child_may_auto_attach_in_its_own_way(wired: Wired) -> None:
    inner: list[CDPSession] = []

    def prepare(child: CDPSession) -> None:
        child.auto_attach(inner.append, filter=[{"type": "iframe"}])

    await wired.connection.root.auto_attach(prepare)
    wired.peer.attach("C1", waiting=True)
    wired.peer.attach("C2", parent="C1", type="iframe")
    await wired.peer.wait_for("Runtime.runIfWaitingForDebugger")
    await wired.connection.root.drain_events()
    assert [child.session_id for child in inner] == ["C2"]
    sent = [s.params.get("filter") for s in wired.peer.received if s.method == "Target.setAutoAttach"]
    assert sent == [None, [{"type": "iframe"}], [{"type": "iframe"}]]


async def test_a_target_runs_though_its_preparation_fails(wired: Wired, caplog: pytest.LogCaptureFixture) -> None:
    def prepare(child: CDPSession) -> None:
        raise ZeroDivisionError

    await wired.connection.root.auto_attach(prepare)
    wired.peer.attach("C", waiting=True)
    await wired.peer.wait_for("Runtime.runIfWaitingForDebugger")
    assert wired.connection.handler_errors == 1
    assert "auto_attach" in caplog.text


async def test_attaching_by_hand_is_not_taken_for_auto_attach(wired: Wired) -> None:
    prepared: list[CDPSession] = []
    await wired.connection.root.auto_attach(prepared.append)

    def attach(sent: Sent) -> dict[str, str]:
        wired.peer.attach("S1", target_id="T")
        return {"sessionId": "S1"}

    wired.peer.answer("Target.attachToTarget", attach)
    await wired.connection.root.attach("T")
    assert prepared == []


Act = Callable[[CDPSession], Awaitable[object]]


@pytest.mark.parametrize(
    "act",
    [
        lambda s: s.send(page.Enable()),
        lambda s: s.call("Page.enable"),
        lambda s: s.send_raw("Page.enable"),
        lambda s: s.drain_events(),
        lambda s: s.attach("T2"),
        lambda s: s.post(page.Enable()),
    ],
)
async def test_an_ended_session_answers_every_call_at_once(wired: Wired, act: Act) -> None:
    session = await wired.session("S")
    wired.peer.emit("Target.detachedFromTarget", {"sessionId": "S"})
    await wired.connection.root.drain_events()
    count = len(wired.peer.received)
    with pytest.raises(errors.TargetClosed):
        await act(session)
    assert len(wired.peer.received) == count


async def test_target_info_follows_the_browser(wired: Wired) -> None:
    session = await wired.session("S", target_id="T")
    assert session.target_info is session.target_info
    info = {"targetId": "T", "type": "page", "title": "new", "url": "u", "attached": True, "canAccessOpener": False}
    wired.peer.emit("Target.targetInfoChanged", {"targetInfo": info})
    await wired.connection.root.drain_events()
    assert session.target_info is not None
    assert session.target_info.title == "new"
    assert wired.connection.root.target_info is None
