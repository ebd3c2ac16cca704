"""Acting: disabled and labelled controls, widgets, places, drags, keys, files and what an action opens."""

from __future__ import annotations

from typing import Any

from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import DONE, HIT
from bench.doing import (
    check,
    choose,
    click,
    double_click,
    drag,
    fill,
    focus,
    hover,
    mark,
    press,
    right_click,
    typed,
    uncheck,
    upload,
)

PLACE = "onclick='log.push([event.offsetX, event.offsetY].map(Math.round).join())'"
TOGGLE = "onclick=\"this.ariaChecked = this.ariaChecked == 'true' ? 'false' : 'true'\""
PICK = "onclick=\"this.ariaSelected = this.ariaSelected == 'true' ? 'false' : 'true'\""


def row(name: str, html: str, *do: Any, **more: Any) -> Behaviour:
    """A row for both."""
    return Behaviour(name=name, html=html, do=do, **more)


def disabled(name: str, html: str, *do: Any) -> Behaviour:
    """A row in which the action must fail as disabled."""
    return Behaviour(name=name, html=html, do=do, fails=("element_disabled",), then={"log.length": 0})


DISABLED = (
    disabled("a child of a disabled button", "<button disabled><b id=b>Pay</b></button>", click("#b")),
    disabled(
        "a child in a disabled fieldset", "<fieldset disabled><button><i id=i>Pay</i></button></fieldset>", click("#i")
    ),
    disabled(
        "a child of what aria disables", f"<div role=button aria-disabled=true {HIT}><b id=b>Pay</b></div>", click("#b")
    ),
    disabled("a field in a disabled fieldset", "<fieldset disabled><input id=f></fieldset>", fill("#f", "x")),
    disabled(
        "the label of a disabled checkbox", "<label><input type=checkbox disabled><b id=b>On</b></label>", check("#b")
    ),
    disabled("a disabled option", "<select id=s><option>a<option disabled>b</select>", choose("#s", "b")),
    row(
        "the legend of a disabled fieldset",
        f"<fieldset disabled><legend><button {HIT}>Edit</button></legend></fieldset>",
        click("text=Edit"),
        then=DONE,
    ),
    row(
        "a child of what is enabled later",
        f"<button id=p disabled {HIT}><b id=b>Pay</b></button><script>setTimeout(() => p.disabled = false, "
        f"300)</script>",
        click("#b"),
        then=DONE,
    ),
)

LABELS = (
    row(
        "check from a part of a label",
        "<label><input type=checkbox id=c><span><b id=b>Yes</b></span></label>",
        check("#b"),
        then={"c.checked": True},
    ),
    row(
        "uncheck from a label",
        "<label for=c id=l>Mail</label><input type=checkbox id=c checked>",
        uncheck("#l"),
        then={"c.checked": False},
    ),
    row(
        "fill from a part of a label",
        "<label for=n><b id=b>Name</b></label><input id=n>",
        fill("#b", "Ann"),
        then={"n.value": "Ann"},
    ),
    row(
        "fill a text area from its label",
        "<label>Note <textarea id=n></textarea></label>",
        fill("text=Note", "Hi"),
        then={"n.value": "Hi"},
    ),
    row(
        "choose from a label",
        "<label for=s>Size</label><select id=s><option>S<option>L</select>",
        choose("text=Size", "L"),
        then={"s.value": "L"},
    ),
    row(
        "check a hidden box that its label draws",
        "<label id=l><input type=checkbox id=c style='position:absolute;opacity:0;width:0;height:0'>Dark</label>",
        check("#l"),
        then={"c.checked": True},
    ),
    only(
        name="a label without a control",
        html="<label id=l for=gone>Name</label>",
        do=(fill("#l", "x"),),
        fails=("element_unsuitable",),
        says=("label",),
    ),
)

