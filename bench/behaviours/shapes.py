"""Places of a press: what wraps, is turned or clipped, moves, lies far down or is replaced meanwhile."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour
from bench.behaviours.names import DONE, HIT
from bench.doing import click

GAP = "<p style='height:2200px'></p>"
WRAPPED = "<div style='width:120px;font:16px monospace'>"


SHAPES = (
    row(
        "a link that wraps round a picture",
        f"""{WRAPPED}<img alt='' style='float:right;width:60px;height:90px;background:#ccc'>aa <a href='#a' {HIT}>bbbb
        cccccc dddd eeeeee ffff</a></div>""",
        click("role=link"),
        then=DONE,
    ),
    row(
        "a link from the end of a line to the start of the next",
        f"{WRAPPED}aaaaaaaaa <a href='#a' {HIT}>b c</a> dddddddd</div>",
        click("role=link"),
        then=DONE,
    ),
    row(
        "a control that has no box of its own",
        f"{GAP}<div role=button tabindex=0 id=t style='display:contents' {HIT}><p>Go on</p></div>{GAP}",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "bare text without a box of its own",
        f"<p>Read <span id=t style='display:contents' {HIT}>the manual</span> first.</p>",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "a button clipped to a corner",
        f"<button id=t style='width:200px;height:200px;clip-path:polygon(0 0,40% 0,0 40%)' {HIT}>Go</button>",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "a ring",
        f"""<svg width=120 height=120><circle id=t cx=60 cy=60 r=50 fill=none stroke=red stroke-width=16 {HIT}
        /></svg>""",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "a part of a picture with a map",
        f"""<img usemap='#m' width=200 height=100 style='background:#ccc' src='data:image/svg+xml,<svg
        xmlns="http://www.w3.org/2000/svg" width="200" height="100"/>'><map name=m><area id=t shape=rect href='#a'
        coords='120,10,190,90' {HIT}><area shape=rect href='#b' coords='0,0,100,100'
        onclick="log.push('other')"></map>""",
        click("#t"),
        then=DONE,
        rival=False,
    ),
    row(
        "an option of a list that shows several",
        "<select id=s size=4><option>Oslo<option>Bari<option id=t>Rome<option>Bern</select>",
        click("#t"),
        then={"s.value": "Rome"},
    ),
    row(
        "a button on the back of a card that is turned over",
        f"""<style>#c{{position:relative;width:200px;height:90px;transform-style:preserve-3d;transform:rotateY(180deg)}}
        #c>*{{position:absolute;inset:0;backface-visibility:hidden}}</style><div style='perspective:600px'><div id=c>
        <div onclick="log.push('front')">Front</div><div style='transform:rotateY(180deg)'><button
        {HIT}>Go</button></div> </div></div>""",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a button in a zoomed part",
        f"<div style='zoom:2.5;padding:30px'><button {HIT}>Go</button></div>",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "vertical writing from the right",
        f"""<div dir=rtl style='writing-mode:vertical-rl;width:400px;height:200px;overflow:auto'>
        <p style='width:900px'>text</p><button {HIT}>Go</button></div>""",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a button that pulses without an end",
        f"""<style>@keyframes p{{50%{{transform:scale(1.08)}}}} button{{animation:p 1s
        infinite;width:200px;height:60px}} </style><button {HIT}>Buy now</button>""",
        click("text=Buy now"),
        then=DONE,
        rival=False,
    ),
    row(
        "a button that sways without an end",
        f"""<style>@keyframes s{{50%{{transform:translateY(-6px)}}}} button{{animation:s .8s infinite;padding:20px}}
        </style><button {HIT}>Scroll</button>""",
        click("role=button"),
        then=DONE,
        rival=False,
    ),
)


def scrolled(name: str, html: str, **more: Any) -> Behaviour:
    """A row in which `#t` has to be brought into view."""
    return row(name, html, click("#t"), then=DONE, **more)


SCROLLED = (
    scrolled(
        "a scroller in a scroller",
        f"""<div style='height:300px;overflow:auto'>{GAP}<div style='height:200px;overflow:auto'>{GAP}
        <button id=t {HIT}>Go</button>{GAP}</div>{GAP}</div>""",
    ),
    scrolled(
        "a strip of slides that snap",
        f"""<div style='display:flex;width:300px;overflow:auto;scroll-snap-type:x mandatory;scroll-behavior:smooth'>
        {"<p style='flex:0 0 300px;scroll-snap-align:start'>Slide</p>" * 6}<div style='flex:0 0 300px;
        scroll-snap-align:start'><button id=t {HIT}>Go</button></div></div>""",
    ),
    scrolled(
        "a part that is drawn once it is near",
        "".join(
            f"<section style='content-visibility:auto;contain-intrinsic-size:9px'><p style='height:400px'>{n}</p>"
            f"</section>"
            for n in range(12)
        )
        + f"<section style='content-visibility:auto'><button id=t {HIT}>Go</button></section>",
    ),
    scrolled(
        "a page that takes every jump slowly",
        f"<style>html{{scroll-behavior:smooth}}</style>{GAP}<button id=t {HIT}>Go</button>{GAP}",
    ),
    scrolled(
        "the last row below a list that is filled as one scrolls",
        f"""<div id=l></div>{GAP}<button id=t {HIT}>Go</button>{GAP}<script>onscroll = () => {{
        if (l.children.length < 3) l.insertAdjacentHTML('beforeend', '<p style="height:150px">More</p>') }}</script>""",
    ),
    scrolled(
        "a panel that is fixed and scrolls",
        f"<aside style='position:fixed;right:0;top:0;bottom:0;overflow:auto;width:200px'>{GAP}<button id=t {HIT}>Go"
        "</button></aside><p>Text",
    ),
    scrolled(
        "a cell under a first column that sticks",
        f"""<style>table{{border-spacing:0}} td{{min-width:200px}}
        td:first-child{{position:sticky;left:0;background:#ddd; min-width:250px}}</style><div id=s
        style='width:500px;overflow:auto'><table><tr><td>Name<td><button id=t {HIT}>Go
        </button><td>b<td>c<td>d</table></div><script>s.scrollLeft = 220</script>""",
    ),
)

