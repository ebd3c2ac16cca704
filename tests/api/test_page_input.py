"""`page.keyboard`, `page.mouse` and `page.touchscreen`: real input, with keys and buttons that stay down."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from site_server import Site
from stillframe import DropFiles, FilePayload, InsertText, KeyDown, KeyUp, PressKey
from stillframe.api.browser import Page
from stillframe.errors import ActionInvalid, DropMissed
from stillframe.model.actions import upload

BODY = """<body style="margin: 0"><style>body > * { position: absolute }</style>
<input id=field style="left: 10px; top: 10px"><a id=link href="#here" style="left: 10px; top: 60px">link</a>
<input id=password type=password style="left: 10px; top: 90px">
<div id=lift draggable=true style="left: 300px; top: 10px; width: 50px; height: 50px; background: red">a</div>
<div id=zone style="left: 400px; top: 100px; width: 150px; height: 150px; background: green">zone</div>
<input id=files type=file multiple style="left: 10px; top: 300px">
<div style="top: 3000px">end</div>
<script>
let seen = []
const held = (e) => (e.shiftKey ? 'S' : '') + (e.ctrlKey ? 'C' : '')
for (const type of ['keydown', 'keyup'])
  addEventListener(type, (e) => seen.push([type, e.key, held(e), e.repeat ? 'again' : ''].join(' ').trim()), true)
