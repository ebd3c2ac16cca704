"""Widgets: presses that open things, menus, lists that a page draws, fields of all types, switches and sliders."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour, only
from bench.behaviours.names import DONE, HIT
from bench.doing import check, choose, click, fill, hover, press, typed, uncheck

DAYS = "<div id=p hidden style='position:absolute;{};background:#fff;border:1px solid;width:240px'>{}</div>"
CELLS = "".join(f"<button onclick='pick({n})'>{n}</button>" for n in range(1, 29))


def opens(name: str, event: str, place: str, *then: Any, **more: Any) -> Behaviour:
    """A row in which a press on a field opens a calendar at some place, maybe under the mouse."""
    return row(
        name,
        f"""<div style='position:relative;margin:80px'><input id=f style='width:240px;height:30px' {event}="p.hidden =
        false"> {DAYS.format(place, CELLS)}</div><script>pick = (n) => {{ f.value = n; p.hidden = true; log.push(n)
        }}</script>""",
        click("#f"),
        *then,
        **more,
    )


OPENED = (
    opens(
        "a calendar over its field at the focus", "onfocus", "left:0;top:-20px", then={"p.hidden": False}, rival=False
    ),
    opens(
        "a calendar over its field at the press", "onmousedown", "left:0;top:0", then={"p.hidden": False}, rival=False
    ),
    opens(
        "a day of a calendar that the focus opens",
        "onfocus",
        "left:0;top:34px",
        click('text="17"'),
        then={"f.value": "17", "p.hidden": True},
    ),
    row(
        "a list that slides over its button as it opens",
        """<style>@keyframes s{from{transform:translateY(60px)}}
        #l{position:absolute;left:0;top:0;width:200px;background:#fff; animation:s .2s}</style><button id=b
        style='width:200px;height:40px'>Sort</button><div id=l hidden> <div role=option
        style='height:40px'>Price</div><div role=option style='height:40px'>Name</div></div><script> b.onpointerdown =
        () => { l.hidden = false }; l.onclick = (e) => { b.textContent = e.target.textContent; l.hidden = true
        }</script>""",
        click("#b"),
        click("text=Name"),
        then={"b.textContent": "Name", "l.hidden": True},
        rival=False,
    ),
    row(
        "a press whose sheet covers everything",
        """<button id=b>Share</button><script>b.onmousedown = () => { const v = document.createElement('div');
        v.style.cssText = 'position:fixed;inset:0;background:#0008'; v.innerHTML = '<button id=c>Copy link</button>';
        document.body.append(v); log.push('open'); v.querySelector('#c').onclick = () => log.push('copied')
        }</script>""",
        click("#b"),
        click("text=Copy link"),
        then={"log.join()": "open,copied"},
        rival=False,
    ),
    row(
        "a menu with a roof that closes it",
        """<button id=b>More</button><script>b.onclick = () => { document.body.insertAdjacentHTML('beforeend',
        `<div id=roof style='position:fixed;inset:0' onclick='roof.remove(); menu.remove()'></div>
        <div id=menu role=menu style='position:fixed;top:60px'><div role=menuitem>Rename</div></div>`);
        menu.onclick = () => { log.push('hit'); roof.remove(); menu.remove() } }</script>""",
        click("#b"),
        click("text=Rename"),
        then={**DONE, "document.querySelector('#roof')": None},
    ),
    row(
        "a popover of the browser",
        f"<button popovertarget=m>Tools</button><div id=m popover><button {HIT}>Crop</button></div>",
        click("text=Tools"),
        click("text=Crop"),
        then=DONE,
    ),
    row(
        "a dialog of the browser that a form closes",
        """<button onclick='d.showModal()'>Ask</button><dialog id=d><form method=dialog><button value=no>No</button>
        <button value=yes>Yes</button></form></dialog>""",
        click("text=Ask"),
        click("text=Yes"),
        then={"d.open": False, "d.returnValue": "yes"},
    ),
    row(
        "a menu of menus that the mouse opens",
        f"""<style>ul{{display:none;padding:0}} li:hover>ul{{display:block}} li{{width:120px}}</style><li
        id=file>File<ul> <li id=new>New<ul><li {HIT}>Table</li></ul></li></ul></li>""",
        hover("#file"),
        hover("#new"),
        click("text=Table"),
        then=DONE,
    ),
    row(
        "a tooltip that a delay brings",
        """<button id=b>?</button><div id=t role=tooltip hidden>Ten letters</div><script>let timer;
        b.onmouseenter = () => { timer = setTimeout(() => { t.hidden = false }, 400) };
        b.onmouseleave = () => { clearTimeout(timer); t.hidden = true }</script>""",
        hover("#b"),
        then={"t.hidden": False},
    ),
    row(
        "a right click that a page answers with its own menu",
        f"""<div id=r style='padding:40px;background:#eee'>Row</div><div id=m hidden
        style='position:fixed;background:#fff'> <div {HIT}>Paste</div></div><script>r.oncontextmenu = (e) => {{
        e.preventDefault(); m.hidden = false; m.style.left = e.clientX + 'px'; m.style.top = e.clientY + 'px'
        }}</script>""",
        {"action": "right_click", "selector": "#r"},
        click("text=Paste"),
        then=DONE,
    ),
    row(
        "details that fold out slowly",
        f"""<style>div{{max-height:0;overflow:hidden;transition:max-height .4s}} .on div{{max-height:300px}}</style>
        <section id=s><button onclick="s.className = 'on'">Delivery</button><div><p style='height:100px'></p>
        <a href='#a' {HIT}>Track</a></div></section>""",
        click("text=Delivery"),
        click("text=Track"),
        then=DONE,
    ),
)

DRAWN = """<div id=c role=combobox tabindex=0 aria-expanded=false aria-haspopup=listbox aria-label=Fruit
aria-controls=l>Pick</div> <script>fruits = ['Apple', 'Pear', 'Plum', 'Quince'];"""
CHOSEN = (
    only(
        name="a list that opens at the press and takes the release",
        html=DRAWN
        + """c.onpointerdown = (e) => { if (c.ariaExpanded == 'true') return; c.ariaExpanded = 'true';
        document.body.insertAdjacentHTML('beforeend', `<div id=l role=listbox style='position:fixed;left:200px;top:0'>`
        + fruits.map((f) => `<div role=option aria-selected=false>${f}</div>`).join('') + '</div>'); l.onpointerup =
        (e) => { if (!fruits.includes(e.target.textContent)) return; c.textContent = e.target.textContent;
        c.ariaExpanded = 'false'; l.remove() } }</script>""",
        do=(choose("#c", "Plum"),),
        then={"c.textContent": "Plum", "document.querySelector('#l')": None},
    ),
    only(
        name="a list of a thousand that draws a few",
        html=DRAWN
        + """fruits = Array.from({length: 1000}, (_, n) => 'Fruit ' + n); c.onclick = () => { if (window.l) return;
        c.ariaExpanded = 'true'; document.body.insertAdjacentHTML('beforeend',
        `<div id=l role=listbox style='height:120px;width:200px;overflow:auto;position:relative'>
        <div style='height:30000px'></div></div>`); const draw = () => {
        l.querySelectorAll('[role=option]').forEach((o) => o.remove()); const first = Math.floor(l.scrollTop / 30);
        for (let n = first; n < first + 6; n++) l.insertAdjacentHTML("beforeend", `<div role=option aria-setsize=1000
        aria-posinset=${n + 1} style="position:absolute;top:${n * 30}px;height:30px">${fruits[n]}</div>`)
        };
        l.onscroll = draw; draw(); l.onclick = (e) => { c.textContent = e.target.textContent; c.ariaExpanded = 'false';
        l.remove() } }</script>""",
        do=(choose("#c", "Fruit 90"),),
        then={"c.textContent": "Fruit 90"},
    ),
    row(
        "several options of a list",
        "<select id=s multiple><option>a<option selected>b<option>c</select>",
        choose("#s", ["a", "c"]),
        then={"[...s.selectedOptions].map((o) => o.text).join()": "a,c"},
    ),
    row(
        "an option that another choice brings",
        """<select id=a><option>–<option>Italy</select><select id=b disabled></select><script>a.onchange = () =>
        setTimeout( () => { b.innerHTML = '<option>Bari<option>Rome'; b.disabled = false }, 300)</script>""",
        choose("#a", "Italy"),
        choose("#b", "Rome"),
        then={"b.value": "Rome"},
    ),
    row(
        "an option by its label in a group",
        "<select id=s><optgroup label=A><option value=1>One</optgroup><optgroup label=B><option value=2 "
        "label=Two></select>",
        choose("#s", "Two"),
        then={"s.value": "2"},
    ),
    row(
        "a list that reports what was chosen",
        "<select id=s oninput=\"log.push('input')\" onchange=\"log.push('change')\"><option>a<option>b</select>",
        choose("#s", "b"),
        then={"log.join()": "input,change"},
    ),
    row(
        "a suggestion that is drawn as one types",
        """<input id=f role=combobox aria-expanded=false><ul id=l role=listbox hidden></ul><script>let timer; f.oninput
        = () => { clearTimeout(timer); timer = setTimeout(() => { l.hidden = false; f.ariaExpanded = 'true'; l.innerHTML
        = ['Bergen', 'Berlin', 'Bern'].filter((c) => c.startsWith(f.value)).map((c) =>
        `<li role=option>${c}</li>`).join('') }, 200) }; l.onmousedown = (e) => e.preventDefault(); l.onclick = (e) => {
        f.value = e.target.textContent; l.hidden = true }; f.onblur = () => { l.hidden = true }</script>""",
        typed("#f", "Ber"),
        click("text=Bern"),
        then={"f.value": "Bern", "l.hidden": True},
    ),
    row(
        "a suggestion that is taken with the keys",
        """<input id=f><ul id=l></ul><script>at = -1; f.oninput = () => { l.innerHTML = ['red', 'rose'].filter((c) =>
        c.startsWith(f.value)).map((c) => `<li>${c}</li>`).join('') }; f.onkeydown = (e) => { if (e.key == 'ArrowDown')
        at++; if (e.key == 'Enter') { f.value = l.children[at].textContent; l.innerHTML = '' } }</script>""",
        typed("#f", "r"),
        press("ArrowDown", times=2),
        press("Enter"),
        then={"f.value": "rose"},
    ),
)

SHADOWED = """<script>customElements.define('x-field', class extends HTMLElement {{ connectedCallback() {{
const root = this.attachShadow({{mode: 'open', delegatesFocus: {focus}}}); root.innerHTML =
`<label for=i>Name</label>{field}` }} get value() {{ return this.shadowRoot.querySelector('#i').value }} }})</script>"""
HOSTS = (
    row(
        "a host that hands its focus on, by its id",
        f"<x-field id=h></x-field>{SHADOWED.format(focus='true', field='<input id=i>')}",
        typed("#h", "Ann"),
        then={"h.value": "Ann"},
        rival=False,
    ),
    row(
        "a label whose field lies in a host that hands its focus on",
        f"<label for=h>Full name</label><x-field id=h></x-field>{SHADOWED.format(focus='true', field='<input id=i>')}",
        typed("#h >> input", "Ann"),
        then={"h.value": "Ann"},
    ),
    row(
        "a label in the shadow root of the field",
        f"<x-field id=h></x-field>{SHADOWED.format(focus='false', field='<input id=i>')}",
        fill("label=Name", "Ann"),
        then={"h.value": "Ann"},
    ),
    row(
        "a host and its field with the same name",
        f"<x-field id=h aria-label=Name></x-field>{SHADOWED.format(focus='true', field='<input id=i>')}",
        fill("label=Name", "Ann"),
        then={"h.value": "Ann"},
        rival=False,
    ),
    row(
        "a field that is slotted into a host with the label",
        """<x-form><input id=f slot=field></x-form><script>document.querySelector('x-form').attachShadow({mode: 'open'})
        .innerHTML = '<label>Street <slot name=field></slot></label>'</script>""",
        fill("#f", "Main"),
        then={"f.value": "Main"},
    ),
)


def takes(name: str, field: str, value: str, **then: Any) -> Behaviour:
    """A row in which a field of some type is filled."""
    return row(name, field, fill("#f", value), then=then or {"f.value": value})


FILLED = (
    takes("a number with a fraction", "<input id=f type=number step=any>", "-12.75"),
    takes("a day", "<input id=f type=date>", "2024-02-29"),
    takes("a day and an hour", "<input id=f type=datetime-local>", "2024-02-29T23:59"),
    takes("a week", "<input id=f type=week>", "2026-W53"),
    takes("a month", "<input id=f type=month>", "2025-12"),
    takes("a colour", "<input id=f type=color>", "#1a2b3c"),
    takes("a point of a range", "<input id=f type=range min=-10 max=10 step=.5>", "7.5"),
    takes("lines of text", "<textarea id=f>old</textarea>", "one\ntwo\n\nthree"),
    takes("letters of two planes", "<input id=f>", "naïve 東京 👩‍👩‍👧 é"),
    row(
        "an empty text",
        "<input id=f value=old oninput=\"log.push('input')\">",
        fill("#f", ""),
        then={"f.value": "", "log.length": 1},
    ),
    row(
        "a range that listens for both events",
        "<input id=f type=range value=10><script>f.oninput = f.onchange = (e) => log.push(e.type)</script>",
        fill("#f", "60"),
        then={"f.value": "60", "log.includes('input') && log.includes('change')": True},
    ),
    row(
        "text in a field for numbers",
        "<input id=f type=number value=3>",
        fill("#f", "many"),
        fails=("element_unsuitable",),
        then={"f.value": "3"},
    ),
    row(
        "a day that does not exist",
        "<input id=f type=date>",
        fill("#f", "2023-02-29"),
        fails=("element_unsuitable",),
        then={"f.value": ""},
    ),
    row(
        "a field that is only read",
        "<input id=f value=old readonly>",
        fill("#f", "x"),
        fails=("element_disabled",),
        then={"f.value": "old"},
    ),
    row(
        "a field that may be written later",
        "<input id=f readonly><script>setTimeout(() => { f.readOnly = false }, 500)</script>",
        fill("#f", "x"),
        then={"f.value": "x"},
    ),
    row(
        "an editor with blocks",
        "<div id=e contenteditable><h2>Old</h2><p>text</p></div>",
        fill("#e", "New words"),
        then={"e.innerText.trim()": "New words"},
    ),
    row(
        "a field whose framework sets its value",
        """<input id=f><p id=s></p><script>const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,
        'value'); let seen = ''; Object.defineProperty(f, 'value', { get() { return own.get.call(f) }, set(v) { seen =
        v; own.set.call(f, v) } }); f.oninput = () => { const v = own.get.call(f); if (v !== seen) { seen = v;
        s.textContent = v } }</script>""",
        fill("#f", "Ann"),
        then={"s.textContent": "Ann"},
    ),
    row(
        "a field that is rendered again after its first letter",
        """<div id=h></div><script>v = ''; n = 0; draw = () => { h.innerHTML = `<input id=f class=k${n}>`; f.value = v;
        f.oninput = () => { v = f.value; if (!n++) { draw(); f.focus(); f.setSelectionRange(99, 99) } } };
        draw()</script>""",
        typed("#f", "Anna"),
        then={"v": "Anna"},
    ),
)

SWITCHES = (
    row(
        "a box that is neither on nor off",
        "<input type=checkbox id=c><script>c.indeterminate = true</script>",
        check("#c"),
        then={"c.checked": True, "c.indeterminate": False},
    ),
    row(
        "a box that its page checks after an answer",
        """<input type=checkbox id=c><script>c.onclick = (e) => { e.preventDefault(); setTimeout(() => { c.checked =
        true }, 300) } </script>""",
        check("#c"),
        then={"c.checked": True},
        rival=False,
    ),
    row(
        "a box that takes it back",
        "<input type=checkbox id=c onclick='event.preventDefault()'>",
        check("#c"),
        fails=("element_unsuitable", "action_failed"),
        then={"c.checked": False},
    ),
    row(
        "a switch in a label with its words apart",
        """<label style='display:flex;width:400px;justify-content:space-between'>Night <span style='position:relative'>
        <input type=checkbox role=switch id=c style='opacity:0'><i style='position:absolute;inset:0;background:#aaa;
        pointer-events:none'></i></span></label>""",
        check("role=switch"),
        then={"c.checked": True},
    ),
    row(
        "stars that stand in the wrong order",
        """<style>#s{display:flex;flex-direction:row-reverse;width:200px} #s input{position:absolute;opacity:0;width:0}
        #s label{padding:8px}</style><div id=s>"""
        + "".join(f"<input type=radio name=r id=r{n} value={n}><label for=r{n}>★</label>" for n in (5, 4, 3, 2, 1))
        + "</div>",
        click("label[for=r4]"),
        then={"document.querySelector('input:checked').value": "4"},
    ),
    row(
        "a switch of buttons",
        """<div role=radiogroup>"""
        + "".join(
            f'<button role=radio aria-checked={"true" if n == "S" else "false"} onclick="document.querySelectorAll('
            f"'[role=radio]').forEach((b) => b.ariaChecked = b == this)\">{n}</button>"
            for n in "SML"
        )
        + "</div>",
        check('role=radio[name="L"]'),
        then={"document.querySelector('[aria-checked=true]').textContent": "L"},
    ),
    row(
        "a box that was on and goes off by its label",
        "<input type=checkbox id=c checked style='display:none'><label for=c id=l>Ads</label>",
        uncheck("#l"),
        then={"c.checked": False},
    ),
    row(
        "tabs that the arrows turn",
        """<div role=tablist><button role=tab id=a aria-selected=true>A</button><button role=tab id=b tabindex=-1
        aria-selected=false>B</button></div><script>a.onkeydown = (e) => { if (e.key != 'ArrowRight') return;
        a.ariaSelected = 'false'; b.ariaSelected = 'true'; b.focus() }</script>""",
        click("#a"),
        press("ArrowRight"),
        then={"b.ariaSelected": "true", "document.activeElement.id": "b"},
    ),
    row(
        "a slider of the page's own",
        """<div id=s role=slider tabindex=0 aria-valuenow=5 aria-valuemin=0 aria-valuemax=9>5</div><script>s.onkeydown =
        (e) => { const by = {ArrowUp: 1, ArrowDown: -1}[e.key]; if (by) s.textContent = s.ariaValueNow = +s.ariaValueNow
        + by }</script>""",
        press("ArrowUp", "#s", times=3),
        then={"s.ariaValueNow": "8"},
    ),
    row("a box by the space bar", "<input type=checkbox id=c>", press("Space", "#c"), then={"c.checked": True}),
    row(
        "a radio group by the arrows",
        "<input type=radio name=r id=a checked><input type=radio name=r id=b>",
        press("ArrowDown", "#a"),
        then={"b.checked": True},
    ),
    row(
        "a select by a letter",
        "<select id=s><option>Apple<option>Pear<option>Plum</select>",
        press("p", "#s"),
        then={"s.value": "Pear"},
    ),
)

ROWS = (*OPENED, *CHOSEN, *HOSTS, *FILLED, *SWITCHES)
