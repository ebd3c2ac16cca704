"""Controls in frames of the page's own site and of another one: lazy, scrolled, covered, replaced and nested."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour
from bench.behaviours.names import DONE
from bench.doing import check, choose, click, fill, hover, press, typed, upload

HEARD = "<script>onmessage = (e) => log.push(e.data)</script>"
"""A page that takes down what its frames of other sites say."""
TELLS = "onclick=\"top.postMessage('hit', '*')\""
GAP = "<p style='height:2200px'></p>"
SITES = (("of the same site", ""), ("of another site", "@far/"))


def framed(
    name: str, html: str, *do: Any, inner: str, then: dict[str, Any] = DONE, **more: Any
) -> tuple[Behaviour, ...]:
    """Two rows: `{}inner` in the page is a frame of the page's own site in one, and of another site in the other."""
    return tuple(
        row(f"{name}, {words}", HEARD + html.replace("{}", site), *do, pages={"inner": inner}, then=then, **more)
        for words, site in SITES
    )


GO = f"<p style='height:50px'></p><button {TELLS}>Go</button>"
DEEP_GO = f"{GAP}<button {TELLS}>Go</button>{GAP}"

REACHED = (
    *framed(
        "a lazy frame far down",
        f"{GAP}{GAP}<iframe loading=lazy src={{}}inner></iframe>",
        click("frame=iframe >> text=Go"),
        inner=GO,
        rival=False,
    ),
    *framed(
        "a lazy frame in a scroller",
        f"<div style='height:200px;overflow:auto'>{GAP}{GAP}<iframe loading=lazy src={{}}inner></iframe></div>",
        click("frame=iframe >> text=Go"),
        inner=GO,
        rival=False,
    ),
    *framed(
        "a button far down in a frame", "<iframe src={}inner></iframe>", click("frame=iframe >> text=Go"), inner=DEEP_GO
    ),
    *framed(
        "a button far down in a frame far down",
        f"{GAP}<iframe src={{}}inner style='height:90px'></iframe>{GAP}",
        click("frame=iframe >> text=Go"),
        inner=DEEP_GO,
    ),
    *framed(
        "a frame under a bar that sticks",
        f"""<header style='position:sticky;top:0;height:150px;background:#ccc'>Shop</header><iframe src={{}}inner
        style='height:140px;border:0;display:block'></iframe>{GAP}<script>addEventListener('load', () => scrollTo(0,
        120)) </script>""",
        click("frame=iframe >> text=Go"),
        inner=GO,
    ),
    *framed(
        "a frame behind a veil that goes",
        """<iframe src={}inner></iframe><div id=v style='position:fixed;inset:0'></div><script>
        setTimeout(() => v.remove(), 600)</script>""",
        click("frame=iframe >> text=Go"),
        inner=GO,
    ),
    *framed(
        "a frame behind a veil that stays",
        "<iframe src={}inner></iframe><div id=v style='position:fixed;inset:0'></div>",
        click("frame=iframe >> text=Go"),
        inner=GO,
        fails=("element_covered",),
        then={"log.length": 0},
    ),
    *framed(
        "a frame that comes late",
        "<div id=h></div><script>setTimeout(() => h.innerHTML = '<iframe src={}inner></iframe>', 400)</script>",
        click("frame=iframe >> text=Go"),
        inner=GO,
    ),
    *framed(
        "a frame that a page puts in its place again",
        """<div id=h><iframe src={}inner></iframe></div><script>setTimeout(() => {
        h.innerHTML = '<iframe src={}inner></iframe>' }, 150)</script>""",
        click("frame=iframe >> text=Go"),
        inner=GO,
    ),
    *framed(
        "a frame that is turned and half as large",
        "<iframe src={}inner style='transform:rotate(90deg) scale(.6);margin:60px'></iframe>",
        click("frame=iframe >> text=Go"),
        inner=GO,
    ),
    *framed(
        "a frame in a shadow root",
        "<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<iframe src={}inner></iframe>'</script>",
        click("frame=iframe >> text=Go"),
        inner=GO,
    ),
    *framed(
        "a frame with a border and a padding",
        "<iframe src={}inner style='border:30px solid;padding:25px;margin:10px'></iframe>",
        click("frame=iframe >> text=Go"),
        inner="<body style='margin:0'><button style='width:20px;height:12px;padding:0' " + TELLS + ">Go</button>",
    ),
    row(
        "a lazy frame whose page stands in an attribute",
        f"""{HEARD}{GAP}{GAP}<iframe loading=lazy srcdoc="<button onclick='top.log.push(1)'>Go</button>"></iframe>""",
        click("frame=iframe >> text=Go"),
        then={"log.join()": "1"},
        rival=False,
    ),
    row(
        "a frame of the same site in one of another",
        f"{HEARD}<iframe src=@far/middle style='height:300px'></iframe>",
        click("frame=iframe >> frame=#in >> text=Go"),
        pages={"middle": "<p>Middle</p><iframe id=in src=@far/inner></iframe>", "inner": GO},
        then=DONE,
    ),
    row(
        "a lazy frame in a lazy frame",
        f"{HEARD}{GAP}{GAP}<iframe loading=lazy src=@far/middle style='height:300px'></iframe>",
        click("frame=iframe >> frame=#in >> text=Go"),
        pages={"middle": f"{GAP}{GAP}<iframe loading=lazy id=in src=@far/inner></iframe>", "inner": GO},
        then=DONE,
        rival=False,
    ),
)