for (const type of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu'])
  addEventListener(type, (e) => seen.push([type, e.clientX, e.clientY, e.buttons, held(e)].join(' ').trim()), true)
const take = () => seen.splice(0)
lift.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'cargo')
zone.ondragover = (e) => e.preventDefault()
zone.ondrop = (e) => {
  e.preventDefault()
  const names = Array.from(e.dataTransfer.files, (file) => file.name)
  zone.textContent = names.join(' ') || e.dataTransfer.getData('text/plain')
}
</script>"""


@pytest.fixture
async def board(page: Page, site: Site) -> Page:
    await page.goto(site.html("/board", BODY))
    return page


async def taken(page: Page) -> Any:
    return await page.evaluate("take()")


async def test_a_key_that_is_held_holds_for_later_keys_clicks_and_actions(board: Page) -> None:
    await board.focus("#field")
    await taken(board)
    await board.keyboard.down("Shift")
    await board.keyboard.press("a")
    assert await taken(board) == ["keydown Shift S", "keydown A S", "keyup A S"]
    await board.press(None, "ArrowLeft")
    assert await board.evaluate("[field.value, field.selectionStart, field.selectionEnd]") == ["A", 0, 1]
    await board.click("#link")
    assert any(each.startswith("click") and each.endswith("S") for each in await taken(board))
    await board.keyboard.up("Shift")
    await board.mouse.click(15, 65)
    assert not any(each.endswith("S") for each in await taken(board) if each.startswith("click"))


async def test_a_key_that_is_down_repeats_and_a_shortcut_types_nothing(board: Page) -> None:
    await board.focus("#field")
    await taken(board)
    for _ in range(2):
        await board.keyboard.down("x")
    await board.keyboard.up("x")
    assert await taken(board) == ["keydown x", "keydown x  again", "keyup x"]
    await board.keyboard.down("ControlOrMeta")
    await board.keyboard.press("a")
    await board.keyboard.type("b")
    await board.keyboard.up("ControlOrMeta")
    assert await board.evaluate("[field.value, field.selectionStart, field.selectionEnd]") == ["xx", 0, 2]


async def test_text_is_typed_with_pauses_and_inserted_without_keys(board: Page) -> None:
    await board.focus("#field")
    await board.keyboard.type("hé😀", delay_ms=1)
    await taken(board)
    await board.keyboard.insert_text("!")
    assert await board.evaluate("field.value") == "hé😀!"
    assert await taken(board) == []
    await board.keyboard.press("Control+a", delay_ms=1)
    assert await taken(board) == ["keydown Control C", "keydown a C", "keyup a C", "keyup Control"]


async def test_what_is_typed_into_a_password_field_is_secret(board: Page) -> None:
    await board.focus("#password")
    await board.keyboard.type("open-sesame")
    assert "sesame" not in board.context.redaction.redact("open-sesame")


async def test_held_keys_work_in_sequences_and_end_with_the_document(board: Page) -> None:
    await board.focus("#field")
    keys = [KeyDown("Shift"), PressKey("x"), KeyUp("Shift"), InsertText("yz"), InsertText("#field", "!")]
    result = await board.execute_sequence(keys)
    assert (result.completed, await board.evaluate("field.value")) == (5, "Xyz!")
    await board.keyboard.down("Shift")
    await board.reload()
    await board.focus("#field")
    await board.keyboard.press("x")
    assert await board.evaluate("field.value") == "x"


async def test_the_mouse_moves_in_steps_with_the_buttons_that_are_down(board: Page) -> None:
    await board.mouse.move(600, 300)
    await taken(board)
    await board.mouse.down()
    await board.mouse.move(620, 320, steps=2)
    await board.mouse.up()
    assert await taken(board) == [
        *("mousedown 600 300 1", "mousemove 610 310 1", "mousemove 620 320 1", "mouseup 620 320 0", "click 620 320 0")
    ]
    await board.mouse.dblclick(610, 310)
    assert [each.split()[0] for each in await taken(board)] == [
        *("mousemove", "mousedown", "mouseup", "click", "mousedown", "mouseup", "click", "dblclick")
    ]
    await board.mouse.click(610, 310, button="right", delay_ms=1)
    assert "contextmenu 610 310 2" in await taken(board)


async def test_the_mouse_drags_what_the_browser_drags(board: Page) -> None:
    await board.mouse.move(325, 30)
    await board.mouse.down()
    await board.mouse.move(450, 150, steps=5)
    await board.mouse.up()
    assert await board.evaluate("zone.textContent") == "cargo"
    await taken(board)
    await board.mouse.click(620, 300)
    assert "click 620 300 0" in await taken(board)


async def test_the_wheel_and_the_finger(board: Page) -> None:
    await board.mouse.move(700, 300)
    await board.mouse.wheel(0, 400)
    await board.settle()
    assert await board.evaluate("scrollY") == 400
    await board.evaluate("scrollTo(0, 0)")
    await taken(board)
    await board.touchscreen.tap(620, 300)
    assert "click 620 300 0" in await taken(board)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda page: page.keyboard.down("Control+A"), "one key is held"),
        (lambda page: page.keyboard.press("Foo"), "unknown key 'Foo'"),
        (lambda page: page.keyboard.type("a" * 100, delay_ms=1_000), "larger timeout_ms"),
        (lambda page: page.keyboard.press("a", delay_ms="5"), "delay_ms is '5'"),
        (lambda page: page.mouse.move("a", 1), "x is 'a': it must be a number"),
        (lambda page: page.mouse.move(1, float("nan")), "y is nan"),
        (lambda page: page.mouse.move(1, 2, steps=0), "steps is 0"),
        (lambda page: page.mouse.down(button="lft"), "did you mean 'left'"),
        (lambda page: page.mouse.wheel(0, None), "delta_y is None"),
        (lambda page: page.touchscreen.tap(1, "b"), "y is 'b'"),
    ],
)
@pytest.mark.every_row
async def test_wrong_arguments_say_what_is_right(page: Page, call: Any, words: str) -> None:
    with pytest.raises(ActionInvalid, match=words):
        await call(page)


# -- files ---------------------------------------------------------------------------------------------------

READ = "Promise.all(Array.from(files.files, async (file) => [file.name, file.type, await file.text()]))"


async def test_files_from_memory(board: Page) -> None:
    pair = [
        {"name": "a.csv", "mimeType": "text/csv", "buffer": b"1,2"},
        FilePayload("b.txt", "text/plain", b"\xc3\xa9"),
    ]
    await board.evaluate("files.onchange = () => { window.changed = files.files.length }")
    await board.set_input_files("#files", pair)
    assert await board.evaluate(READ) == [["a.csv", "text/csv", "1,2"], ["b.txt", "text/plain", "é"]]
    assert await board.evaluate("changed") == 2
    await board.locator("#files").set_input_files(b"raw")
    assert await board.evaluate(READ) == [["file", "application/octet-stream", "raw"]]
    as_json = {
        "action": "upload_content",
        "selector": "#files",
        "files": [{"name": "c", "mimeType": "", "buffer": "aGk="}],
    }
    assert (await board.execute_sequence([as_json])).completed == 1
    assert await board.evaluate(READ) == [["c", "", "hi"]]
    await board.set_input_files("#files", [])
    assert await board.evaluate("[files.files.length, changed]") == [0, 0]


def test_paths_and_contents_do_not_mix() -> None:
    with pytest.raises(ActionInvalid, match="not both in one call"):
        upload("#files", ["a.txt", b"raw"])  # type: ignore[list-item]
    with pytest.raises(ActionInvalid, match="without a path"):
        upload("#files", {"name": "../a", "mimeType": "", "buffer": b""})


async def test_files_are_dropped_where_the_page_takes_them(board: Page, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text(name)
    result = await board.drop_files("#zone", [tmp_path / "a.txt", tmp_path / "b.txt"])
    assert result.state_change is not None
    assert await board.evaluate("zone.textContent") == "a.txt b.txt"
    missed = await board.execute_sequence([DropFiles("#link", tmp_path / "a.txt")])
    assert missed.failed is not None
    assert missed.failed.code == DropMissed.code


DROPPED = """zone.ondrop = async (event) => {
  event.preventDefault();
  const texts = ["text/plain", "text/html", "text/uri-list", "app/x"].map((type) => event.dataTransfer.getData(type));
  window.dropped = [event.isTrusted, ...texts, ...Array.from(event.dataTransfer.files, (file) => file.name)];
}"""


async def test_texts_are_dropped_alone_and_with_files(board: Page, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    await board.evaluate(DROPPED)
    await board.drop_files("#zone", data={"text/plain": "hello", "app/x": "1"})
    assert await board.evaluate("dropped") == [True, "hello", "", "", "1"]
    rich = {"text/html": "<b>bold</b>", "text/uri-list": "https://example.com/"}
    await board.locator("#zone").drop({"files": tmp_path / "a.txt", "data": rich})
    trusted, _, html, link, _, name = await board.evaluate("dropped")
    assert (trusted, html, link.rstrip(), name) == (True, "<b>bold</b>", "https://example.com/", "a.txt")
    with pytest.raises(DropMissed, match="data was dropped there, but nothing there takes it"):
        await board.locator("#link").drop({"data": {"text/plain": "hello"}})


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        ({}, "there is no data; give one of the two"),
        ({"data": {}}, "there is no data"),
        ({"data": {"plain": "x"}}, "'plain' is not a MIME type"),
        ({"data": {"text/plain": 1}}, "data"),
        ({"file": "a.txt"}, "a mapping with 'files', 'data', or both"),
        ("a.txt", "a mapping with 'files'"),
        ({"files": {"name": "a", "mimeType": "", "buffer": b""}}, "write the content to a file"),
    ],
)
@pytest.mark.every_row
async def test_a_drop_of_nothing_or_from_memory_is_refused(board: Page, payload: Any, words: str) -> None:
    with pytest.raises(ActionInvalid, match=words):
        await board.locator("#zone").drop(payload)
