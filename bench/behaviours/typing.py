"""Typing where the page has a say: thieves of the focus, boxes for parts of a code, and masks."""

from __future__ import annotations

from typing import Any

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour, only
from bench.doing import press, typed

THREE = "f.oninput = () => {{ if (f.value.length == 3) {} }}"


def thief(name: str, html: str, steals: str, receiver: str = "o.value", **more: Any) -> Behaviour:
    """A row in which the focus goes elsewhere after three letters, and no letter may follow it."""
    return only(
        name=name,
        html=f"<input id=f>{html}<script>{THREE.format(steals)}</script>",
        do=(typed("#f", "abcdefgh"),),
        fails=("focus_moved",),
        then={"f.value": "abc", receiver: more.pop("has", "")},
        **more,
    )


THIEVES = (
    thief("another field takes the focus", "<input id=o>", "o.focus()"),
    thief("a password takes the focus", "<input id=o type=password>", "o.focus()"),
    thief("a text area takes the focus", "<textarea id=o></textarea>", "o.focus()"),
    thief("an editor takes the focus", "<div id=o contenteditable></div>", "o.focus()", "o.textContent"),
    thief(
        "a dialog takes the focus",
        "<dialog id=d><input id=o></dialog>",
        "d.showModal()",
    ),
    thief(
        "a field in a shadow root takes the focus",
        "<div id=h></div><script>h.attachShadow({mode: 'open'}).innerHTML = '<input>'</script>",
        "h.shadowRoot.firstChild.focus()",
        "h.shadowRoot.firstChild.value",
    ),
    thief(
        "a frame takes the focus",
        "<iframe id=i srcdoc='<input id=o>'></iframe>",
        "i.contentDocument.querySelector('#o').focus()",
        "i.contentDocument.querySelector('#o').value",
    ),
    thief(
        "a button takes the focus and hears no key",
        "<button id=o onkeydown='log.push(event.key)'>Go</button>",
        "o.focus()",
        "log.length",
        has=0,
    ),
    thief("the field gives the focus up", "<p id=o onkeydown='log.push(1)'>", "f.blur()", "log.length", has=0),
    only(
        name="a frame of another site takes the focus",
        html="<input id=f><iframe id=i src=@far/inner></iframe><script>onmessage = (e) => log.push(e.data);"
        + THREE.format("i.focus(); i.contentWindow.postMessage(1, '*')")
        + "</script>",
        pages={
            "inner": """<input id=o oninput="top.postMessage(this.value, '*')"><script>onmessage = () =>
                o.focus()</script>"""
        },
        do=(typed("#f", "abcdefgh"),),
        fails=("focus_moved",),
        then={"log.length": 0},
    ),
    row(
        "the focus goes and comes back",
        f"""<input id=f><input id=o><script>{THREE.format("o.focus(); setTimeout(() => f.focus(), 60)")}</script>""",
        typed("#f", "abcdef"),
        then={"f.value": "abcdef", "o.value": ""},
        rival=False,
    ),
    row(
        "a letter that opens a note which takes no focus",
        f"<input id=f><p id=n hidden role=status>Short</p><script>{THREE.format('n.hidden = false')}</script>",
        typed("#f", "abcdef"),
        then={"f.value": "abcdef", "n.hidden": False},
    ),
)