SWITCHED = tuple(
    row(
        f"check a {role}",
        f"<div role={parent}><div role={role} {state}=false tabindex=0 id=c {listen}>Big</div></div>",
        check("#c"),
        then={f"c.getAttribute('{state}')": "true"},
        rival=state == "aria-checked",
    )
    for role, parent, state, listen in (
        ("checkbox", "group", "aria-checked", TOGGLE),
        ("switch", "group", "aria-checked", TOGGLE),
        ("radio", "radiogroup", "aria-checked", TOGGLE),
        ("menuitemcheckbox", "menu", "aria-checked", TOGGLE),
        ("menuitemradio", "menu", "aria-checked", TOGGLE),
        ("option", "listbox", "aria-selected", PICK),
        ("treeitem", "tree", "aria-checked", TOGGLE),
    )
)
CHECKS = (
    *SWITCHED,
    row(
        "uncheck a switch",
        f"<div role=switch aria-checked=true tabindex=0 id=c {TOGGLE}>Wi-Fi</div>",
        uncheck("#c"),
        then={"c.ariaChecked": "false"},
    ),
    row(
        "check what is checked",
        "<input type=checkbox id=c checked onclick=\"log.push('hit')\">",
        check("#c"),
        then={"c.checked": True, "log.length": 0},
    ),
    row(
        "check an option by its role",
        f"<ul role=listbox><li role=option aria-selected=false id=c {PICK}>Tea</ul>",
        check('role=option[name="Tea"]'),
        then={"c.ariaSelected": "true"},
        rival=False,
    ),
    row(
        "a switch that takes it back",
        "<div role=switch aria-checked=false tabindex=0 id=c>Off</div>",
        check("#c"),
        fails=("element_unsuitable",),
    ),
)

POINTER = (
    row(
        "what lets clicks through in a button",
        f"<button {HIT}><span id=s style='pointer-events:none'>Go</span></button>",
        click("#s"),
        then=DONE,
    ),
    row(
        "an icon that lets clicks through in a link",
        f"<a href='#a' {HIT}><svg id=s width=20 height=20 style='pointer-events:none'><path d='M0 0h20v20H0z'/>"
        f"</svg></a>",
        click("#s"),
        then=DONE,
    ),
    row(
        "what lets clicks through to another",
        f"<div style='position:relative'><button {HIT}>A</button>"
        "<b id=b style='position:absolute;left:0;top:0;pointer-events:none'>x</b></div>",
        click("#b"),
        fails=("element_covered",),
        then={"log.length": 0},
    ),
    row(
        "a tall element is clicked where it is seen",
        "<div id=t style='height:6000px;background:#eee' onclick=\"log.push(scrollY)\"></div><script>"
        "scrollTo(0, 2500)</script>",
        click("#t"),
        then={"log.join()": "2500", "scrollY": 2500},
    ),
    row(
        "a wide element is hovered where it is seen",
        "<div id=t style='width:9000px;height:60px' onmouseover=\"log.push('over')\"></div><script>"
        "scrollTo(3000, 0)</script>",
        hover("#t"),
        then={"log[0]": "over", "scrollX": 3000},
    ),
    row(
        "what is half in view is not scrolled",
        f"<div style='height:calc(100vh - 20px)'></div><button style='height:60px' {HIT}>Go</button><p "
        f"style='height:999px'>",
        click("text=Go"),
        then={**DONE, "scrollY": 0},
    ),
    row(
        "what is out of view is scrolled",
        f"<div style='height:3000px'></div><button {HIT}>Go</button>",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "what is out of view in a scroller",
        f"<div id=s style='height:90px;overflow:auto'><p style='height:700px'></p><button {HIT}>Go</button></div>",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "what a sticky header would cover",
        "<header style='position:sticky;top:0;height:80px;background:#ccc' onclick=\"log.push('header')\">H</header>"
        f"<p style='height:1500px'></p><button id=b {HIT}>Go</button><p style='height:3000px'></p><script>"
        f"scrollTo(0, 1590)</script>",
        click("#b"),
        then=DONE,
    ),
    row(
        "a button in a turned frame",
        "<div style='perspective:600px'>"
        "<iframe src=inner style='transform:rotateY(35deg);border:0;margin-left:400px'></iframe></div>",
        click("frame=iframe >> text=Go"),
        pages={"inner": "<p style='height:40px'></p><button onclick=\"parent.log.push('hit')\">Go</button>"},
        then=DONE,
    ),
    row(
        "the part in view of a button in a turned frame",
        "<div style='perspective:600px'><iframe src=inner style='transform:rotateY(35deg);border:0;margin-left:15px'>"
        "</iframe></div>",
        click("frame=iframe >> text=Go"),
        pages={"inner": "<p style='height:40px'></p><button onclick=\"parent.log.push('hit')\">Go</button>"},
        then=DONE,
    ),
    row(
        "a button in a scaled frame",
        "<iframe src=inner style='transform:scale(.5) rotate(20deg)'></iframe>",
        click("frame=iframe >> text=Go"),
        pages={"inner": "<p style='height:40px'></p><button onclick=\"parent.log.push('hit')\">Go</button>"},
        then=DONE,
    ),
    row(
        "a button on a turned card",
        f"<div style='perspective:500px'><div style='width:300px;transform:rotateX(50deg)'><button {HIT}>"
        f"Go</button></div></div>",
        click("text=Go"),
        then=DONE,
    ),
    row(
        "a link over two lines",
        f"<div style='width:60px;font:16px monospace'>aaaaa <a href='#a' {HIT}>bb cccc</a></div>",
        click("text=bb cccc"),
        then=DONE,
    ),
)

