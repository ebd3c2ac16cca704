"""Loading: pages that lead elsewhere, statuses, and servers that do not answer."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour, only
from bench.doing import navigate

NEXT = "<title>Next</title><p>Here</p>"
AT_NEXT = {"document.title": "Next"}


def goto(url: str, *, timeout_ms: float = 10_000, settle: bool = False) -> dict[str, Any]:
    """The call `page.goto`."""
    call = {"action": "goto", "url": url, "timeout_ms": timeout_ms}
    return {**call, "settle": True} if settle else call


def new_page(url: str) -> dict[str, Any]:
    """The call `context.new_page`."""
    return {"action": "new_page", "url": url}


def leads(name: str, html: str) -> tuple[Behaviour, ...]:
    """Rows for the three ways of loading a page that leads to another by itself."""
    pages = {"first": html, "second": "<script>location.replace('next')</script>", "next": NEXT}
    return tuple(
        Behaviour(name=f"{name}, by {do['action']}", pages=pages, opens=False, do=(do,), then=AT_NEXT, arrives=end)
        for do, end in (
            (goto("first"), ("/next", 200)),
            (navigate("first"), None),
            (new_page("first"), None),
        )
    )


ROWS = (
    *leads("location.href in the head", "<head><script>location.href = 'next'</script></head><body>Wait"),
    *leads("location.replace in the body", "<p>Wait</p><script>location.replace('next')</script>"),
    *leads("two pages in a row", "<script>location = 'second'</script>"),
    Behaviour(
        name="a redirect when the document is there",
        opens=False,
        do=(goto("first"),),
        then=AT_NEXT,
        pages={
            "first": "<script>addEventListener('DOMContentLoaded', () => location.assign('next'))</script>",
            "next": NEXT,
        },
    ),
    Behaviour(
        name="a form that sends itself",
        opens=False,
        do=(goto("first"),),
        then=AT_NEXT,
        pages={"first": "<form action=next></form><script>document.forms[0].submit()</script>", "next": NEXT},
    ),
    Behaviour(
        name="a refresh in the head",
        opens=False,
        do=(navigate("first"),),
        then=AT_NEXT,
        pages={"first": "<meta http-equiv=refresh content='0;url=next'>", "next": NEXT},
    ),
    Behaviour(
        name="a redirect of the server",
        opens=False,
        do=(goto("to/next"),),
        pages={"next": NEXT},
        then=AT_NEXT,
        arrives=("/next", 200),
    ),
    Behaviour(name="a page that is not there", opens=False, do=(goto("status/404"),), arrives=("/status/404", 404)),
    Behaviour(name="a page that failed", opens=False, do=(goto("status/500"),), arrives=("/status/500", 500)),
    Behaviour(name="a fragment", html="<p>A", do=(goto("#part"),), then={"location.hash": "#part"}),
    only(name="the status of an action", opens=False, do=(navigate("status/404"),), told={"steps.0.status": 404}),
    only(
        name="the end of an action",
        opens=False,
        do=(navigate("first"),),
        pages={"first": "<script>location = 'next'</script>", "next": NEXT},
        told={"steps.0.status": 200},
    ),
    Behaviour(
        name="a server that does not answer",
        opens=False,
        do=(navigate("hang", timeoutMs=1000),),
        fails=("navigation_failed", "wait_timeout"),
        limit_ms=3500,
    ),
    Behaviour(
        name="a script that does not arrive",
        opens=False,
        do=(goto("first", timeout_ms=1000),),
        fails=("navigation_failed",),
        limit_ms=3500,
        pages={"first": "<script src=hang></script>"},
    ),
    Behaviour(
        name="a click to a server that does not answer",
        html="<a href=hang>Go</a>",
        limit_ms=9000,
        do=({"action": "click_element", "selector": "text=Go"},),
        rival=False,
    ),
    Behaviour(
        name="redirects without end",
        opens=False,
        do=(navigate("loop", timeoutMs=4000),),
        fails=("navigation_failed",),
        limit_ms=6500,
    ),
    Behaviour(
        name="scripts that redirect without end",
        opens=False,
        do=(navigate("ring", timeoutMs=4000),),
        fails=("navigation_failed",),
        limit_ms=7000,
        rival=False,
        pages={"ring": "<script>location.replace('ring?' + Math.random())</script>"},
    ),
    Behaviour(name="no server there", opens=False, do=(navigate("http://127.0.0.1:9/"),), fails=("navigation_failed",)),
)
