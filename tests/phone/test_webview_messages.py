"""How a facade rewrites the messages of the protocol, without a browser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stillframe_phone.webview_messages import OWN_IDS, Disguise, Kind, Step, Traffic, View

MINE = {"targetId": "MINE", "type": "page", "browserContextId": "APP"}
FOREIGN = {"targetId": "FOREIGN", "type": "page", "browserContextId": "OTHER"}


def disguise(kind: Kind = "webview", milestone: int | None = None) -> Disguise:
    made = Disguise(kind, milestone)
    made.context, made.product, made.user_agent = "APP", "Chrome/74.0", "Android"
    made.targets.add("MINE")
    return made


def at_page(kind: Kind = "webview", milestone: int | None = None) -> Traffic:
    return Traffic(disguise(kind, milestone), "MINE")


def at_browser(kind: Kind = "webview", milestone: int | None = None) -> Traffic:
    return Traffic(disguise(kind, milestone), None)


def command(method: str, number: int = 1, session: str | None = None, **params: Any) -> str:
    tail = {"sessionId": session} if session else {}
    return json.dumps({"id": number, "method": method, "params": params, **tail})


def event(method: str, session: str | None = None, **params: Any) -> str:
    return json.dumps({"method": method, "params": params, **({"sessionId": session} if session else {})})


def exchange(traffic: Traffic, method: str, result: dict[str, Any], **params: Any) -> dict[str, Any]:
    """Send a command, let the browser answer, and return the result that the client gets."""
    assert traffic.from_client(command(method, **params)).to_browser
    (text,) = traffic.from_browser(json.dumps({"id": 1, "result": result})).to_client
    answer: dict[str, Any] = json.loads(text)["result"]
    return answer


def refused(step: Step) -> tuple[int, str]:
    assert step.to_browser == ()
    (text,) = step.to_client
    error = json.loads(text)["error"]
    return error["code"], error["message"]


# -- the milestone


def test_a_modern_page_gets_and_sends_everything_as_it_is() -> None:
    traffic = at_page()
    for text in (command("Accessibility.queryAXTree", accessibleName="x"), '{"id":2,"method":"A.b"} '):
        assert traffic.from_client(text) == Step(to_browser=(text,))
    for text in ('{"id": 1, "result": {"nodes": []} }', event("Page.frameStartedNavigating", url="x")):
        assert traffic.from_browser(text) == Step(to_client=(text,))


def test_a_command_newer_than_the_milestone_is_not_found() -> None:
    step = at_page(milestone=74).from_client(command("Accessibility.queryAXTree", 7, "S"))
    assert refused(step) == (-32601, "'Accessibility.queryAXTree' wasn't found")
    assert json.loads(step.to_client[0])["id"] == 7
    assert json.loads(step.to_client[0])["sessionId"] == "S"


def test_parameters_newer_than_the_milestone_do_not_reach_the_browser() -> None:
    text = command("DOMSnapshot.captureSnapshot", computedStyles=[], includePaintOrder=True, includeDOMRects=True)
    (sent,) = at_page(milestone=77).from_client(text).to_browser
    assert json.loads(sent)["params"] == {"computedStyles": [], "includeDOMRects": True}


def test_results_and_events_lose_what_is_newer_in_flat_sessions_too() -> None:
    traffic = at_browser(milestone=77)
    traffic.from_client(command("DOMSnapshot.captureSnapshot", session="S", computedStyles=[]))
    document = {"scrollOffsetX": 0, "contentWidth": 5, "layout": {"offsetRects": [], "paintOrders": []}}
    reply = {"id": 1, "result": {"documents": [document], "strings": []}, "sessionId": "S"}
    (text,) = traffic.from_browser(json.dumps(reply)).to_client
    assert json.loads(text)["result"]["documents"] == [{"scrollOffsetX": 0, "layout": {"offsetRects": []}}]
    (text,) = traffic.from_browser(event("Page.fileChooserOpened", "S", frameId="F", mode="x")).to_client
    assert json.loads(text) == {"method": "Page.fileChooserOpened", "params": {"mode": "x"}, "sessionId": "S"}


def test_events_newer_than_the_milestone_never_arrive() -> None:
    assert at_page(milestone=133).from_browser(event("Page.frameStartedNavigating")) == Step()
    assert at_page(milestone=134).from_browser(event("Page.frameStartedNavigating")).to_client


def test_the_version_is_that_of_the_disguise() -> None:
    for traffic in (at_page(), at_browser(), at_page(milestone=74)):
        result = exchange(
            traffic, "Browser.getVersion", {"product": "Chrome/156", "userAgent": "X11", "jsVersion": "1"}
        )
        assert result == {"product": "Chrome/74.0", "userAgent": "Android", "jsVersion": "1"}


# -- the limits of each kind


@pytest.mark.parametrize(
    ("kind", "milestone", "method", "error"),
    [
        ("webview", None, "Target.createTarget", (-32000, "Not supported")),
        ("webview", None, "Target.createBrowserContext", (-32000, "Failed to create browser context.")),
        ("chrome", 113, "Target.createBrowserContext", (-32000, "Failed to create browser context.")),
        ("webview", 113, "Storage.getCookies", (-32000, "Browser context management is not supported.")),
        ("webview", 74, "Storage.getCookies", (-32601, "'Storage.getCookies' wasn't found")),
        ("webview", None, "Browser.setDownloadBehavior", (-32000, "Browser context management is not supported.")),
        ("webview", None, "Browser.close", (-32601, "'Browser.close' wasn't found")),
        ("chrome", None, "Browser.getWindowForTarget", (-32601, "'Browser.getWindowForTarget' wasn't found")),
    ],
)
def test_what_android_does_not_have_is_refused_with_its_words(
    kind: Kind, milestone: int | None, method: str, error: tuple[int, str]
) -> None:
    assert refused(at_browser(kind, milestone).from_client(command(method))) == error


def test_the_limits_are_those_of_the_browser_scope() -> None:
    for traffic, session in ((at_page(), None), (at_browser(), "S")):
        assert traffic.from_client(command("Target.createTarget", session=session)).to_browser


def test_there_are_no_browser_contexts() -> None:
    result = {"browserContextIds": ["APP", "OTHER"], "defaultBrowserContextId": "DEFAULT"}
    modern = exchange(at_browser(), "Target.getBrowserContexts", {**result})
    old = exchange(at_browser("chrome", 113), "Target.getBrowserContexts", {**result})
    assert modern == {"browserContextIds": [], "defaultBrowserContextId": "APP"}
    assert old == {"browserContextIds": []}


def test_what_concerns_a_context_concerns_the_apps_own() -> None:
    (sent,) = at_browser().from_client(command("Storage.getCookies", browserContextId="OTHER")).to_browser
    assert json.loads(sent)["params"] == {"browserContextId": "APP"}
    (sent,) = at_browser("chrome", 113).from_client('{"id": 1, "method": "Target.createTarget"}').to_browser
    assert json.loads(sent)["params"] == {"browserContextId": "APP"}


def test_chrome_acknowledges_its_end_and_lives() -> None:
    (text,) = at_browser("chrome").from_client(command("Browser.close")).to_client
    assert json.loads(text) == {"id": 1, "result": {}}


def test_chrome_below_112_answers_a_tab_number() -> None:
    made = [exchange(at_browser("chrome", 111), "Target.createTarget", {"targetId": "NEW"}, url="x")]
    made.append(exchange(at_browser("chrome", 112), "Target.createTarget", {"targetId": "NEW"}, url="x"))
    assert made == [{"targetId": "2"}, {"targetId": "NEW"}]


# -- one app among several in one browser


def test_only_the_apps_targets_are_listed() -> None:
    traffic = at_browser()
    assert exchange(traffic, "Target.getTargets", {"targetInfos": [MINE, FOREIGN]}) == {"targetInfos": [MINE]}
    for method in ("Target.targetCreated", "Target.targetInfoChanged"):
        assert traffic.from_browser(event(method, targetInfo=MINE)).to_client
        assert traffic.from_browser(event(method, targetInfo=FOREIGN)) == Step()
    assert traffic.from_browser(event("Target.targetDestroyed", targetId="MINE")).to_client
    assert traffic.from_browser(event("Target.targetDestroyed", targetId="FOREIGN")) == Step()


def test_a_target_of_another_app_cannot_be_named() -> None:
    step = at_browser().from_client(command("Target.attachToTarget", targetId="FOREIGN", flatten=True))
    assert refused(step) == (-32602, "No target with given id found")
    assert at_browser().from_client(command("Target.attachToTarget", targetId="MINE", flatten=True)).to_browser


def test_a_target_of_another_app_is_let_go_when_the_browser_attaches_to_it() -> None:
    traffic = at_browser()
    attached = event("Target.attachedToTarget", sessionId="S", targetInfo=FOREIGN, waitingForDebugger=True)
    step = traffic.from_browser(attached)
    assert step.to_client == ()
    resume, detach = map(json.loads, step.to_browser)
    assert (resume["method"], resume["sessionId"]) == ("Runtime.runIfWaitingForDebugger", "S")
    assert (detach["method"], detach["params"]) == ("Target.detachFromTarget", {"sessionId": "S"})
    assert min(resume["id"], detach["id"]) >= OWN_IDS
    leftovers = [
        json.dumps({"id": resume["id"], "result": {}, "sessionId": "S"}),
        json.dumps({"id": detach["id"], "result": {}}),
        event("Page.loadEventFired", "S"),
        event("Target.detachedFromTarget", sessionId="S", targetId="FOREIGN"),
    ]
    assert [traffic.from_browser(text) for text in leftovers] == [Step()] * 4


def test_a_target_that_was_shown_by_name_belongs_to_the_app() -> None:
    traffic = Traffic(shown := disguise(), None)
    shown.views["FOREIGN"] = View()
    attached = event("Target.attachedToTarget", sessionId="S", targetInfo=FOREIGN)
    assert traffic.from_browser(attached) == Step(to_client=(attached,))


# -- hidden views


def hidden() -> Disguise:
    made = disguise()
    made.views["MINE"] = View(visible=False)
    return made


@pytest.mark.parametrize("method", ["Input.dispatchTouchEvent", "Page.captureScreenshot"])
def test_a_hidden_view_never_answers_what_needs_a_frame(method: str) -> None:
    assert Traffic(hidden(), "MINE").from_client(command(method)) == Step()
    assert Traffic(hidden(), "MINE").from_client(command("Runtime.evaluate")).to_browser
    assert Traffic(disguise(), "MINE").from_client(command(method)).to_browser


def test_sessions_of_a_page_and_of_its_frames_are_hidden_with_it() -> None:
    traffic = Traffic(hidden(), None)
    traffic.from_browser(event("Target.attachedToTarget", sessionId="PAGE", targetInfo=MINE))
    frame = {"targetId": "FRAME", "type": "iframe"}
    traffic.from_browser(event("Target.attachedToTarget", "PAGE", sessionId="INNER", targetInfo=frame))
    for session in ("PAGE", "INNER"):
        assert traffic.from_client(command("Input.dispatchTouchEvent", session=session)) == Step()
    assert traffic.from_client(command("Input.dispatchTouchEvent", session="ANOTHER")).to_browser


# -- anything


def test_commands_are_counted_also_those_that_are_refused() -> None:
    traffic = Traffic(counted := disguise(milestone=74), "MINE")
    for method in ("Page.enable", "Accessibility.queryAXTree", "Page.enable"):
        traffic.from_client(command(method))
    assert counted.commands == {"Page.enable": 2, "Accessibility.queryAXTree": 1}


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[1]", "{}", '{"id": "x", "method": "A.b"}', '{"method": 1, "id": 2}']
)
def test_what_is_not_a_command_goes_on_to_the_browser(text: str) -> None:
    assert at_page(milestone=74).from_client(text) == Step(to_browser=(text,))


def test_rewritten_messages_are_as_compact_as_the_browsers() -> None:
    (text,) = at_page(milestone=74).from_browser('{"method":"A.b","params":{"x":[1,2]}}').to_client
    assert text == '{"method":"A.b","params":{"x":[1,2]}}'


def test_lone_surrogates_stay() -> None:
    (text,) = at_page(milestone=74).from_browser('{"method":"A.b","params":{"text":"\\ud800"}}').to_client
    assert '"\\ud800"' in text


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "method", "params", "result", "sessionId", "error", "x"]), inner)
    ),
    max_leaves=8,
)


@example({"id": 1, "method": "Target.attachToTarget", "params": 1}, None)
@given(JSON | st.text(), st.sampled_from([None, 74]))
def test_a_client_may_send_anything(value: Any, milestone: int | None) -> None:
    at_page(milestone=milestone).from_client(value if isinstance(value, str) else json.dumps(value))
    at_browser(milestone=milestone).from_client(value if isinstance(value, str) else json.dumps(value))
