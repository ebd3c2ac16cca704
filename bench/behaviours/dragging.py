"""Drags by the mouse, by pointers, by the browser's own drag and drop and by keys, on pages that answer in between."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import DONE, HIT
from bench.doing import click, drag, focus, press

BOARD = """<style>.l{width:180px;min-height:120px;background:#eee;float:left;margin:10px}
.c{background:#fff;margin:6px;padding:8px} </style><div class=l id=todo><div class=c draggable=true id=a>Paint</div><div
class=c draggable=true id=b>Sand</div></div> <div class=l id=done></div>"""
LISTED = "[...done.children].map((c) => c.id).join()"


def board(name: str, script: str, *do: Any, **more: Any) -> Behaviour:
    """A row with cards that the browser drags from one list to another."""
    return row(name, f"{BOARD}<script>{script}</script>", *(do or (drag("#a", "#done"),)), **more)


TAKES = """let held; document.ondragstart = (e) => { held = e.target; e.dataTransfer.setData('text', held.id) };
done.ondragover = (e) => e.preventDefault(); done.ondrop = (e) => { e.preventDefault(); done.append(held) };"""
NATIVE = (
    board("a card into another list", TAKES, then={LISTED: "a"}),
    board("two cards one after the other", TAKES, drag("#a", "#done"), drag("#b", "#done"), then={LISTED: "a,b"}),
    board(
        "a click after a card was dragged",
        TAKES + "b.onclick = () => log.push('hit')",
        drag("#a", "#done"),
        click("#b"),
        then={LISTED: "a", **DONE},
    ),
    board(
        "the events of a drag in their order",
        """const note = (e) => { if (log.at(-1) != e.type) log.push(e.type) }; for (const t of ['dragstart', 'dragend'])
        a.addEventListener(t, note); for (const t of ['dragenter', 'dragover', 'drop']) done.addEventListener(t, (e) =>
        { e.preventDefault(); note(e) })""",
        then={"log.join()": "dragstart,dragenter,dragover,drop,dragend"},
    ),
    board(
        "a list that shows where it may be dropped at the first step",
        """let held; a.ondragstart = (e) => { held = a; e.dataTransfer.setData('text', 'a'); setTimeout(() => {
        done.style.minHeight = '240px'; a.style.opacity = .4 }) }; done.ondragenter = (e) => { e.preventDefault();
        requestAnimationFrame(() => { done.className = 'l over' }) }; done.ondragover = (e) => { if (done.className ==
        'l over') e.preventDefault() }; done.ondrop = () => done.append(held)""",
        then={LISTED: "a"},
    ),
    board(
        "a place that opens up between cards",
        """let held; const gap = document.createElement('div'); gap.style.height = '36px'; document.ondragstart = (e) =>
        { held = e.target; e.dataTransfer.setData('text', '') }; todo.ondragover = (e) => { e.preventDefault(); const
        over = e.target.closest('.c'); if (over && over != held) over.before(gap) }; todo.ondrop = (e) => {
        e.preventDefault(); gap.replaceWith(held) }""",
        drag("#b", "#a"),
        then={"[...todo.children].map((c) => c.id).join()": "b,a"},
    ),
    board(
        "a list that takes nothing",
        "a.ondragstart = (e) => e.dataTransfer.setData('text', 'a')",
        fails=("drop_missed",),
        then={LISTED: ""},
        rival=False,
    ),
    board(
        "a list that takes cards of another kind",
        """a.ondragstart = (e) => e.dataTransfer.setData('x/blue', 'a'); done.ondragover = (e) => { if
        (e.dataTransfer.types .includes('x/red')) e.preventDefault() }; done.ondrop = () => done.append(a)""",
        fails=("drop_missed",),
        then={LISTED: ""},
        rival=False,
    ),
    board(
        "a list that copies what is moved",
        """a.ondragstart = (e) => { e.dataTransfer.effectAllowed = 'move'; e.dataTransfer.setData('text', 'a') };
        done.ondragover = (e) => { e.preventDefault(); e.dataTransfer.dropEffect = 'copy' }; done.ondrop = () =>
        done.append(a)""",
        fails=("drop_missed",),
        then={LISTED: ""},
        rival=False,
    ),
    board(
        "the drop effect at the end of a drag",
        TAKES
        + "a.ondragend = (e) => log.push(e.dataTransfer.dropEffect); done.ondragover = (e) => { e.preventDefault();"
        "e.dataTransfer.dropEffect = 'move' }",
        then={"log.join()": "move"},
    ),
    row(
        "a link onto a basket",
        """<a id=a href='item?7'>Item</a><div id=z style='width:200px;height:100px;background:#eee'></div><script>
        z.ondragover = (e) => e.preventDefault(); z.ondrop = (e) => { e.preventDefault();
        log.push(e.dataTransfer.getData('text/uri-list').split('/').pop()) }</script>""",
        drag("#a", "#z"),
        then={"log.join()": "item?7"},
    ),
    row(
        "a card onto a list far down",
        f"""<div id=a draggable=true>Card</div><p style='height:2500px'></p><div id=done
        style='height:80px;background:#eee'></div> <script>{TAKES}</script>""",
        drag("#a", "#done"),
        then={LISTED: "a"},
    ),
    row(
        "a card out of a shadow root into another",
        """<div id=one></div><div id=two></div><script>const root = (h, html) => { h.attachShadow({mode:
        'open'}).innerHTML = html; return h.shadowRoot.firstChild }; const a = root(one,
        '<p id=a draggable=true>Card</p>'), z = root(two, `<div id=z style='height:90px;background:#eee'></div>`);
        a.ondragstart = (e) => e.dataTransfer.setData('text', 'card'); z.ondragover = (e) => e.preventDefault();
        z.ondrop = (e) => { e.preventDefault(); log.push(e.dataTransfer.getData('text')) } </script>""",
        drag("#one >> #a", "#two >> #z"),
        then={"log.join()": "card"},
    ),
)

FRAME_STYLE = "style='width:300px;height:160px'"
SOURCE = """<div id=a draggable=true style='width:80px;padding:20px;background:#ccf'>Card</div><script>
a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'card')</script>"""
BASKET = """<div id=z style='height:100px;background:#eee'>Drop</div><script>z.ondragover = (e) => e.preventDefault();
z.ondrop = (e) => { e.preventDefault(); top.postMessage(e.dataTransfer.getData('text/plain'), '*') }; z.onclick = () =>
top.postMessage('click', '*') </script>"""
NOTES = "<script>onmessage = (e) => log.push(e.data)</script>"
FRAMED = tuple(
    row(
        f"a card {name}, {words}",
        NOTES + html.replace("{}", f"<iframe src={site}inner {FRAME_STYLE}></iframe>"),
        drag(*ends),
        *(click(each) for each in after),
        pages={"inner": inner},
        then={"log.join()": said},
        rival=site == "",
    )
    for words, site in (("of the same site", ""), ("of another site", "@far/"))
    for name, html, ends, after, inner, said in (
        ("into a frame", SOURCE + "{}", ("#a", "frame=iframe >> #z"), (), BASKET, "card"),
        ("out of a frame", BASKET + "{}", ("frame=iframe >> #a", "#z"), (), SOURCE, "card"),
        ("within a frame", "{}", ("frame=iframe >> #a", "frame=iframe >> #z"), (), SOURCE + BASKET, "card"),
        (
            "into a frame that is clicked then",
            SOURCE + "{}",
            ("#a", "frame=iframe >> #z"),
            ("frame=iframe >> #z",),
            BASKET,
            "card,click",
        ),
        (
            "out of a frame, and its page is clicked then",
            BASKET + "{}",
            ("frame=iframe >> #a", "#z"),
            ("#z",),
            SOURCE,
            "card,click",
        ),
    )
)

SORTED = """<style>li{height:40px;width:160px;background:#eee;margin:4px}</style>
<ul id=l><li id=a>A<li id=b>B<li id=c>C<li id=d>D</ul>"""
ORDER = "[...l.children].map((c) => c.id).join('')"
MOVED = """let held, x, y, on; const take = (e) => { held = e.target.closest('li'); x = e.clientX; y = e.clientY };"""
BY_MOUSE = (
    row(
        "a list whose rows change places as one passes",
        f"""{SORTED}<script>{MOVED} l.onmousedown = (e) => {{ take(e); e.preventDefault() }}; onmousemove = (e) => {{ if
        (!held) return; held.style.pointerEvents = 'none'; const over = document.elementFromPoint(e.clientX,
        e.clientY)?.closest('li'); if (over && over != held) (over.compareDocumentPosition(held) & 4 ? over.before(held)
        : over.after(held)) }}; onmouseup = () => {{ if (held) held.style.pointerEvents = ''; held = null
        }}</script>""",
        drag("#a", "#c"),
        then={ORDER: "bcad"},
    ),
    row(
        "a list that looks for its place in frames of its own",
        f"""{SORTED}<script>{MOVED} let at, place; const look = () => {{ if (!held) return; if (on) place =
        [...l.children].find((r) => r != held && at > r.getBoundingClientRect().top && at <
        r.getBoundingClientRect().bottom); requestAnimationFrame(look) }}; l.onpointerdown = (e) => {{ take(e); on =
        false; requestAnimationFrame(look) }}; onpointermove = (e) => {{ if (held && Math.hypot(e.clientX - x, e.clientY
        - y) > 8) on = true; at = e.clientY }}; onpointerup = () => {{ if (on && place) place.after(held); held = null
        }}</script>""",
        drag("#a", "#c"),
        then={ORDER: "bcad"},
        rival=False,
    ),
    row(
        "a list that waits for a timer before it begins",
        f"""{SORTED}<script>{MOVED} let over; l.onmousedown = (e) => {{ take(e); on = false; const mine = held;
        setTimeout(() => {{ on = held == mine }}, 30) }}; onmousemove = (e) => {{ if (held && on) over =
        document.elementFromPoint(e.clientX, e.clientY) ?.closest('li') }}; onmouseup = () => {{ if (on && over)
        over.before(held); held = null }}</script>""",
        drag("#d", "#b"),
        then={ORDER: "adbc"},
        rival=False,
    ),
    row(
        "two panels and the bar between them",
        """<div style='display:flex;height:120px'><div id=p style='width:200px;background:#eee'></div><div id=s
        style='width:8px; background:#888'></div><div>B</div></div><script>s.onpointerdown = (e) => {
        s.setPointerCapture(e.pointerId); const w = p.offsetWidth - e.clientX; s.onpointermove = (m) => { p.style.width
        = w + m.clientX + 'px' }; s.onpointerup = () => { s.onpointermove = null } }</script>""",
        drag("#s", offset={"x": 90, "y": 0}),
        then={"p.offsetWidth": 290},
    ),
    row(
        "a corner that sizes a box",
        "<textarea id=t style='width:200px;height:100px;box-sizing:border-box'></textarea>",
        drag("#t", offset={"x": 60, "y": 40}, sourcePosition={"x": 193, "y": 93}),
        then={"t.offsetWidth > 240 && t.offsetHeight > 125": True},
    ),
    row(
        "a stroke on a canvas",
        """<canvas id=k width=400 height=200 style='background:#eee'></canvas><script>let on; k.onpointerdown = (e) => {
        on = true; log.push(e.pressure) }; k.onpointermove = (e) => { if (on) log.push(e.pressure) };
        k.onpointerup = () => { on = false } </script>""",
        drag("#k", offset={"x": 150, "y": 60}, sourcePosition={"x": 50, "y": 50}),
        then={"log.length > 3": True, "log.every((p) => p == .5)": True},
    ),
    row(
        "a map that follows the mouse",
        """<div style='width:300px;height:200px;overflow:hidden'><div id=m
        style='width:900px;height:900px;background:#cfc'></div></div> <script>let x = 0, down; m.onmousedown = (e) => {
        down = e.clientX - x; e.preventDefault() }; onmousemove = (e) => { if (down != null && e.buttons == 1) { x =
        e.clientX - down; m.style.transform = `translateX(${x}px)` } }; onmouseup = () => { down = null }</script>""",
        drag("#m", offset={"x": -80, "y": 0}),
        then={"x": -80},
    ),
    row(
        "words that the mouse selects",
        "<p id=t style='font:20px monospace;width:600px'>one two three four five six</p>",
        drag("#t", offset={"x": 200, "y": 0}, sourcePosition={"x": 2, "y": 12}),
        then={"getSelection().toString().startsWith('one two three')": True},
    ),
    row(
        "a slider with two thumbs",
        """<style>#r{position:relative;width:300px;height:20px;background:#eee;margin:30px} #r
        b{position:absolute;width:20px;height:20px; background:#00f}</style><div id=r><b id=lo style='left:0'></b><b
        id=hi style='left:280px'></b></div><script>for (const t of [lo, hi]) t.onpointerdown = (e) => {
        t.setPointerCapture(e.pointerId); const d = t.offsetLeft - e.clientX; t.onpointermove = (m) => { t.style.left =
        Math.round(Math.max(0, Math.min(280, d + m.clientX)) / 28) * 28 + 'px' }; t.onpointerup = () => {
        t.onpointermove = null } }</script>""",
        drag("#lo", offset={"x": 84, "y": 0}),
        drag("#hi", offset={"x": -56, "y": 0}),
        then={"lo.offsetLeft": 84, "hi.offsetLeft": 224},
    ),
    row(
        "slides that are swiped with the mouse",
        """<div id=v style='width:300px;overflow:hidden'><div id=s
        style='display:flex;width:900px;transition:transform .2s'>"""
        + "".join(f"<p style='width:300px;height:90px;margin:0'>Slide {n}</p>" for n in (1, 2, 3))
        + """</div></div><script>let x, at = 0; v.onpointerdown = (e) => { x = e.clientX }; v.onpointerup = (e) => { if
        (e.clientX - x < -50) s.style.transform = `translateX(${-300 * ++at}px)` }</script>""",
        drag("#v", offset={"x": -120, "y": 0}),
        then={"at": 1},
    ),
    row(
        "a click that follows a drag and is swallowed",
        f"""<div id=k style='width:60px;height:60px;background:#ccc' {HIT}></div><script>let x, far;
        k.onmousedown = (e) => {{ x = e.clientX; far = false }}; onmousemove = (e) => {{ if (x != null) {{
        far = far || Math.abs(e.clientX - x) > 3; k.style.marginLeft = e.clientX - x + 'px' }} }};
        onmouseup = () => {{ x = null }}; addEventListener('click', (e) => {{ if (far)
        e.stopPropagation() }}, true)</script>""",
        drag("#k", offset={"x": 100, "y": 0}),
        click("#k"),
        then=DONE,
    ),
    row(
        "a window by its title",
        """<div id=w style='position:fixed;left:50px;top:50px;width:200px;height:120px;background:#eee'><div id=h
        style='height:30px; background:#888'>Title</div></div><script>h.onmousedown = (e) => { const dx = w.offsetLeft -
        e.clientX, dy = w.offsetTop - e.clientY; document.onmousemove = (m) => { w.style.left = dx + m.clientX + 'px';
        w.style.top = dy + m.clientY + 'px' }; document.onmouseup = () => { document.onmousemove = null } }</script>""",
        drag("#h", offset={"x": 130, "y": 75}),
        then={"w.offsetLeft": 180, "w.offsetTop": 125},
    ),
    row(
        "a picture that its page drags itself",
        """<img id=i draggable=true width=60 height=60 style='position:absolute;left:30px;top:30px;background:#ccc'
        src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"><script>i.ondragstart = () => false; let d;
        i.onmousedown = (e) => { d = i.offsetLeft - e.clientX }; onmousemove = (e) => { if (d != null) i.style.left = d
        + e.clientX + 'px' }; onmouseup = () => { d = null } </script>""",
        drag("#i", offset={"x": 100, "y": 0}),
        then={"i.offsetLeft": 130},
    ),
    row(
        "a node that is bound to another by a line",
        """<svg width=400 height=200><circle id=o cx=60 cy=60 r=12 /><rect id=i x=280 y=90 width=40 height=40 /><line
        id=n stroke=red style='pointer-events:none' /></svg><script>let on; o.onpointerdown = () => { on = true };
        onpointermove = (e) => { if (on) { n.setAttribute('x2', e.clientX); n.setAttribute('y2', e.clientY) } };
        i.onpointerup = () => { if (on) log.push('hit') }; onpointerup = () => { on = false }</script>""",
        drag("#o", "#i"),
        then=DONE,
    ),
    row(
        "a source behind a veil",
        """<p id=a style='width:60px'>Card</p><div id=z style='position:absolute;top:200px;width:200px;height:99px'>
        </div><div style='position:fixed;left:0;right:0;top:0;height:100px' onmousedown="log.push('veil')"></div>""",
        drag("#a", "#z"),
        fails=("element_covered",),
        then={"log.length": 0},
    ),
)

LIFTED = """let lifted = null; const say = (t) => { log.push(t) }; l.querySelectorAll('li').forEach((r) => { r.tabIndex
    = 0 });"""
BY_KEYS = (
    row(
        "a row that keys lift, move and put down",
        f"""{SORTED}<script>{LIFTED} l.onkeydown = (e) => {{ if (e.key == ' ') {{ lifted = lifted ? null : e.target;
        e.preventDefault() }} if (e.key == 'ArrowDown' && lifted) {{ lifted.nextElementSibling?.after(lifted);
        lifted.focus(); e.preventDefault() }} }} </script>""",
        focus("#a"),
        press("Space"),
        press("ArrowDown", times=2),
        press("Space"),
        then={ORDER: "bcad"},
    ),
    row(
        "a row whose keys are heard a task after it was lifted",
        f"""{SORTED}<script>{LIFTED} const move = (e) => {{ if (e.key == 'ArrowDown') requestAnimationFrame(() => {{
        lifted.nextElementSibling?.after(lifted) }}); if (e.key == ' ') {{ removeEventListener('keydown', move); lifted
        = null }} e.preventDefault() }}; l.onkeydown = (e) => {{ if (e.key != ' ' || lifted) return; lifted = e.target;
        e.preventDefault(); setTimeout(() => addEventListener('keydown', move)) }}</script>""",
        focus("#a"),
        press("Space"),
        press("ArrowDown"),
        press("ArrowDown"),
        press("Space"),
        then={ORDER: "bcad"},
        rival=False,
    ),
    row(
        "a row that a button moves",
        "<ul id=l><li id=a>A <button "
        "onclick='this.parentNode.nextElementSibling.after(this.parentNode)'>Down</button><li id=b>B</ul>",
        click("text=Down"),
        then={ORDER: "ba"},
    ),
    only(
        name="a row that escape puts back",
        html=f"""{SORTED}<script>{LIFTED} let old; l.onkeydown = (e) => {{ if (e.key == ' ') {{ lifted = e.target; old =
        [...l.children] }} if (e.key == 'ArrowUp') {{ lifted.previousElementSibling?.before(lifted); lifted.focus() }}
        if (e.key == 'Escape') l.append(...old); e.preventDefault() }}</script>""",
        do=(focus("#c"), press("Space"), press("ArrowUp"), press("Escape")),
        then={ORDER: "abcd"},
    ),
)

ROWS = (*NATIVE, *FRAMED, *BY_MOUSE, *BY_KEYS)
