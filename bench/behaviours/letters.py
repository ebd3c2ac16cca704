"""Letters in the scripts of the world, carets, editors and keys that a page listens for."""

from __future__ import annotations

from bench.behaviours.acting import row
from bench.behaviours.case import Behaviour, only
from bench.doing import click, fill, focus, keys, mark, press, typed


def written(name: str, text: str) -> tuple[Behaviour, ...]:
    """Two rows: some text in a field, and each of its letters as a key."""
    plain = row(f"{name} in a field", "<input id=f>", typed("#f", text), then={"f.value": text})
    pressed = only(
        name=f"{name} as keys",
        html="""<div id=f tabindex=0></div><script>f.onkeydown = (e) => { if (e.key.length > 2 &&
        !/\\p{Emoji}/u.test(e.key)) return; e.preventDefault(); f.textContent += e.key }</script>""",
        do=(typed("#f", text),),
        then={"f.textContent": text},
    )
    return plain, pressed


SCRIPTS = (
    *written("Greek", "Ωδή στη χαρά"),
    *written("Russian", "Привет, мир"),
    *written("German", "Größe für 5 €"),
    *written("Turkish", "ığdır İzmir"),
    *written("Japanese", "日本語のかな"),
    *written("Hebrew", "שלום"),
    row("Hindi in a field", "<input id=f>", typed("#f", "नमस्ते"), then={"f.value": "नमस्ते"}),
    row("a mark that combines", "<input id=f>", typed("#f", "e\u0301o\u0308"), then={"f.value": "e\u0301o\u0308"}),
    row("a family and a flag", "<input id=f>", typed("#f", "👩‍👩‍👧🇳🇴👍🏽"), then={"f.value": "👩‍👩‍👧🇳🇴👍🏽"}),
    row("a letter of the second plane", "<input id=f>", typed("#f", "𝒳𠮷"), then={"f.value": "𝒳𠮷"}),
    row(
        "the events of a letter",
        """<input id=f><script>for (const t of ['keydown', 'keypress', 'beforeinput', 'input', 'keyup'])
        f.addEventListener(t, () => log.push(t))</script>""",
        typed("#f", "k"),
        then={"log.join()": "keydown,keypress,beforeinput,input,keyup"},
    ),
    row(
        "the code of a letter",
        "<input id=f onkeydown='log.push(event.code)'>",
        typed("#f", "q7"),
        then={"log.join()": "KeyQ,Digit7"},
    ),
    only(
        name="the key of a letter that the layout lacks",
        html="<input id=f onkeydown='log.push(event.key)'>",
        do=(typed("#f", "ßя"),),
        then={"log.join()": "ß,я", "f.value": "ßя"},
    ),
    row("tags and entities are letters", "<input id=f>", typed("#f", "<b>&amp;</b>"), then={"f.value": "<b>&amp;</b>"}),
)


def ends(name: str, field: str, typed_text: str, value: str) -> Behaviour:
    """A row in which letters go to the end of what a field has."""
    return only(name=name, html=field, do=(typed("#f", typed_text),), then={"f.value": value})


