"""Actions on elements, and input from the keyboard and the mouse."""

from bench.lines.case import RAISES, Case

HEARD = "<script>const heard = []; const hear = (e) => heard.push(e.type + (e.key ? ' ' + e.key : ''))</script>"
BODY = (
    HEARD
    + """<button id=b onclick="heard.push('click ' + event.detail + ' ' + event.button + (event.shiftKey ? ' shift' : ''))"
ondblclick="heard.push('dblclick')" oncontextmenu="heard.push('menu')" onmouseenter="heard.push('enter')">Press</button>
<input id=i value=old oninput="heard.push('input')" onchange="heard.push('change')" onfocus="heard.push('focus')" onblur="heard.push('blur')">
<input id=c type=checkbox><label for=c id=l>Check</label><input type=radio name=r id=r1><input type=radio name=r id=r2>
<select id=s><option value=x>X<option value=y>Y</select><select id=m multiple><option>1<option>2<option>3</select>
<textarea id=t></textarea><div id=e contenteditable></div><input id=d type=date><input id=f type=file multiple><button id=off disabled>Off</button>
<p id=hidden hidden>x</p><div style="height: 2000px"></div><button id=far onclick="heard.push('far')">Far</button>"""
)
KEYS = HEARD + "<input id=k onkeydown='hear(event)' onkeyup='hear(event)' onkeypress='hear(event)'>"
AREA = (
    HEARD
    + """<div id=a style="width: 200px; height: 200px" onmousemove="heard.push(event.offsetX + ',' + event.offsetY)"
onmousedown='hear(event)' onmouseup='hear(event)' onwheel="heard.push('wheel ' + event.deltaY)"></div>"""
)
CARDS = """<div id=x draggable=true ondragstart="event.dataTransfer.setData('text', 'x')" style='width:50px;height:50px'>x</div>
<div id=y ondragover="event.preventDefault()" ondrop="this.textContent = event.dataTransfer.getData('text')" style='width:90px;height:90px'>y</div>"""


def does(lines: str, gives: object, html: str = BODY, look: str = "page.evaluate('heard.join()')") -> Case:
    """A behaviour that is looked at afterwards."""
    return Case(f"{lines}\nawait {look}", gives, html)


def value(lines: str, gives: object, selector: str = "#i") -> Case:
    """A behaviour after which a field has a value."""
    return does(lines, gives, look=f"page.locator('{selector}').input_value()")