PLACES = (
    row(
        "a place in an element",
        f"<div id=t style='width:200px;height:90px' {PLACE}></div>",
        click("#t", position={"x": 30, "y": 70}),
        then={"log.join('')": "30,70"},
    ),
    row(
        "a place within a border",
        f"<div id=t style='width:200px;height:90px;border:12px solid' {PLACE}></div>",
        click("#t", position={"x": 5, "y": 6}),
        then={"log.join('')": "5,6"},
    ),
    row(
        "a place out of view",
        f"<p style='height:2000px'></p><canvas id=t width=300 height=200 {PLACE}></canvas>",
        click("#t", position={"x": 250, "y": 150}),
        then={"log.join('')": "250,150"},
    ),
    row(
        "a place for a double click",
        "<div id=t style='width:99px;height:99px' ondblclick='log.push(event.offsetX)'></div>",
        double_click("#t", position={"x": 80, "y": 9}),
        then={"log.join()": "80"},
    ),
    row(
        "a place for the right button",
        "<div id=t style='width:99px;height:99px' oncontextmenu='log.push(event.offsetY); return false'></div>",
        right_click("#t", position={"x": 9, "y": 77}),
        then={"log.join()": "77"},
    ),
    row(
        "a place to hover",
        "<div id=t style='width:99px;height:99px' onmousemove='log = [event.offsetX]'></div>",
        hover("#t", position={"x": 66, "y": 9}),
        then={"log.join()": "66"},
    ),
    only(
        name="a place outside",
        html=f"<div id=t style='width:99px;height:99px' {PLACE}></div>",
        do=(click("#t", position={"x": 150, "y": 5}),),
        fails=("element_unsuitable", "action_invalid"),
        says=("150",),
        then={"log.length": 0},
    ),
    only(
        name="a place below zero",
        html=f"<div id=t style='width:99px;height:99px' {PLACE}></div>",
        do=(click("#t", position={"x": -3, "y": 5}),),
        fails=("action_invalid", "element_unsuitable"),
        then={"log.length": 0},
    ),
    row(
        "two clicks",
        "<p id=t ondblclick=\"log.push('two')\">Some words</p>",
        click("#t", clickCount=2),
        then={"log.join()": "two"},
    ),
    row(
        "three clicks select a paragraph",
        "<p id=t>Some words here.</p>",
        click("#t", clickCount=3),
        then={"getSelection().toString().trim()": "Some words here."},
    ),
    row(
        "the middle button",
        "<p id=t onauxclick='log.push(event.button)'>x</p>",
        click("#t", button="middle"),
        then={"log.join()": "1"},
    ),
    row(
        "a double click with a key",
        "<p id=t ondblclick='log.push(event.shiftKey)'>x</p>",
        double_click("#t", modifiers=["Shift"]),
        then={"log.join()": "true"},
    ),
    row(
        "the text of a paragraph is selected",
        "<p>a</p><p id=t>Some <b>bold</b> words</p><p>z</p>",
        mark("#t"),
        then={"getSelection().toString()": "Some bold words"},
    ),
    row(
        "the text of a field is selected",
        "<input id=t value='old text'>",
        mark("#t"),
        press("x"),
        then={"t.value": "x"},
    ),
    row(
        "the text of an area is selected",
        "<textarea id=t>one\ntwo</textarea>",
        mark("#t"),
        then={"t.selectionEnd - t.selectionStart": 7},
    ),
)