CARETS = (
    ends("letters after the text of a field", "<input id=f value=ab>", "cd", "abcd"),
    ends("letters after the digits of a number", "<input id=f type=number value=12>", "34", "1234"),
    ends("letters after an address", "<input id=f type=email value=ann@>", "b.org", "ann@b.org"),
    ends("letters after a URL", "<input id=f type=url value=http://a>", ".org", "http://a.org"),
    ends("letters after the lines of an area", "<textarea id=f>a\nb</textarea>", "c", "a\nbc"),
    ends("letters after a secret", "<input id=f type=password value=12>", "3", "123"),
    row(
        "letters where the caret is",
        "<input id=f value=ad>",
        press("Home", "#f"),
        press("ArrowRight"),
        keys("bc"),
        then={"f.value": "abcd"},
    ),
    row(
        "letters in the place of what is selected",
        "<input id=f value='old text'>",
        mark("#f"),
        keys("new"),
        then={"f.value": "new"},
    ),
    row(
        "a word that is taken back",
        "<input id=f value='one two'>",
        press("End", "#f"),
        press("Control+Backspace"),
        then={"f.value": "one "},
    ),
    row(
        "the end of a line that is taken back",
        "<input id=f value=abcdef>",
        press("Home", "#f"),
        press("ArrowRight", times=2),
        press("Shift+End"),
        press("Delete"),
        then={"f.value": "ab"},
    ),
    row(
        "a family that is taken back",
        "<input id=f>",
        typed("#f", "a👍🏽"),
        press("Backspace"),
        then={"f.value": "a"},
    ),
    row(
        "a line above",
        "<textarea id=f>ab\ncd</textarea>",
        press("Control+Home", "#f"),
        press("ArrowDown"),
        keys("x"),
        then={"f.value": "ab\nxcd"},
    ),
    row("a day by its digits", "<input id=f type=date>", typed("#f", "03042027"), then={"f.value": "2027-03-04"}),
    row("an hour by its digits", "<input id=f type=time>", typed("#f", "0945PM"), then={"f.value": "21:45"}),
    row(
        "a number by its keys",
        "<input id=f type=number step=any>",
        typed("#f", "-1.5e3"),
        then={"f.valueAsNumber": -1500},
    ),
    row(
        "a number by its arrows",
        "<input id=f type=number value=5 step=5>",
        press("ArrowUp", "#f", times=2),
        then={"f.value": "15"},
    ),
)

EDITORS = (
    only(
        name="letters after the words of an editor",
        html="<div id=e contenteditable><p>One</p><p>two</p></div>",
        do=(typed("#e", "!"),),
        then={"e.innerText.trim()": "One\n\ntwo!"},
    ),
    row(
        "two lines in an editor",
        "<div id=e contenteditable></div>",
        typed("#e", "ab\ncd"),
        then={"e.innerText.trim().split('\\n').filter(Boolean).join()": "ab,cd"},
    ),
    row(
        "an editor for plain text",
        "<div id=e contenteditable=plaintext-only></div>",
        typed("#e", "<b>x</b>"),
        then={"e.textContent": "<b>x</b>"},
    ),
    row(
        "an editor that keeps its own model",
        """<div id=e contenteditable></div><script>model = ''; e.addEventListener('beforeinput', (ev) => {
        ev.preventDefault(); if (ev.inputType == 'insertText') model += ev.data; if (ev.inputType ==
        'deleteContentBackward') model = model.slice(0, -1); e.innerHTML =
        `<p>${model.replace(/(#\\w+)/g, '<b>$1</b>')}</p>`; getSelection().selectAllChildren(e);
        getSelection().collapseToEnd() })</script>""",
        typed("#e", "go #north now"),
        press("Backspace"),
        then={"model": "go #north no", "e.querySelector('b').textContent": "#north"},
    ),
    row(
        "an editor whose letters go into a hidden area",
        """<div id=e style='border:1px solid;height:60px;position:relative'><pre id=v></pre><textarea id=a
        style='position:absolute; opacity:0;width:1px;height:1px'></textarea></div><script>e.onmousedown = (ev) => {
        ev.preventDefault(); a.focus() }; a.oninput = () => { v.textContent += a.value; a.value = '' }</script>""",
        click("#e"),
        keys("let x"),
        then={"v.textContent": "let x"},
    ),
    row(
        "a terminal that hears keys",
        """<pre id=t tabindex=0>$ </pre><script>t.onkeydown = (e) => { if (e.key == 'Enter') t.textContent += '\\n$ ';
        else if (e.key == 'Backspace') t.textContent = t.textContent.slice(0, -1); else if (e.key.length == 1)
        t.textContent += e.key; e.preventDefault() }</script>""",
        typed("#t", "lx"),
        press("Backspace"),
        keys("s"),
        press("Enter"),
        then={"t.textContent": "$ ls\n$ "},
    ),
    row(
        "an editor in a frame that is designed",
        "<iframe id=i></iframe><script>i.contentDocument.designMode = 'on'</script>",
        typed("frame=#i >> body", "Dear Ann"),
        then={"i.contentDocument.body.textContent.trim()": "Dear Ann"},
    ),
    row(
        "a mention that a list completes",
        """<div id=e contenteditable></div><ul id=l hidden><li>ann</li></ul><script>e.oninput = () => { l.hidden =
        !e.textContent.endsWith('@') }; e.onkeydown = (ev) => { if (ev.key == 'Enter' && !l.hidden) {
        ev.preventDefault(); document.execCommand('insertText', false, 'ann '); l.hidden = true } }</script>""",
        typed("#e", "hi @"),
        press("Enter"),
        keys("ok"),
        then={"e.textContent.replace(/\\s/g, ' ')": "hi @ann ok"},
    ),
    row(
        "an island in an editor that is not edited",
        "<div id=e contenteditable>a<span contenteditable=false id=s onclick=\"log.push('hit')\">chip</span></div>",
        click("#s"),
        then={"log.join()": "hit"},
    ),
)