BOXES = "".join(f"<input maxlength=1 inputmode=numeric aria-label='Digit {n}' size=1>" for n in range(1, 7))
NEXT_BOX = "all.forEach((b, n) => { b.oninput = () => { if (b.value && all[n + 1]) all[n + 1].focus() } })"
CODE = {"all.map((b) => b.value).join('')": "271828"}
DIVIDED = (
    row(
        "six boxes for a code",
        f"<div>{BOXES}</div><script>all = [...document.querySelectorAll('input')]; {NEXT_BOX}</script>",
        typed('label="Digit 1"', "271828"),
        then=CODE,
    ),
    row(
        "six boxes that lead on in the next frame",
        f"""<div>{BOXES}</div><script>all = [...document.querySelectorAll('input')]; all.forEach((b, n) => {{ b.oninput
        = () => requestAnimationFrame(() => all[n + 1]?.focus()) }})</script>""",
        typed('label="Digit 1"', "271828"),
        then=CODE,
        rival=False,
    ),
    row(
        "six boxes in shadow roots",
        """<body><script>all = Array.from({length: 6}, () => { const h =
        document.body.appendChild(document.createElement('div')); h.attachShadow({mode: 'open'}).innerHTML =
        '<input maxlength=1 aria-label=Digit>'; return h.shadowRoot.firstChild });"""
        + NEXT_BOX
        + "</script>",
        typed("div >> nth=0 >> input", "271828"),
        then=CODE,
    ),
    row(
        "boxes that take keys and no input",
        f"""<div>{BOXES}</div><script>all = [...document.querySelectorAll('input')]; all.forEach((b, n) => {{
        b.onkeydown = (e) => {{ e.preventDefault(); if (e.key.length == 1) {{ b.value = e.key; all[n + 1]?.focus() }} }}
        }})</script>""",
        typed('label="Digit 1"', "271828"),
        then=CODE,
    ),
    row(
        "a day in three fields",
        """<input maxlength=2 id=a aria-label=Day><input maxlength=2 id=b aria-label=Month><input maxlength=4 id=c
        aria-label=Year><script>for (const f of [a, b, c]) f.oninput = () => { if (f.value.length == f.maxLength)
        f.nextElementSibling.focus?.() }</script>""",
        typed("#a", "31122026"),
        then={"[a.value, b.value, c.value].join('-')": "31-12-2026"},
    ),
    row(
        "a card number in four fields",
        "".join(f"<input maxlength=4 aria-label='Part {n}'>" for n in (1, 2, 3, 4))
        + """<script>all = [...document.querySelectorAll('input')]; all.forEach((f, n) => f.addEventListener('keyup',
        () => { if (f.value.length == 4) all[n + 1]?.focus() }))</script>""",
        typed('label="Part 1"', "1234567812345678"),
        then={"all.map((f) => f.value).join(' ')": "1234 5678 1234 5678"},
    ),
    row(
        "one field behind six drawn boxes",
        """<label style='display:flex;position:relative;width:240px;height:40px'><input id=f maxlength=6
        style='position:absolute; inset:0;opacity:0'>"""
        + "<b style='width:40px;border:1px solid'></b>" * 6
        + """</label><script>f.oninput = () => document.querySelectorAll('b').forEach((b, n) => { b.textContent =
        f.value[n] || '' })</script>""",
        typed("#f", "271828"),
        then={"[...document.querySelectorAll('b')].map((b) => b.textContent).join('')": "271828"},
    ),
)


def masked(name: str, formats: str, text: str, value: str) -> Behaviour:
    """A row in which the page rewrites its field at each letter."""
    return row(
        name,
        f"<input id=f><script>f.oninput = () => {{ const d = f.value.replace(/\\D/g, ''); f.value = {formats} "
        f"}}</script>",
        typed("#f", text),
        then={"f.value": value},
    )


MASKS = (
    masked("a card number in fours", "d.replace(/(.{4})(?=.)/g, '$1 ')", "1234567812345678", "1234 5678 1234 5678"),
    masked("a telephone number", "d.replace(/^(...)(.)/, '($1) $2')", "5551234567", "(555) 1234567"),
    masked("cents from the right", "(d / 100).toFixed(2)", "12345", "123.45"),
    masked("thousands", "Number(d).toLocaleString('en')", "1234567", "1,234,567"),
    row(
        "a mask with places for what is missing",
        """<input id=f><script>draw = (d) => { f.value = '__/__'.replace(/_/g, () => d.length ? d.shift() : '_');
        const at = f.value.indexOf('_'); f.setSelectionRange(at < 0 ? 5 : at, at < 0 ? 5 : at) }; f.onfocus = () => { if
        (!f.value) draw([]) }; f.onbeforeinput = (e) => { e.preventDefault(); if (/\\d/.test(e.data || ''))
        draw([...f.value.replace(/\\D/g, '') + e.data]) }</script>""",
        typed("#f", "1227"),
        then={"f.value": "12/27"},
    ),
    row(
        "capitals by script",
        "<input id=f><script>f.oninput = () => { f.value = f.value.toUpperCase() }</script>",
        typed("#f", "ab1c"),
        then={"f.value": "AB1C"},
    ),
    row(
        "a field that takes digits alone",
        '<input id=f onkeydown="if (/^\\D$/.test(event.key)) event.preventDefault()">',
        typed("#f", "a1b2c3"),
        then={"f.value": "123"},
    ),
    row(
        "a field that hears the paste of its letters not",
        """<input id=f><script>f.onbeforeinput = (e) => { if (e.inputType != 'insertText') e.preventDefault();
        log.push(e.data) } </script>""",
        typed("#f", "abc"),
        then={"f.value": "abc", "log.join()": "a,b,c"},
    ),
    row(
        "a word that the field completes",
        """<input id=f><script>f.oninput = (e) => { const v = f.value; if (v && 'Barcelona'.startsWith(v) && e.inputType
        == 'insertText') { f.value = 'Barcelona'; f.setSelectionRange(v.length, 9) } }</script>""",
        typed("#f", "Barc"),
        press("End"),
        then={"f.value": "Barcelona"},
    ),
    row(
        "words that become tags at a comma",
        """<div id=t></div><input id=f><script>f.oninput = () => { if (f.value.endsWith(',')) {
        t.insertAdjacentHTML('beforeend', `<b>${f.value.slice(0, -1)}</b>`); f.value = '' } }</script>""",
        typed("#f", "red,blue,"),
        then={"[...t.children].map((b) => b.textContent).join()": "red,blue", "f.value": ""},
    ),
)


ROWS = (*THIEVES, *DIVIDED, *MASKS)
