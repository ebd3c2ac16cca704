"""Presses that arrive elsewhere: what moves, collapses or is covered between the look and the click."""

from __future__ import annotations

from bench.behaviours.case import Behaviour, only
from bench.doing import click, double_click, drag

ROWS_BENEATH = "".join(f"<div class=row onclick=\"log.push('row')\">Row {n}</div>" for n in range(8))
STYLE = (
    "<style>.row{height:40px;background:#eef} "
    "#pop{position:absolute;left:40px;top:80px;background:#fff;border:1px solid;transform-origin:top}"
    "#pop div{height:40px;width:160px}</style>"
)


def popup(delay: int) -> Behaviour:
    """A popup is there in full size and begins its opening animation, from nothing, some milliseconds later."""
    return Behaviour(
        name=f"a popup that opens from nothing after {delay} ms",
        html=f"{STYLE}<button id=open>Menu</button>{ROWS_BENEATH}<script>open_ = document.getElementById('open');"
        "open_.onclick = () => { const p = document.createElement('div'); p.id = 'pop';"
        "p.innerHTML = '<div>Copy</div><div>Rename</div><div>Delete</div>'; p.onclick = (e) => "
        "log.push(e.target.textContent);"
        "document.body.append(p); setTimeout(() => p.animate([{transform: 'scale(0)'}, {transform: 'scale(1)'}],"
        f"{{duration: 200, easing: 'ease-in'}}), {delay}) }}</script>",
        do=(click("#open"), click("text=Rename")),
        then={"log.join()": "Rename"},
    )


RACES = tuple(popup(delay) for delay in range(0, 22, 2))

STRAYED = ("press_missed", "element_unstable", "element_covered", "element_unsuitable", "element_detached")
"""The codes that fit a press that went elsewhere or ended elsewhere."""

MOVED = (
    Behaviour(
        name="a button that flees from the press",
        html="<button id=b style='position:absolute;left:20px;top:20px' onclick=\"log.push('hit')\">Go</button>"
        "<script>b.onmousedown = () => { b.style.left = '400px' }</script>",
        do=(click("#b"),),
        fails=STRAYED,
        told={"completed": 0},
        then={"log.length": 0},
    ),
    Behaviour(
        name="a cover that comes with the press",
        html="<button id=b onclick=\"log.push('hit')\">Go</button><script>b.onmousedown = () => "
        "document.body.insertAdjacentHTML('beforeend',"
        "'<div style=\"position:fixed;inset:0\"></div>')</script>",
        do=(click("#b"),),
        fails=STRAYED,
        told={"completed": 0},
        then={"log.length": 0},
    ),
    Behaviour(
        name="a cover that comes with the mouse",
        html="<button id=b onclick=\"log.push('hit')\">Go</button><div id=v hidden style='position:fixed;"
        "inset:0' onclick=\"log.push('cover')\"></div>"
        "<script>b.onmouseenter = () => { v.hidden = false }</script>",
        do=(click("#b"),),
        fails=("element_covered",),
        then={"log.length": 0},
    ),
    Behaviour(
        name="a cover that comes a frame after the mouse",
        html="<button id=b onclick=\"log.push('hit')\">Go</button><div id=v hidden style='position:fixed;"
        "inset:0' onclick=\"log.push('cover')\"></div>"
        "<script>b.onmouseenter = () => requestAnimationFrame(() => { v.hidden = false })</script>",
        do=(click("#b"),),
        fails=("element_covered",),
        then={"log.length": 0},
    ),
    Behaviour(
        name="a neighbour that slides in under the mouse",
        html="<style>#a{height:0;overflow:hidden} #a.in{height:60px}</style><div id=a "
        "onclick=\"log.push('other')\">Other</div>"
        "<button id=b style='display:block;height:40px' onclick=\"log.push('hit')\">Go</button><script>"
        "b.onmouseenter = () => a.className = 'in'</script>",
        do=(click("#b"),),
        then={"log.includes('other')": False, "log.join()": "hit"},
    ),
    Behaviour(
        name="a tooltip beside what is hovered",
        html="<button id=b onclick=\"log.push('hit')\">Go</button><p id=t hidden>Tip</p><script>b.onmouseenter "
        "= () => { t.hidden = false }</script>",
        do=(click("#b"),),
        then={"log.join()": "hit"},
    ),
    Behaviour(
        name="a button that grows under the mouse",
        html="<style>button{transition:transform .2s} button:hover{transform:scale(1.3)}</style><button "
        "onclick=\"log.push('hit')\">Go</button>",
        do=(click("text=Go"),),
        then={"log.join()": "hit"},
    ),
    Behaviour(
        name="an element that is moving still",
        html="<style>@keyframes m{from{margin-left:0}to{margin-left:400px}} button{animation:m .6s linear}</style>"
        "<button onclick=\"log.push('hit')\">Go</button>",
        do=(click("text=Go"),),
        then={"log.join()": "hit"},
    ),
    Behaviour(
        name="a veil that goes away",
        html="<button onclick=\"log.push('hit')\">Go</button><div id=v style='position:fixed;inset:0'></div>"
        "<script>setTimeout(() => v.remove(), 400)</script>",
        do=(click("text=Go"),),
        then={"log.join()": "hit"},
    ),
    Behaviour(
        name="a veil that stays",
        html="<button onclick=\"log.push('hit')\">Go</button><div id=veil style='position:fixed;inset:0'></div>",
        do=(click("text=Go"),),
        fails=("element_covered",),
        says=("veil",),
        then={"log.length": 0},
    ),
    Behaviour(
        name="a second press that goes elsewhere",
        html="<button id=b style='position:absolute;left:20px;top:20px' onclick=\"log.push('hit'); "
        "b.style.left = '400px'\">Go</button>",
        do=(double_click("#b"),),
        fails=STRAYED,
        told={"completed": 0},
        then={"log.join()": "hit"},
    ),
    Behaviour(
        name="a menu item that closes its menu at the press",
        html="<p style='height:60px' onclick=\"log.push('row')\"></p><div id=m style='position:absolute;top:10px'>"
        "<div id=copy>Copy</div></div><script>m.onmousedown = (e) => { log.push(e.target.id); m.remove() }</script>",
        do=(click("#copy"),),
        then={"log[0]": "copy"},
        told={"completed": 1},
    ),
    Behaviour(
        name="a menu item that closes its menu at the click",
        html='<div id=m onclick="log.push(event.target.id); m.remove()"><div id=cut>Cut</div><div id=copy>'
        "Copy</div></div>",
        do=(click("#copy"),),
        then={"log.join()": "copy"},
        told={"completed": 1},
    ),
    Behaviour(
        name="a press that a framework answers with a new button",
        html="<div id=h></div><script>n = 0; draw = () => { h.innerHTML = '<button>Go ' + n + '</button>';"
        "h.firstChild.onclick = () => { log.push('hit'); n++; draw() } }; draw()</script>",
        do=(click("text=Go 0"), click("text=Go 1")),
        then={"log.length": 2},
    ),
    only(
        name="a click that navigates at the press",
        html="<button id=b>Go</button><script>b.onmousedown = () => { location = 'next' }</script>",
        pages={"next": "<title>Next</title>"},
        do=(click("#b"),),
        then={"document.title": "Next"},
    ),
    Behaviour(
        name="a drag whose target is covered",
        html="<p id=a style='width:60px'>Card</p><div id=z style='width:200px;height:100px'></div>"
        "<div style='position:fixed;left:0;right:0;top:60px;bottom:0'></div>",
        do=(drag("#a", "#z"),),
        fails=("element_covered",),
    ),
)

ROWS = (*RACES, *MOVED)