VIRTUAL = """<div id=v style='height:200px;overflow:auto;position:relative'><div id=i style='height:4000px'></div></div>
<script>rows = Array.from({length: 8}, () => { const r = document.createElement('button');
r.style.cssText = 'position:absolute;height:40px;width:200px;left:0'; r.onclick = () => log.push(r.textContent);
i.append(r); return r }); (v.onscroll = () => { const first = Math.floor(v.scrollTop / 40);
rows.forEach((r, n) => { r.textContent = 'Row ' + (first + n); r.style.top = (first + n) * 40 + 'px' }) })()</script>"""

CHANGING = (
    row("a row of a list that uses its elements again", VIRTUAL, click('text="Row 7"'), then={"log.join()": "Row 7"}),
    row(
        "a button that is rendered again all the time",
        """<div id=h></div><script>setInterval(() => { h.innerHTML = '<button>Go</button>';
        h.firstChild.onclick = () => log.push('hit') }, 60)</script>""",
        click("text=Go"),
        then={"log[0]": "hit"},
    ),
    row(
        "a button that is rendered again under the mouse",
        """<div id=h></div><script>draw = (hot) => { h.innerHTML = `<button class="${hot}">Go</button>`; const b =
        h.firstChild; b.onclick = () => log.push('hit'); if (!hot) b.onmouseenter = () => draw('hot') };
        draw('')</script>""",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a row that is rendered again, and chosen, at the press",
        """<ul id=l></ul><script>at = ''; draw = () => { l.innerHTML = ['Ann', 'Bob', 'Cid'].map((n) => `<li
        aria-current=${n == at}>${n}</li>`).join('') }; l.onmousedown = (e) => { at = e.target.textContent; draw() };
        draw()</script>""",
        click("text=Bob"),
        then={"at": "Bob", "document.querySelector('[aria-current=true]').textContent": "Bob"},
    ),
    row(
        "a button that comes with its code later",
        """<button id=t disabled>Go</button><script>setTimeout(() => { const b = t.cloneNode(true); b.disabled = false;
        b.onclick = () => log.push('hit'); t.replaceWith(b) }, 500)</script>""",
        click("#t"),
        then=DONE,
    ),
    row(
        "a list that moves up as a row above goes",
        """<style>li{height:40px}</style><ul>"""
        + "".join(f"<li onclick='log.push({n})'>Item {n}</li>" for n in range(9))
        + """</ul><script>setTimeout(() => document.querySelector('li').remove(), 60)</script>""",
        click("text=Item 5"),
        then={"log.join()": "5"},
    ),
    row(
        "a picture above that is loaded late",
        f"<img id=i><button id=t {HIT}>Go</button><button onclick=\"log.push('other')\">No</button><script>"
        "setTimeout(() => { i.style.cssText = 'display:block;height:180px' }, 90)</script>",
        click("#t"),
        then=DONE,
    ),
)


ROWS = (*SHAPES, *SCROLLED, *CHANGING)