SLIDER = (
    "<div id=k style='position:absolute;left:20px;top:20px;width:20px;height:20px;background:red'></div><script>"
    "k.onpointerdown = (e) => { k.setPointerCapture(e.pointerId); const x0 = e.clientX, y0 = e.clientY;"
    "k.onpointermove = (m) => { k.style.left = 20 + m.clientX - x0 + 'px'; k.style.top = 20 + m.clientY - y0 + 'px' };"
    "k.onpointerup = () => "
    "{ k.onpointermove = null; log.push(parseInt(k.style.left) + ',' + parseInt(k.style.top)) } }</script>"
)
DROP = (
    "<p id=a draggable=true style='width:60px'>Card</p><div id=z style='width:200px;height:100px;"
    "background:#eee'></div><script>"
    "a.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'card'); z.ondragover = (e) => e.preventDefault();"
    "z.ondrop = (e) => "
    "{ e.preventDefault(); log.push(e.dataTransfer.getData('text/plain')); place = [e.offsetX, e.offsetY].join() };"
    "place = ''</script>"
)
DRAGS = (
    row("a drag by an offset", SLIDER, drag("#k", offset={"x": 120, "y": 35}), then={"log.join()": "140,55"}),
    row("a drag back", SLIDER, drag("#k", offset={"x": -15, "y": 0}), then={"log.join()": "5,20"}),
    row(
        "a range by an offset",
        "<input type=range id=r min=0 max=100 value=50 style='width:300px'>",
        drag("#r", offset={"x": 1000, "y": 0}),
        then={"r.value": "100"},
    ),
    row("a card onto a list", DROP, drag("#a", "#z"), then={"log.join()": "card"}),
    row(
        "a card onto a place",
        DROP,
        drag("#a", "#z", targetPosition={"x": 150, "y": 20}),
        then={"log.join()": "card", "place": "150,20"},
    ),
    row(
        "a drag from a place",
        "<div id=k style='width:200px;height:40px;background:red' onmousedown='log.push(event.offsetX)'></div>",
        drag("#k", offset={"x": 5, "y": 90}, sourcePosition={"x": 170, "y": 10}),
        then={"log.join()": "170"},
    ),
    only(
        name="a drag to nowhere",
        html=SLIDER,
        do=({"action": "drag_to", "selector": "#k"},),
        fails=("action_invalid",),
        says=("target", "offset"),
    ),
)

KEYS = (
    row("a key code of a letter", "<input id=f autofocus>", press("KeyA", "#f"), then={"f.value": "a"}),
    row("a key code of a digit", "<input id=f>", press("Digit5", "#f"), then={"f.value": "5"}),
    row("a key code with shift", "<input id=f>", press("Shift+KeyQ", "#f"), then={"f.value": "Q"}),
    row(
        "the code of a key code",
        "<input id=f onkeydown='log.push(event.code, event.key)'>",
        press("ControlLeft", "#f"),
        then={"log.join()": "ControlLeft,Control"},
    ),
    row(
        "the right one of two keys",
        "<input id=f onkeydown='log.push(event.code, event.location)'>",
        press("ShiftRight", "#f"),
        then={"log.join()": "ShiftRight,2"},
    ),
    row(
        "select all by key code",
        "<input id=f value=abc>",
        press("Control+KeyA", "#f"),
        press("KeyZ"),
        then={"f.value": "z"},
    ),
    only(
        name="a key that does not exist",
        html="<input id=f>",
        do=(press("KeyÄÄ", "#f"),),
        fails=("action_invalid",),
        says=("KeyÄÄ",),
    ),
    row(
        "an empty focusable element",
        "<div id=e tabindex=0></div>",
        focus("#e"),
        then={"document.activeElement.id": "e"},
    ),
    row(
        "a key for an empty element",
        "<div id=e tabindex=0 onkeydown='log.push(event.key)'></div>",
        press("Enter", "#e"),
        then={"log.join()": "Enter"},
    ),
    row(
        "the event of the focus",
        "<input id=f onfocus=\"log.push('focus')\">",
        focus("#f"),
        then={"log.join()": "focus"},
    ),
    row(
        "what the focus opens",
        "<input id=f onfocus='m.hidden = false'><p id=m hidden>Menu</p>",
        focus("#f"),
        then={"m.hidden": False},
    ),
    row(
        "text into an editor",
        "<div id=e contenteditable></div>",
        typed("#e", "Hi you"),
        then={"e.textContent": "Hi you"},
    ),
)

