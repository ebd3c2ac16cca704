"""What a page opens besides itself: tabs and windows, late, several, named, closed again or refused, and downloads."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour
from bench.doing import click, fill, in_new_page, press, typed

CHILD = {
    "child": """<title>Child</title><button id=b onclick="document.title = 'done'">Go</button><input id=f>
    <script>opener?.log?.push('born')</script>"""
}
DONE = {"document.title": "done"}


def popup(name: str, html: str, *do: Any, **more: Any) -> Behaviour:
    """A row whose page can open `child`."""
    return row(name, html, *(do or (click("#o"),)), pages=CHILD | more.pop("pages", {}), **more)


def button(script: str) -> str:
    """A button with a script."""
    return f'<button id=o onclick="{script}">Open</button>'


ACTED = in_new_page(click("#b"), DONE)
OPENED = (
    popup(
        "a window after a timer",
        button("setTimeout(() => window.open('child'), 700)"),
        click("#o"),
        ACTED,
        then={"log.join()": "born"},
    ),
    popup(
        "a window after an answer",
        button("fetch('slow/600/child').then(() => window.open('child', '', 'width=300,height=300'))"),
        click("#o"),
        ACTED,
        told={},
        then={"log.join()": "born"},
    ),
    popup(
        "a window that is filled once its address is known",
        button("const w = window.open(); fetch('slow/300/child').then(() => { w.location = 'child' })"),
        click("#o"),
        ACTED,
        then={"log.join()": "born"},
    ),
    popup(
        "two windows at once",
        button("window.open('child'); window.open('child?2')"),
        told={"newTargets": 2},
        then={"log.join()": "born,born"},
    ),
    popup(
        "three tabs by one press",
        button("for (const n of [1, 2, 3]) window.open('child?' + n)"),
        told={"newTargets": 3},
        then={"log.length": 3},
    ),
    popup(
        "a window without anybody's press",
        "<p>Hi</p><script>setTimeout(() => { log.push(Boolean(open('child'))) }, 200)</script>",
        click("text=Hi"),
        then={"log.includes(true)": True, "log.includes('born')": True},
    ),
    popup(
        "a window with a name, used twice",
        button("const w = window.open('child?' + log.length, 'help'); log.push(w.name)"),
        click("#o"),
        click("#o"),
        told={"newTargets": 1},
        then={"log.filter((l) => l == 'help').length": 2},
    ),
    popup(
        "a link to a tab with a name",
        "<a id=o href=child target=help>Help</a>",
        click("#o"),
        in_new_page(typed("#f", "Ann"), {"f.value": "Ann"}),
    ),
    popup(
        "a link to a tab that does not know its opener",
        "<a id=o href=child target=_blank rel=noopener>Help</a>",
        click("#o"),
        ACTED,
        then={"log.length": 0},
    ),
    popup(
        "a form into a new tab",
        "<form action=child target=_blank><input name=q value=1><button id=o>Print</button></form>",
        click("#o"),
        ACTED,
    ),
    popup("a key that opens a tab", "<a id=o href=child target=_blank>Help</a>", press("Enter", "#o"), ACTED),
    popup(
        "a window that is written into",
        button(
            "const w = window.open('', '', 'width=200'); w.document.write(`<title>Report</title><button id=b "
            "onclick=document.title='done'>Go</button>`)"
        ),
        click("#o"),
        ACTED,
    ),
    popup(
        "a window of a blob",
        button(
            "window.open(window.URL.createObjectURL(new "
            "Blob(['<title>B</title><button id=b onclick=document.title=`done`>Go</button>'], {type: 'text/html'})))"
        ),
        click("#o"),
        ACTED,
    ),
    popup("a window of another site", button("window.open('@far/child')"), click("#o"), ACTED),
    popup(
        "a window out of a frame",
        "<iframe src=in></iframe>",
        click("frame=iframe >> #o"),
        ACTED,
        pages={"in": button("window.open('child')")},
    ),
    popup(
        "a window out of a frame of another site",
        "<iframe src=@far/in></iframe>",
        click("frame=iframe >> #o"),
        ACTED,
        pages={"in": button("window.open('child')")},
    ),
    popup(
        "a link out of a frame into a tab",
        "<iframe src=in></iframe>",
        click("frame=iframe >> #o"),
        ACTED,
        pages={"in": "<base target=_blank><a id=o href=child>Help</a>"},
    ),
    popup(
        "a tab that stays blank",
        button("w = window.open('about:blank')"),
        told={"newTargets": 1, "newTargets.0.url": "about:blank"},
        then={"w.closed": False},
    ),
    popup(
        "a window in one's own place",
        button("window.open('child', '_self')"),
        told={"newTargets": 0},
        then={"document.title": "Child"},
    ),
)

GONE = (
    popup(
        "a window that closes itself",
        button("window.open('shut')"),
        pages={"shut": "<script>opener.log.push('shut'); close()</script>"},
        told={"newTargets": 1, "newTargets.0.closed": True},
        then={"log.join()": "shut"},
    ),
    popup(
        "a window that its opener closes",
        button("const w = window.open('child'); setTimeout(() => { w.close(); log.push(w.closed) }, 400)"),
        told={"newTargets.0.closed": True},
        then={"log.includes(true)": True},
    ),
    popup(
        "a login that hands its token back",
        "<button id=o>Sign in</button><p id=p></p><script>o.onclick = () => open('login', '', 'width=300,height=300');"
        "onmessage = (e) => { p.textContent = 'Hello ' + e.data }</script>",
        pages={"login": "<script>setTimeout(() => { opener.postMessage('Ann', '*'); close() }, 400)</script>"},
        then={"p.textContent": "Hello Ann"},
    ),
    popup(
        "a login on another site that hands its token back",
        "<button id=o>Sign in</button><p id=p></p><script>o.onclick = () => open('@far/login');"
        "onmessage = (e) => { p.textContent = 'Hello ' + e.data }</script>",
        pages={"login": "<script>opener.postMessage('Ann', '*'); close()</script>"},
        then={"p.textContent": "Hello Ann"},
    ),
    popup(
        "a window that opens another and goes",
        button("window.open('hop')"),
        pages={"hop": "<script>open('child'); close()</script>"},
        told={"newTargets": 2},
        rival=False,
    ),
    popup(
        "a window that leads its opener on",
        button("window.open('lead')"),
        pages={"lead": "<script>opener.location = 'child'</script>"},
        then={"document.title": "Child"},
    ),
    popup(
        "a press in a window that shows in its opener",
        button("window.open('talk')") + "<p id=p></p>",
        click("#o"),
        in_new_page(click("#t"), {"1": 1}),
        pages={"talk": "<button id=t onclick=\"opener.p.textContent = 'hit'\">Say</button>"},
        then={"p.textContent": "hit"},
    ),
    popup(
        "a field in a window that shows in its opener",
        button("window.open('pick')") + "<input id=c>",
        click("#o"),
        in_new_page(fill("#v", "red"), {"v.value": "red"}),
        pages={"pick": "<input id=v oninput='opener.c.value = this.value'>"},
        then={"c.value": "red"},
    ),
)

REFUSED = (
    popup(
        "a frame that may open nothing",
        "<iframe id=i sandbox='allow-scripts allow-same-origin' src=in></iframe>",
        click("frame=iframe >> #o"),
        pages={"in": button("parent.log.push(window.open('child') === null)")},
        told={"newTargets": 0},
        then={"log.join()": "true"},
    ),
    popup(
        "a frame that may open windows",
        "<iframe id=i sandbox='allow-scripts allow-popups' src=in></iframe>",
        click("frame=iframe >> #o"),
        in_new_page(click("#b"), {"1": 1}),
        pages={"in": button("window.open('plain')"), "plain": "<button id=b>Go</button>"},
    ),
    popup(
        "a link that its page stops",
        "<a id=o href=child target=_blank onclick=\"log.push('stop'); return false\">Help</a>",
        told={"newTargets": 0},
        then={"log.join()": "stop"},
    ),
    popup(
        "a window that replaces open",
        button("window.open('child')") + "<script>window.open = (u) => { log.push(u); return null }</script>",
        told={"newTargets": 0},
        then={"log.join()": "child"},
    ),
    popup(
        "a question before a window",
        button("if (confirm('Open?')) window.open('child'); else log.push('no')"),
        told={"newTargets": 0, "dialogs": 1},
        then={"log.join()": "no"},
    ),
)

SAVED = (
    popup(
        "a file by a link",
        "<a id=o href=file>Get</a>",
        told={"downloads": 1, "newTargets": 0},
        then={"document.title": ""},
    ),
    popup(
        "a file with a name",
        "<a id=o href=child download=report.html>Get</a>",
        told={"downloads": 1, "downloads.0.suggestedFilename": "report.html"},
        then={"document.title": ""},
    ),
    popup(
        "a file that a script makes",
        button(
            "const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob(['x']));"
            "a.download = 'x.txt'; a.click(); log.push('made')"
        ),
        told={"downloads": 1, "downloads.0.suggestedFilename": "x.txt"},
        then={"log.join()": "made"},
    ),
    popup(
        "a file that a script makes later",
        button(
            "fetch('slow/400/child').then((r) => r.blob()).then((b) => { const a = document.createElement('a');"
            "a.href = window.URL.createObjectURL(b); a.download = 'x.html'; document.body.append(a); a.click(); "
            "a.remove(); "
            "log.push('made') })"
        ),
        told={"downloads": 1},
        then={"log.join()": "made"},
    ),
    popup(
        "two files by one press",
        button(
            "for (const n of [1, 2]) { const a = document.createElement('a'); a.href = 'data:text/plain,' + n;"
            "a.download = n + '.txt'; a.click() }; log.push('made')"
        ),
        told={"downloads": 2},
        then={"log.join()": "made"},
    ),
    popup("a file into a new tab", "<a id=o href=file target=_blank>Get</a>", told={"downloads": 1}, rival=False),
    popup(
        "a file by a form",
        "<form action=file><button id=o>Export</button></form>",
        told={"downloads": 1},
        then={"document.title": ""},
    ),
    popup(
        "a file out of a frame of another site",
        "<iframe src=@far/in></iframe>",
        click("frame=iframe >> #o"),
        pages={"in": "<a id=o href=file>Get</a>"},
        told={"downloads": 1},
        then={"document.title": ""},
    ),
    popup(
        "a file by a frame that nobody sees",
        button("i.src = 'file'") + "<iframe id=i hidden></iframe>",
        told={"downloads": 1},
        then={"i.src.endsWith('file')": True},
    ),
)

ROWS = (*OPENED, *GONE, *REFUSED, *SAVED)
