"""The history in one list of actions: links, slow pages, hashes, states and frames, and steps back and forth."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour, only
from bench.doing import click, go_back, go_forward, navigate, press, reload, typed, wait_for

FIRST = "<title>First</title><h1>First</h1><a href=next>Next</a>"
NEXT = {"next": "<title>Next</title><h1>Next</h1><a href=last>Last</a>", "last": "<title>Last</title><h1>Last</h1>"}
TITLE = "document.title"
PLACE = "location.pathname.split('/').pop() + location.hash"


def walk(name: str, *do: Any, html: str = FIRST, pages: dict[str, str] | None = None, **more: Any) -> Behaviour:
    """A row over the pages First, Next and Last, each with a link to the one after it."""
    return row(name, html, *do, pages=NEXT | (pages or {}), **more)


STEPS = (
    walk("a link and back", click("text=Next"), go_back(), then={TITLE: "First"}),
    walk("a link, back and forward", click("text=Next"), go_back(), go_forward(), then={TITLE: "Next"}),
    walk(
        "two links and back twice", click("text=Next"), click("text=Last"), go_back(), go_back(), then={TITLE: "First"}
    ),
    walk("a link and the page again", click("text=Next"), reload(), then={TITLE: "Next"}),
    walk("a URL and a click there", navigate("next"), click("text=Last"), then={TITLE: "Last"}),
    walk("a URL, a click there and back", navigate("next"), click("text=Last"), go_back(), then={TITLE: "Next"}),
    walk("back and a click there", click("text=Next"), go_back(), click("text=Next"), then={TITLE: "Next"}),
    walk("back and another way", navigate("next"), go_back(), navigate("last"), go_back(), then={TITLE: "First"}),
    walk("a key on a link and back", press("Enter", "text=Next"), go_back(), then={TITLE: "First"}),
    only(
        name="back where there is nothing",
        html=FIRST,
        opens=False,
        pages=NEXT,
        do=(navigate("next"), go_back(), go_back()),
        fails=("navigation_failed", "action_failed"),
    ),
    only(
        name="forward where there is nothing",
        html=FIRST,
        do=(go_forward(),),
        fails=("navigation_failed", "action_failed"),
        then={TITLE: "First"},
    ),
)

SLOW = (
    walk(
        "a link to a slow page and back",
        click("text=Slow"),
        go_back(),
        html=f"{FIRST}<a href=slow/600/next>Slow</a>",
        then={TITLE: "First"},
    ),
    walk(
        "a link to a slow page and the page again",
        click("text=Slow"),
        reload(),
        html=f"{FIRST}<a href=slow/600/next>Slow</a>",
        then={TITLE: "Next"},
    ),
    walk(
        "a click whose script leaves a moment later, and back",
        click("#b"),
        go_back(),
        html=f"{FIRST}<button id=b onclick=\"fetch('slow/150/next').then(() => location = 'next')\">Save</button>",
        then={TITLE: "First"},
        rival=False,
    ),
    walk(
        "a link that the server leads on, and back",
        click("text=Moved"),
        go_back(),
        html=f"{FIRST}<a href=to/next>Moved</a>",
        then={TITLE: "First"},
    ),
    walk(
        "a page that leads on by itself, and back",
        click("text=Door"),
        wait_for(text="Last"),
        go_back(),
        html=f"{FIRST}<a href=door>Door</a>",
        pages={"door": "<script>location.replace('last')</script>"},
        then={TITLE: "First"},
    ),
    walk(
        "a frame in the page that does not end, and back",
        click("text=Odd"),
        go_back(),
        html=f"{FIRST}<a href=odd>Odd</a>",
        pages={"odd": "<title>Odd</title><iframe src=hang></iframe>"},
        then={TITLE: "First"},
    ),
    walk(
        "a link that leads nowhere new",
        click("text=Same"),
        click("text=Next"),
        html=f"{FIRST}<a href='#top'>Same</a>",
        then={TITLE: "Next"},
    ),
    walk(
        "a link without content",
        click("text=Ping"),
        click("text=Next"),
        html=f"{FIRST}<a href=status/204>Ping</a>",
        then={TITLE: "Next"},
    ),
    walk(
        "a link that is downloaded, and another",
        click("text=Get"),
        click("text=Next"),
        html=f"{FIRST}<a href=file>Get</a>",
        then={TITLE: "Next"},
    ),
)

ROUTER = """<title>App</title><nav><a href=one>One</a> <a href=two>Two</a></nav><main>home</main><script>
const main = document.querySelector('main'), show = () => { main.textContent = history.state || 'home' };
document.querySelector('nav').onclick = (e) => { e.preventDefault(); history.pushState(e.target.textContent, '',
e.target.getAttribute('href')); show() }; onpopstate = show</script>"""
SHOWN = "document.querySelector('main').textContent"
SAME = (
    walk(
        "a hash and back",
        click("text=Part"),
        go_back(),
        html="<a href='#part'>Part</a><p id=part>",
        then={"location.hash": ""},
    ),
    walk(
        "a hash and the page again",
        click("text=Part"),
        reload(),
        html="<title>First</title><a href='#part'>Part</a>",
        then={"location.hash": "#part", TITLE: "First"},
    ),
    walk(
        "a URL that differs by its hash",
        navigate("#two"),
        navigate("#three"),
        go_back(),
        then={"location.hash": "#two"},
    ),
    walk(
        "states of an application and back",
        click("text=One"),
        click("text=Two"),
        go_back(),
        html=ROUTER,
        then={SHOWN: "One"},
    ),
    walk(
        "states, back twice and forward",
        click("text=One"),
        click("text=Two"),
        go_back(),
        go_back(),
        go_forward(),
        html=ROUTER,
        then={SHOWN: "One"},
    ),
    walk(
        "a state that takes the place of the last one",
        click("text=Next"),
        click("#r"),
        go_back(),
        pages={"next": "<title>Next</title><button id=r onclick=\"history.replaceState(1, '', 'other')\">R</button>"},
        then={TITLE: "First"},
    ),
    walk(
        "an application that takes navigations over",
        click("text=One"),
        click("text=Two"),
        go_back(),
        html="""<a href='one'>One</a> <a href='two'>Two</a><main>home</main><script>const main =
        document.querySelector('main'); navigation.onnavigate = (e) => { const at = new
        URL(e.destination.url).pathname.split('/').pop(); e.intercept({ handler: async () => { await new Promise((d) =>
        setTimeout(d, 120)); main.textContent = at } }) }</script>""",
        then={SHOWN: "one"},
    ),
    walk(
        "an application whose back is a button",
        click("text=One"),
        click("text=Two"),
        click("text=Back"),
        html=ROUTER + "<button onclick='history.back()'>Back</button>",
        then={SHOWN: "One"},
    ),
    walk(
        "what was typed is there after back",
        typed("#f", "Ann"),
        click("text=Next"),
        go_back(),
        html=FIRST + "<input id=f>",
        then={"f.value": "Ann"},
    ),
    walk(
        "a page that its button loads again, and a click",
        click("#r"),
        click("text=Next"),
        html=FIRST + "<button id=r onclick='location.reload()'>Again</button>",
        then={TITLE: "Next"},
    ),
    walk(
        "a link in a frame and back",
        click("frame=iframe >> text=Next"),
        go_back(),
        html="<title>Out</title><iframe src=in></iframe>",
        pages={"in": FIRST},
        then={TITLE: "Out", "frames[0].document.title": "First"},
    ),
    walk(
        "a link to a slow page in a frame and back",
        click("frame=iframe >> text=Slow"),
        go_back(),
        html="<title>Out</title><iframe src=in></iframe>",
        pages={"in": "<title>In</title><a href=slow/500/next>Slow</a>"},
        then={TITLE: "Out", "frames[0].document.title": "In"},
    ),
    walk(
        "a link in a frame of another site and back",
        click("frame=iframe >> text=Next"),
        go_back(),
        click("frame=iframe >> text=Next"),
        html="<title>Out</title><iframe src=@far/in></iframe>",
        pages={"in": FIRST},
        then={TITLE: "Out"},
    ),
    walk(
        "a link out of a frame and back",
        click("frame=iframe >> text=Up"),
        go_back(),
        html="<title>Out</title><iframe src=@far/in></iframe>",
        pages={"in": "<a href=next target=_top>Up</a>"},
        then={TITLE: "Out"},
    ),
    walk(
        "to another site and back",
        click("text=Far"),
        go_back(),
        html=f"{FIRST}<a href=@far/next>Far</a>",
        then={TITLE: "First"},
    ),
    walk(
        "to another site, back and forward",
        click("text=Far"),
        go_back(),
        go_forward(),
        html=f"{FIRST}<a href=@far/next>Far</a>",
        then={TITLE: "Next", "location.hostname": "localhost"},
    ),
)

ROWS = (*STEPS, *SLOW, *SAME)