FILES = (
    row(
        "a file into an input",
        "<input type=file id=f>",
        upload("#f", "{files}/note.txt"),
        then={"f.files[0].name": "note.txt"},
    ),
    row(
        "a file by its label",
        "<label id=l>Photo <input type=file id=f hidden></label>",
        upload("#l", "{files}/note.txt"),
        then={"f.files.length": 1},
    ),
    row(
        "a folder into a plain input",
        "<input type=file id=f>",
        upload("#f", "{files}/folder"),
        fails=("element_unsuitable",),
        then={"f.files.length": 0},
    ),
    row(
        "a file into a folder input",
        "<input type=file id=f webkitdirectory>",
        upload("#f", "{files}/note.txt"),
        fails=("element_unsuitable",),
        then={"f.files.length": 0},
    ),
    row(
        "a folder into a folder input",
        "<input type=file id=f webkitdirectory>",
        upload("#f", "{files}/folder"),
        then={"f.files[0].webkitRelativePath": "folder/inner.txt"},
    ),
    row(
        "two files into an input for one",
        "<input type=file id=f>",
        upload("#f", "{files}/note.txt", "{files}/folder/inner.txt"),
        fails=("element_unsuitable",),
        then={"f.files.length": 0},
    ),
)

LINK = "<a id=a href=next>Next</a>"
NEXT = {"next": "<title>Next</title><p>Here</p>"}
OPENED = (
    only(
        name="a link with Control",
        html=LINK,
        pages=NEXT,
        do=(click("#a", modifiers=["Control"]),),
        told={"newTargets": 1},
        then={"document.title": ""},
    ),
    only(
        name="a link with Shift", html=LINK, pages=NEXT, do=(click("#a", modifiers=["Shift"]),), told={"newTargets": 1}
    ),
    only(
        name="a link with the middle button",
        html=LINK,
        pages=NEXT,
        do=(click("#a", button="middle"),),
        told={"newTargets": 1},
    ),
    only(
        name="a link to a new tab",
        html="<a id=a target=_blank rel=noopener href=next>Next</a>",
        pages=NEXT,
        do=(click("#a"),),
        told={"newTargets": 1},
    ),
    only(
        name="a popup of a script",
        html="<button id=a onclick=\"open('next', 'w', 'width=300,height=200')\">Go</button>",
        pages=NEXT,
        do=(click("#a"),),
        told={"newTargets": 1},
    ),
    only(
        name="the page of a new tab",
        html=LINK,
        pages={"next": "<button onclick=\"document.title = 'done'\">Go</button>"},
        do=(
            click("#a", modifiers=["Control"]),
            {"action": "in_new_page", "do": click("text=Go"), "then": {"document.title": "done"}},
        ),
    ),
    only(
        name="the page of a popup",
        html="<button id=a onclick=\"open('next', 'w', 'width=300,height=200')\">Go</button>",
        pages={"next": "<button onclick=\"document.title = 'done'\">Go</button>"},
        do=(click("#a"), {"action": "in_new_page", "do": click("text=Go"), "then": {"document.title": "done"}}),
    ),
    only(
        name="a link with Alt is downloaded",
        html="<a id=a href=file>Get</a>",
        do=(click("#a", modifiers=["Alt"]),),
        told={"downloads": 1},
    ),
)