ROWS = (
    does("await page.click('#b')", "enter,click 1 0"),
    does("await page.locator('#b').click()", "enter,click 1 0"),
    does("await page.locator('#b').dblclick()", "enter,click 1 0,click 2 0,dblclick"),
    does("await page.dblclick('#b')", "enter,click 1 0,click 2 0,dblclick"),
    does("await page.locator('#b').click(button='right')", "enter,menu"),
    does("await page.locator('#b').click(modifiers=['Shift'])", "enter,click 1 0 shift"),
    does("await page.locator('#b').click(click_count=2)", "enter,click 1 0,click 2 0,dblclick"),
    does("await page.hover('#b')", "enter"),
    does("await page.locator('#b').hover()", "enter"),
    does("await page.locator('#far').click()", "far"),
    does("await page.locator('#b').dispatch_event('click')", "click 0 0"),
    does("await page.locator('#b').click(trial=True)", "enter"),
    Case("await page.locator('#off').click()", RAISES, BODY),
    Case("await page.locator('#hidden').click()", RAISES, BODY),
    Case("await page.locator('#none').click()", RAISES, BODY),
    value("await page.fill('#i', 'new')", "new"),
    value("await page.locator('#i').fill('new')", "new"),
    value("await page.locator('#i').fill('')", ""),
    value("await page.locator('#i').clear()", ""),
    value("await page.locator('#i').press_sequentially('ab')", "oldab"),
    value("await page.locator('#i').press('End')\nawait page.keyboard.type('!')", "old!"),
    value("await page.locator('#t').fill('a\\nb')", "a\nb", "#t"),
    value("await page.locator('#d').fill('2020-02-03')", "2020-02-03", "#d"),
    does("await page.locator('#e').fill('rich')", "rich", look="page.locator('#e').inner_text()"),
    Case("await page.locator('#d').fill('no date')", RAISES, BODY),
    Case("await page.locator('#b').fill('x')", RAISES, BODY),
    does("await page.locator('#i').fill('a')\nawait page.locator('#i').blur()", "focus,input,change,blur"),
    does("await page.locator('#i').focus()", "focus"),
    does("await page.check('#c')", True, look="page.is_checked('#c')"),
    does("await page.locator('#c').check()", True, look="page.is_checked('#c')"),
    does("await page.locator('#c').check()\nawait page.locator('#c').uncheck()", False, look="page.is_checked('#c')"),
    does("await page.locator('#c').set_checked(True)", True, look="page.is_checked('#c')"),
    does("await page.locator('#l').click()", True, look="page.is_checked('#c')"),
    does("await page.get_by_label('Check').check()", True, look="page.is_checked('#c')"),
    does("await page.locator('#r2').check()", True, look="page.is_checked('#r2')"),
    Case("await page.locator('#r2').check()\nawait page.locator('#r2').uncheck()", RAISES, BODY),
    value("await page.select_option('#s', 'y')", "y", "#s"),
    value("await page.locator('#s').select_option('y')", "y", "#s"),
    value("await page.locator('#s').select_option(label='Y')", "y", "#s"),
    value("await page.locator('#s').select_option(index=1)", "y", "#s"),
    does(
        "await page.locator('#m').select_option(['1', '3'])",
        ["1", "3"],
        look="page.evaluate('[...m.selectedOptions].map(o => o.value)')",
    ),
    Case("await page.locator('#s').select_option('none')", RAISES, BODY),
    Case(
        "(folder / 'a.txt').write_text('abc')\nawait page.locator('#f').set_input_files(folder / 'a.txt')\nawait page.evaluate('f.files[0].name + f.files[0].size')",
        "a.txt3",
        BODY,
    ),
    Case(
        "await page.locator('#f').set_input_files([{'name': 'm.txt', 'mimeType': 'text/plain', 'buffer': b'xyz'}])\nawait page.evaluate('f.files[0].text()')",
        "xyz",
        BODY,
    ),
    Case(
        "await page.locator('#f').set_input_files([{'name': 'm.txt', 'mimeType': 'text/plain', 'buffer': b'xyz'}])\nawait page.locator('#f').set_input_files([])\nawait page.evaluate('f.files.length')",
        0,
        BODY,
    ),
    Case(
        "async with page.expect_file_chooser() as chosen:\n    await page.locator('#f').click()\nchooser = await chosen.value\nawait chooser.set_files([{'name': 'c.txt', 'mimeType': 'text/plain', 'buffer': b'1'}])\nawait page.evaluate('f.files[0].name')",
        "c.txt",
        BODY,
    ),
    does("await page.locator('#i').select_text()", "old", look="page.evaluate('getSelection().toString()')"),
    does("await page.locator('#far').scroll_into_view_if_needed()", True, look="page.evaluate('scrollY > 0')"),
    does("await page.focus('#k')\nawait page.keyboard.press('a')", "keydown a,keypress a,keyup a", KEYS),
    does(
        "await page.focus('#k')\nawait page.keyboard.press('Shift+A')",
        "keydown Shift,keydown A,keypress A,keyup A,keyup Shift",
        KEYS,
    ),
    does(
        "await page.focus('#k')\nawait page.keyboard.down('Control')\nawait page.keyboard.up('Control')",
        "keydown Control,keyup Control",
        KEYS,
    ),
    does("await page.focus('#k')\nawait page.keyboard.type('hi')", "hi", KEYS, "page.input_value('#k')"),
    does("await page.focus('#k')\nawait page.keyboard.insert_text('äß')", "äß", KEYS, "page.input_value('#k')"),
    does("await page.fill('#k', 'abc')\nawait page.press('#k', 'Backspace')", "ab", KEYS, "page.input_value('#k')"),
    does(
        "await page.fill('#k', 'abc')\nawait page.press('#k', 'Home')\nawait page.keyboard.press('Delete')",
        "bc",
        KEYS,
        "page.input_value('#k')",
    ),
    does(
        "await page.fill('#k', 'abc')\nawait page.press('#k', 'Control+A')\nawait page.keyboard.press('x')",
        "x",
        KEYS,
        "page.input_value('#k')",
    ),
    does(
        "await page.fill('#k', 'abc')\nawait page.press('#k', 'ControlOrMeta+a')\nawait page.keyboard.press('y')",
        "y",
        KEYS,
        "page.input_value('#k')",
    ),
    does("await page.focus('#k')\nawait page.keyboard.press('ArrowLeft')", "keydown ArrowLeft,keyup ArrowLeft", KEYS),
    does(
        "await page.focus('#k')\nawait page.keyboard.press('Enter')", "keydown Enter,keypress Enter,keyup Enter", KEYS
    ),
    Case("await page.keyboard.press('NoSuchKey')", RAISES, KEYS),
    does("await page.mouse.move(58, 58)", "50,50", AREA),
    does(
        "await page.mouse.move(18, 18)\nawait page.mouse.down()\nawait page.mouse.up()", "10,10,mousedown,mouseup", AREA
    ),
    does("await page.mouse.click(18, 18)", "10,10,mousedown,mouseup", AREA),
    does("await page.mouse.move(18, 18)\nawait page.mouse.move(28, 18, steps=2)", "10,10,15,10,20,10", AREA),
    does(
        "await page.mouse.move(18, 18)\nawait page.mouse.wheel(0, 120)\nawait page.wait_for_function('heard.length > 1')",
        "10,10,wheel 120",
        AREA,
    ),
    does("await page.drag_and_drop('#x', '#y')", "x", CARDS, "page.inner_text('#y')"),
    does("await page.locator('#x').drag_to(page.locator('#y'))", "x", CARDS, "page.inner_text('#y')"),
    does("await page.locator('#a').click(position={'x': 30, 'y': 40})", "30,40,mousedown,mouseup", AREA),
    does("e = await page.query_selector('#b')\nawait e.click()", "enter,click 1 0"),
    does("e = await page.query_selector('#i')\nawait e.fill('z')", "z", look="page.input_value('#i')"),
    does("await page.main_frame.click('#b')", "enter,click 1 0"),
    does("await page.main_frame.fill('#i', 'f')", "f", look="page.input_value('#i')"),
    does("await page.locator('#b').highlight()", "", look="page.evaluate('heard.join()')"),
)