FIELD = """<input id=f><script>f.oninput = () => top.postMessage(f.value, '*')</script>"""
WORKED = (
    *framed(
        "a field that is filled in a frame",
        "<iframe src={}inner></iframe>",
        fill("frame=iframe >> #f", "Ann"),
        inner=FIELD,
        then={"log.at(-1)": "Ann"},
    ),
    *framed(
        "a field that is typed into in a frame, and one outside",
        "<input id=own><iframe src={}inner></iframe>",
        typed("#own", "ab"),
        typed("frame=iframe >> #f", "cd"),
        typed("#own", "ef"),
        inner=FIELD,
        then={"log.at(-1)": "cd", "own.value": "abef"},
        rival=False,
    ),
    *framed(
        "a key after a click in a frame",
        "<body onkeydown=\"log.push('outer')\"><iframe src={}inner></iframe>",
        click("frame=iframe >> #f"),
        press("x"),
        inner=FIELD,
        then={"log.join()": "x"},
    ),
    *framed(
        "a box that is checked in a frame",
        "<iframe src={}inner></iframe>",
        check("frame=iframe >> label=News"),
        inner="<label><input type=checkbox onchange=\"top.postMessage(this.checked, '*')\"> News</label>",
        then={"log.join()": "true"},
    ),
    *framed(
        "an option that is chosen in a frame",
        "<iframe src={}inner></iframe>",
        choose("frame=iframe >> select", "Bari"),
        inner="<select onchange=\"top.postMessage(this.value, '*')\"><option>Oslo<option>Bari</select>",
        then={"log.join()": "Bari"},
    ),
    *framed(
        "a file that is given in a frame",
        "<iframe src={}inner></iframe>",
        upload("frame=iframe >> input", "{files}/note.txt"),
        inner="<input type=file onchange=\"top.postMessage(this.files[0].name, '*')\">",
        then={"log.join()": "note.txt"},
    ),
    *framed(
        "a menu in a frame that the mouse opens",
        "<p>Top</p><iframe src={}inner></iframe>",
        hover("frame=iframe >> #m"),
        click("frame=iframe >> text=Copy"),
        inner=f"<style>#s{{display:none}} #m:hover #s{{display:block}}</style><div id=m>Edit<div id=s "
        f"{TELLS}>Copy</div></div>",
    ),
    *framed(
        "a frame that goes when it was clicked",
        "<iframe src={}inner></iframe><script>addEventListener('message', () => "
        "document.querySelector('iframe').remove())"
        "</script>",
        click("frame=iframe >> text=Go"),
        inner=GO,
        then={**DONE, "document.querySelector('iframe')": None},
    ),
    *framed(
        "a frame that goes on to its next page",
        "<iframe src={}inner></iframe>",
        click("frame=iframe >> text=Next"),
        click("frame=iframe >> text=Go"),
        inner="<script>document.write(location.search ? `<button onclick=\"top.postMessage('hit', '*')\">Go</button>`"
        " : `<a href=?2>Next</a>`)</script>",
    ),
)

ROWS = (*REACHED, *WORKED)