SHORTCUTS = (
    row(
        "enter sends a form",
        "<form action='#sent'><input id=f name=q></form>",
        typed("#f", "x\n"),
        then={"location.search": "?q=x"},
    ),
    row(
        "escape closes a dialog",
        "<dialog id=d>Hi</dialog><script>d.showModal()</script>",
        press("Escape"),
        then={"d.open": False},
    ),
    row(
        "a shortcut of the page",
        "<script>onkeydown = (e) => { if (e.ctrlKey && e.key == 'k') { e.preventDefault(); log.push('palette') } "
        "}</script>",
        press("Control+k"),
        then={"log.join()": "palette"},
    ),
    row(
        "two keys in turn",
        """<script>let first = ''; onkeydown = (e) => { if (first == 'g' && e.key == 'i') log.push('inbox'); first =
        e.key }</script>""",
        press("g"),
        press("i"),
        then={"log.join()": "inbox"},
    ),
    row(
        "the tab key over fields of all kinds",
        "<input id=a><a href='#x'>Link</a><button tabindex=-1>No</button><select id=s><option>a</select><div id=d "
        "tabindex=0></div>",
        focus("#a"),
        press("Tab", times=3),
        then={"document.activeElement.id": "d"},
    ),
    row(
        "the tab key back",
        "<input id=a><input id=b>",
        focus("#b"),
        press("Shift+Tab"),
        then={"document.activeElement.id": "a"},
    ),
    row(
        "a focus that is held in a dialog",
        """<button id=o>Out</button><div role=dialog><input id=a><button id=b>Save</button></div><script>b.onkeydown =
        (e) => { if (e.key == 'Tab') { e.preventDefault(); a.focus() } }</script>""",
        focus("#b"),
        press("Tab"),
        keys("x"),
        then={"a.value": "x"},
    ),
    row("a key on a link", "<a id=a href='#there'>Go</a>", press("Enter", "#a"), then={"location.hash": "#there"}),
    row(
        "a key on a summary",
        "<details id=d><summary id=s>More</summary>x</details>",
        press("Enter", "#s"),
        then={"d.open": True},
    ),
    row(
        "copy and paste",
        "<input id=a value=word><input id=b>",
        mark("#a"),
        press("Control+c"),
        focus("#b"),
        press("Control+v"),
        then={"b.value": "word"},
    ),
    row(
        "a step back",
        "<input id=f>",
        typed("#f", "abc"),
        press("Control+z"),
        then={"f.value": ""},
    ),
    row(
        "what is filled can be taken back",
        "<textarea id=f>old</textarea>",
        fill("#f", "new"),
        press("Control+z", "#f"),
        then={"f.value": "old"},
        rival=False,
    ),
)


ROWS = (*SCRIPTS, *CARETS, *EDITORS, *SHORTCUTS)