LIST = (
    "<ul id=l role=listbox hidden>"
    + "".join(f"<li role=option>{name}</li>" for name in ("Oslo", "Bergen", "Bari"))
    + "</ul>"
)
TAKE = (
    "l.onclick = (e) => { if (e.target.ariaDisabled == 'true') return; take(e.target.textContent);"
    "l.hidden = true; c.ariaExpanded = 'false' };"
)
COMBO = (
    only(
        name="a combobox of a button",
        html=f"<button id=c role=combobox aria-label=City aria-controls=l aria-expanded=false>Choose</button>"
        f"{LIST}<script>"
        f"c.onclick = () => {{ l.hidden = false; c.ariaExpanded = 'true' }}; take = (t) => c.textContent = t; "
        f"{TAKE}</script>",
        do=(choose("#c", "Bergen"),),
        then={"c.textContent": "Bergen", "l.hidden": True},
    ),
    only(
        name="a combobox that filters",
        html=f"<input id=c role=combobox aria-label=City aria-controls=l aria-expanded=false>{LIST}<script>"
        "c.oninput = () => setTimeout(() => "
        "{ for (const o of l.children) o.hidden = !o.textContent.startsWith(c.value); l.hidden = false;"
        "c.ariaExpanded = 'true' }, 120);"
        f"take = (t) => c.value = t; {TAKE}</script>",
        do=(choose("#c", "Bari"),),
        then={"c.value": "Bari"},
    ),
    only(
        name="a combobox whose list comes at the end of the body",
        html="<div id=c role=combobox tabindex=0 aria-haspopup=listbox aria-expanded=false aria-label=City>"
        "–</div><script>c.onmousedown = () => setTimeout(() => {"
        "if (c.ariaExpanded == 'true') return; document.body.insertAdjacentHTML('beforeend', '<div id=p "
        "role=listbox><div role=option>Oslo</div><div role=option>Bari</div></div>');"
        "c.setAttribute('aria-controls', 'p'); c.ariaExpanded = 'true'; p.onclick = (e) => "
        "{ c.textContent = e.target.textContent; p.remove(); c.ariaExpanded = 'false' } }, 80)</script>",
        do=(choose('role=combobox[name="City"]', "Bari"),),
        then={"c.textContent": "Bari"},
    ),
    only(
        name="an option that is not there",
        html=f"<button id=c role=combobox aria-label=City aria-controls=l aria-expanded=false>Choose</button>"
        f"{LIST}<script>"
        f"c.onclick = () => {{ l.hidden = false; c.ariaExpanded = 'true' }}; take = (t) => c.textContent = t; "
        f"{TAKE}</script>",
        do=(choose("#c", "Rome"),),
        fails=("element_unsuitable",),
        says=("Bergen",),
        then={"c.textContent": "Choose"},
    ),
    only(
        name="a combobox that does not open",
        html="<button id=c role=combobox aria-label=City aria-expanded=false>Choose</button>",
        do=(choose("#c", "Bari"),),
        fails=("element_unsuitable",),
    ),
    only(
        name="a combobox that takes another",
        html=f"<button id=c role=combobox aria-label=City aria-controls=l aria-expanded=false>Choose</button>"
        f"{LIST}<script>"
        f"c.onclick = () => {{ l.hidden = false; c.ariaExpanded = 'true' }}; take = () => c.textContent = "
        f"'Oslo'; {TAKE}</script>",
        do=(choose("#c", "Bari"),),
        fails=("element_unsuitable",),
        says=("Oslo",),
    ),
    only(
        name="an option that aria disables",
        html=f"<button id=c role=combobox aria-label=City aria-controls=l aria-expanded=false>Choose</button>"
        f"{LIST}<script>l.children[1].ariaDisabled = 'true';"
        f"c.onclick = () => {{ l.hidden = false; c.ariaExpanded = 'true' }}; take = (t) => c.textContent = t; "
        f"{TAKE}</script>",
        do=(choose("#c", "Bergen"),),
        fails=("element_disabled", "element_unsuitable"),
        then={"c.textContent": "Choose"},
    ),
)

ROWS = (*DISABLED, *LABELS, *CHECKS, *POINTER, *PLACES, *DRAGS, *KEYS, *FILES, *OPENED, *COMBO)
