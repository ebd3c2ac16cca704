"""A press arrives at the element it was aimed at, or the action says where it went; one small page per behaviour."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest

from acting import perform
from sampling import sampled
from site_server import Site
from stillframe.api.browser import Page
from stillframe.errors import ActionFailed, ElementCovered, PageUnresponsive, PressMissed
from stillframe.model.actions import (
    Action,
    Check,
    Click,
    DoubleClick,
    DragTo,
    Hover,
    LongPress,
    Offset,
    RightClick,
    Scroll,
    Tap,
)
from stillframe.tab.deadline import LATE_S, Deadline
from stillframe.tab.input import press, presses
from stillframe.tab.input.attempt import Attempt
from stillframe.tab.javascript import caller_scripts

STYLE = """<style>
  body { margin: 0 }
  .at { position: absolute; left: 50px; top: 50px; width: 120px; height: 40px }
  .over { position: absolute; left: 0; top: 0; width: 400px; height: 300px }
</style>
<script>
  window.log = [];
  const note = (name) => (event) => log.push(`${event.type} ${name}`);
  function hear(id, ...types) {
    for (const type of types) document.getElementById(id).addEventListener(type, note(id));
  }
  const INPUT = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick", "contextmenu",
    "touchstart", "touchend"];
</script>"""


OTHER_PROCESS = pytest.mark.parametrize("host", sampled(("127.0.0.1", "localhost"), ("localhost",)))
"""Where a frame comes from. One of another process has a session of its own, so more can go wrong with it."""


async def shown(page: Page, site: Site, body: str) -> Page:
    await page.goto(site.html("/press", STYLE + body))
    return page


async def log(page: Page) -> list[str]:
    entries: list[str] = await page.evaluate("log")
    return entries


# -- what is about to reach another element ------------------------------------------------------

# The popup passes the look (after the mouse has moved) and is gone when the button goes down.
COLLAPSES = """
<button id=row class=at>Row beneath</button>
<div id=popup class=at style="z-index:1">
  <button id=item class=at style="left:0;top:0">Item</button>
</div>
<script>
  hear("row", ...INPUT);
  hear("item", ...INPUT);
</script>"""


class Racing:
    """Makes something happen in the page between the last look at it and the press, once, and after the press."""

    def __init__(self, page: Page, script: str, then: str = "0") -> None:
        self.page, self.script, self.then, self.left = page, script, then, 1

    def __enter__(self) -> Racing:
        self._send = self.page.cdp_session.batch
        racing = self

        def batch(**more: object) -> object:
            class Raced:
                async def __aenter__(self) -> object:
                    if racing.left:
                        racing.left -= 1
                        await racing.page.evaluate(racing.script)
                    self.batch = racing._send(**more)  # type: ignore[arg-type]
                    return await self.batch.__aenter__()

                async def __aexit__(self, *exc: object) -> None:
                    await self.batch.__aexit__(*exc)  # type: ignore[arg-type]
                    await racing.page.evaluate(racing.then)

            return Raced()

        self.page.cdp_session.batch = batch  # type: ignore[method-assign,assignment]
        return self

    def __exit__(self, *exc: object) -> None:
        del self.page.cdp_session.batch


@pytest.mark.parametrize(
    "action",
    sampled(
        [
            Click(selector="#item"),
            Click(selector="#item", button="middle"),
            DoubleClick(selector="#item"),
            RightClick(selector="#item"),
            Tap(selector="#item"),
            DragTo(selector="#item", offset=Offset(x=20, y=20)),
        ],
        [Click(selector="#item")],
    ),
    ids=lambda action: action.kind + getattr(action, "button", ""),
)
async def test_a_press_about_to_reach_another_element_is_blocked(page: Page, site: Site, action: Action) -> None:
    await shown(page, site, COLLAPSES)
    with Racing(page, "popup.style.display = 'none'") as racing, pytest.raises(Exception, match="#item"):
        await perform(Attempt(page._tab), action, timeout=0.6)
    assert racing.left == 0
    assert await log(page) == []


async def test_a_press_that_was_blocked_is_done_again(page: Page, site: Site) -> None:
    await shown(page, site, COLLAPSES)
    with Racing(page, "popup.style.display = 'none'", "popup.style.display = ''"):
        await perform(Attempt(page._tab), Click(selector="#item"))
    assert await log(page) == [
        f"{type_} item" for type_ in ("pointerdown", "mousedown", "pointerup", "mouseup", "click")
    ]


async def test_a_page_that_may_have_heard_of_the_press_is_not_pressed_again(page: Page, site: Site) -> None:
    await shown(page, site, COLLAPSES + "<script>addEventListener('mousedown', note('window'), true)</script>")
    with Racing(page, "popup.style.display = 'none'"), pytest.raises(PressMissed, match=r"button#row") as caught:
        await perform(Attempt(page._tab), Click(selector="#item"))
    assert caught.value.receiver.startswith("button#row")
    assert caught.value.prevented is False


@pytest.mark.slow
async def test_after_a_blocked_press_the_page_is_as_usable_as_before(page: Page, site: Site) -> None:
    await shown(page, site, COLLAPSES)
    with Racing(page, "popup.style.display = 'none'"), pytest.raises(Exception, match="#item"):
        await perform(Attempt(page._tab), Click(selector="#item"), timeout=0.5)
    await perform(Attempt(page._tab), Click(selector="#row"))
    assert (await log(page))[-1] == "click row"


@pytest.mark.every_row
@pytest.mark.parametrize("delay", sampled((4, 8, 12, 16, 20, 24, 32, 40), (12,)))
async def test_a_popup_that_collapses_when_its_animation_opens(page: Page, site: Site, delay: int) -> None:
    """The case of the issue: whatever the moment, the row beneath is never clicked."""
    body = (
        """
    <style>@keyframes open { from { transform: scale(0) } to { transform: scale(1) } }
    .opening { animation: open .3s linear both }</style>"""
        + COLLAPSES
    )
    await shown(page, site, body)
    await page.evaluate(f"setTimeout(() => popup.classList.add('opening'), {delay}), 0")
    await perform(Attempt(page._tab), Click(selector="#item"))
    assert {entry.split()[1] for entry in await log(page)} == {"item"}


async def test_a_frame_that_opens_over_the_target_takes_the_press(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<button id=b class=at>B</button>
      <iframe id=ad class=over style="display:none" srcdoc="<p>ad"></iframe>""",
    )
    with Racing(page, "ad.style.display = 'block', ad.offsetWidth"), pytest.raises(PressMissed, match="iframe#ad"):
        await perform(Attempt(page._tab), Click(selector="#b"))


# -- a press that begins on one element and ends on another --------------------------------------


@pytest.mark.parametrize(
    "reaction",
    ["b.style.left = '300px'", "under.style.zIndex = 1", "b.style.pointerEvents = 'none'"],
    ids=["moves away", "goes under", "lets events through"],
)
async def test_a_press_that_ends_elsewhere_is_not_a_click(page: Page, site: Site, reaction: str) -> None:
    await shown(
        page,
        site,
        f"""<div id=under class=over></div><button id=b class=at>B</button>
      <script>b.onmousedown = () => {{ {reaction} }}; b.onclick = note("b")</script>""",
    )
    with pytest.raises(PressMissed, match="the press was released on div#under") as caught:
        await perform(Attempt(page._tab), Click(selector="#b"))
    assert caught.value.code == "press_missed"
    assert await log(page) == []


async def test_its_own_active_style_moves_it_away(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<style>#b:active { transform: translateY(200px) }</style>
      <button id=b class=at onclick="log.push('click')">B</button>""",
    )
    with pytest.raises(PressMissed):
        await perform(Attempt(page._tab), Click(selector="#b"))
    assert await log(page) == []


@pytest.mark.parametrize(
    "body",
    [
        "<button id=b class=at onmousedown='log.push(1); this.remove()'>B</button>",
        "<button id=b class=at onpointerdown='log.push(1); this.remove()'>B</button>",
        "<button id=b class=at onmousedown='log.push(1); this.style.display = `none`'>B</button>",
        "<button id=b class=at onmousedown='log.push(1); this.replaceWith(this.cloneNode(true))'>B</button>",
        "<button id=b class=at onmousedown='log.push(1); this.innerHTML = `<i>new</i>`'>B</button>",
        # A list that opens over what was pressed, as those of component libraries do: they keep the focus where it is.
        """<button id=b class=at>B</button><div id=list class=over style="display:none"></div>
        <script>b.onmousedown = (e) => { e.preventDefault(); log.push(1); list.style.display = "block" }</script>""",
        """<button id=b class=at>B</button><script>b.onpointerdown = (e) => {
        e.preventDefault(); log.push(1); document.body.style.pointerEvents = "none" }</script>""",
        # Menus that open on the press and close the rest of the page to the mouse, without preventing anything.
        "<main id=m><button id=b class=at onpointerdown='log.push(1); m.inert = true'>B</button></main>",
        """<button id=b class=at onpointerdown='log.push(1); document.body.style.pointerEvents = "none"'>B</button>""",
        # The pointer captured by what is around it: the release is redirected, and lies where it lay.
        """<div id=pad class=over><button id=b class=at>B</button></div><script>
        pad.onpointerdown = (e) => { log.push(1); pad.setPointerCapture(e.pointerId) }</script>""",
        "<style>#b:active { transform: translateY(3px) }</style><button id=b class=at onclick='log.push(1)'>B</button>",
        "<label id=b class=at>Name <input onclick='log.push(1)'></label>",
        "<button id=b class=at ondblclick='log.push(1)' onclick='log.push(1)'>B</button>",
    ],
    ids=[
        *("removed by mousedown", "removed by pointerdown", "hidden", "replaced", "new content"),
        *(
            "list over it",
            "body lets events through",
            "page made inert",
            "page closed to the mouse",
            "pointer captured",
            "active style",
            "label",
            "click",
        ),
    ],
)
async def test_a_press_that_the_page_answers_itself_is_completed(page: Page, site: Site, body: str) -> None:
    await shown(page, site, body)
    await perform(Attempt(page._tab), Click(selector="#b"))
    assert await log(page) == [1]


OPENS = """<style>@keyframes slide { from { transform: translateY(-90px) } }
.over { left: 20px; top: 95px; animation: slide .3s } #hint { height: 100px }</style>
<input id=f class=at><button id=b class=at>B</button>
<div id=low class=at><p id=hint hidden>Hint</p><input id=g></div>
<div id=pop class=over popover></div><dialog id=modal style="width:90%;height:90%"></dialog>"""


@pytest.mark.parametrize(
    ("selector", "reaction"),
    [
        ("#f", "b.remove(); low.remove(); f.onfocus = () => { log.push(1); pop.popover = null }"),
        ("#f", "b.remove(); low.remove(); f.onfocus = () => { log.push(1); pop.showPopover() }"),
        ("#b", "low.remove(); b.onmousedown = () => { log.push(1); pop.popover = null }"),
        ("#b", "low.remove(); b.onpointerdown = () => { log.push(1); modal.showModal() }"),
        ("#g", "b.remove(); f.remove(); g.onfocus = () => { log.push(1); hint.hidden = false }"),
    ],
    ids=["calendar slides in", "popover", "menu over a button", "modal dialog", "field moves down"],
)
async def test_what_a_press_opens_may_lie_under_its_release(
    page: Page, site: Site, selector: str, reaction: str
) -> None:
    await shown(page, site, f"{OPENS}<script>{reaction}</script>")
    await perform(Attempt(page._tab), Click(selector=selector))
    assert await log(page) == [1]


async def test_a_context_menu_opens_under_the_mouse(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<div id=b class=at>B</div><div id=menu class=over style="display:none"></div>
      <script>b.oncontextmenu = (e) => { e.preventDefault(); log.push("menu"); menu.style.display = "block" }
      </script>""",
    )
    await perform(Attempt(page._tab), RightClick(selector="#b"))
    assert await log(page) == ["menu"]


async def test_the_second_click_of_a_double_click_that_meets_a_dialog_is_blocked(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<button id=b class=at>B</button><div id=over class=over style="display:none"></div>
      <script>b.onclick = () => { over.style.display = "block" }; hear("over", ...INPUT)</script>""",
    )
    with pytest.raises(PressMissed, match="div#over"):
        await perform(Attempt(page._tab), DoubleClick(selector="#b"))
    assert await log(page) == []


# -- the look after the mouse has moved ----------------------------------------------------------


async def test_what_moves_away_from_the_mouse_once_is_followed(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<button id=b class=at>B</button><script>
      b.addEventListener("mousemove", () => { b.style.left = "300px"; b.dispatchEvent(new MouseEvent("click")) });
      hear("b", "mousemove", ...INPUT)</script>""",
    )
    await perform(Attempt(page._tab), Click(selector="#b"))
    entries = await log(page)
    assert entries[-5:] == [f"{type_} b" for type_ in ("pointerdown", "mousedown", "pointerup", "mouseup", "click")]
    assert entries.count("mousedown b") == 1


async def test_what_opens_under_the_mouse_is_not_pressed(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<button id=b class=at>B</button><div id=tip class=over style="display:none"></div>
      <script>b.onpointermove = () => { tip.style.display = "block" }; hear("tip", ...INPUT);
      hear("b", ...INPUT)</script>""",
    )
    with pytest.raises(ElementCovered, match="div#tip"):
        await perform(Attempt(page._tab), Click(selector="#b"), timeout=0.5)
    assert await log(page) == []


async def test_a_tooltip_over_what_is_hovered_is_what_hovering_is_for(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<button id=b class=at>B</button><div id=tip class=over style="display:none"></div>
      <script>b.onmousemove = () => { tip.style.display = "block"; log.push("shown") }</script>""",
    )
    await perform(Attempt(page._tab), Hover(selector="#b"), timeout=1)
    assert await log(page) == ["shown"]


@pytest.mark.slow
async def test_what_goes_when_the_mouse_comes(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<button id=b class=at>B</button><div id=under class=over style="z-index:-1"></div>
      <script>addEventListener("mousemove", () => b.remove()); hear("under", ...INPUT)</script>""",
    )
    with pytest.raises(Exception, match="#b"):
        await perform(Attempt(page._tab), Click(selector="#b"), timeout=0.5)
    assert await log(page) == []


# -- where else it must work ---------------------------------------------------------------------


async def test_after_document_open(page: Page, site: Site) -> None:
    await shown(page, site, "<button id=b class=at>B</button>")
    await perform(Attempt(page._tab), Click(selector="#b"))
    await page.evaluate(f"document.open(), document.write({json.dumps(STYLE + COLLAPSES)}), document.close()")
    with Racing(page, "popup.style.display = 'none'"), pytest.raises(Exception, match="#item"):
        await perform(Attempt(page._tab), Click(selector="#item"), timeout=0.6)
    assert await log(page) == []
    await perform(Attempt(page._tab), Click(selector="#row"))
    assert (await log(page))[-1] == "click row"


@pytest.mark.parametrize("mode", sampled(("open", "closed"), ("closed",)))
async def test_in_shadow_roots(page: Page, site: Site, mode: str) -> None:
    await shown(
        page,
        site,
        f"""<x-card class=over></x-card><script>
      customElements.define("x-card", class extends HTMLElement {{ constructor() {{
        super();
        const root = this.attachShadow({{ mode: "{mode}" }});
        root.innerHTML = `<style>button {{ position: absolute; left: 50px; top: 50px; width: 100px }}</style>
          <button id=row>Row</button><button id=item>Item</button>`;
        for (const b of root.querySelectorAll("button")) b.onclick = () => log.push(b.id);
        window.hide = () => root.querySelector("#item").style.display = "none";
      }} }})</script>""",
    )
    await perform(Attempt(page._tab), Click(selector="#item"))
    with Racing(page, "hide()"), pytest.raises(Exception, match="#item"):
        await perform(Attempt(page._tab), Click(selector="#item"), timeout=0.5)
    assert await log(page) == ["item"]


@OTHER_PROCESS
async def test_in_frames_of_this_and_other_processes(page: Page, site: Site, host: str) -> None:
    site.html("/inner", STYLE + COLLAPSES)
    await shown(
        page,
        site,
        f"""<div style="height:2000px"></div>
      <iframe id=f width=500 height=300 src="{site.url("/inner", host=host)}"></iframe>""",
    )
    await perform(Attempt(page._tab), Click(selector="frame=#f >> #item"))
    frame = next(frame for frame in page._tab.frames if not frame.is_main)
    assert (await caller_scripts.evaluate(frame, "log", deadline=Deadline(30)))[-1] == "click item"
    await caller_scripts.evaluate(
        frame, "log.length = 0, addEventListener('mousemove', () => { popup.remove() })", deadline=Deadline(30)
    )
    with pytest.raises(Exception, match="#item"):
        await perform(Attempt(page._tab), Click(selector="frame=#f >> #item"), timeout=0.5)
    assert await caller_scripts.evaluate(frame, "log", deadline=Deadline(30)) == []


@OTHER_PROCESS
async def test_a_frame_that_something_covers_in_part(page: Page, site: Site, host: str) -> None:
    """The middle of the element lies under the banner; the places beside it are free."""
    site.html("/inner", STYLE + COLLAPSES)
    await shown(
        page,
        site,
        f"""<iframe id=f width=500 height=300 style="border:0" src="{site.url("/inner", host=host)}"></iframe>
      <div style="position:absolute;left:100px;top:0;width:60px;height:300px;background:red">banner</div>""",
    )
    await perform(Attempt(page._tab), Click(selector="frame=#f >> #item"))
    frame = next(frame for frame in page._tab.frames if not frame.is_main)
    assert (await caller_scripts.evaluate(frame, "log", deadline=Deadline(30)))[-1] == "click item"
    await page.evaluate("document.querySelector('div').style.left = 0, 0")
    await page.evaluate("document.querySelector('div').style.width = '300px', 0")
    with pytest.raises(ElementCovered, match="banner"):
        await perform(Attempt(page._tab), Click(selector="frame=#f >> #item"), timeout=0.5)


@pytest.mark.every_row
@pytest.mark.parametrize("times", sampled((1, 3), (1,)))
@pytest.mark.parametrize("event", sampled(("pointerdown", "mousedown", "mouseup", "click"), ("pointerdown", "click")))
async def test_elements_that_navigate(page: Page, site: Site, event: str, times: int) -> None:
    target = site.html("/there", "<p id=there>there")
    for _ in range(times):
        await shown(
            page,
            site,
            f"""<button id=b class=at>B</button>
          <script>b.addEventListener("{event}", () => {{ location.href = "{target}" }})</script>""",
        )
        async with page.cdp_session.expect("Page.frameNavigated", timeout=10):
            await perform(Attempt(page._tab), Click(selector="#b"))


@OTHER_PROCESS
@pytest.mark.parametrize("selector", sampled(("#f", "#around"), ("#around",)))
async def test_an_element_that_holds_a_frame(page: Page, site: Site, selector: str, host: str) -> None:
    site.html("/inside", "<body onclick='window.hits = 1' style='height:500px'>")
    await shown(
        page, site, f"<div id=around class=at><iframe id=f src='{site.url('/inside', host=host)}'></iframe></div>"
    )
    frame = next(frame for frame in page._tab.frames if not frame.is_main)
    await perform(Attempt(page._tab), Click(selector=selector))
    assert await caller_scripts.evaluate(frame, "window.hits", deadline=Deadline(30)) == 1


async def test_a_select_and_a_checkbox(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<select id=s class=at><option>1<option>2</select>
      <label style="position:absolute;top:200px"><input id=c type=checkbox style="display:none">Yes</label>""",
    )
    await perform(Attempt(page._tab), Click(selector="#s"))
    await perform(Attempt(page._tab), Check(selector="#c"))
    assert await page.evaluate("c.checked") is True


@pytest.mark.slow
async def test_a_long_press(page: Page, site: Site) -> None:
    await shown(page, site, "<div id=b class=at>B</div><script>hear('b', 'touchstart', 'contextmenu')</script>")
    await perform(Attempt(page._tab), LongPress(selector="#b"))
    assert await log(page) == ["touchstart b", "contextmenu b"]


async def test_a_listener_of_the_page_keeps_the_press_to_itself(page: Page, site: Site) -> None:
    await shown(
        page,
        site,
        """<script>for (const type of INPUT) addEventListener(type, (e) => {
      e.stopImmediatePropagation(); log.push(type) }, true)</script><button id=b class=at>B</button>""",
    )
    await perform(Attempt(page._tab), Click(selector="#b"))
    assert "click" in await log(page)


async def test_reports_that_come_while_chrome_holds_back_commands(
    page: Page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chrome holds back commands once the press has started a navigation; the reports are on their way."""
    await shown(page, site, "<button id=b class=at>B</button><script>hear('b', 'click')</script>")
    held: list[Any] = []
    bindings = page._tab.frames.scripts.bindings
    add = bindings[presses.BINDING]
    monkeypatch.setitem(bindings, presses.BINDING, lambda *call: held.append(call))

    async def fetch(*_: Any) -> None:
        await page.evaluate("0")  # the calls come before this answer
        for call in held:
            add(*call)
        await asyncio.Event().wait()

    monkeypatch.setattr(press.Press, "_fetch_reports", fetch)
    await perform(Attempt(page._tab), Click(selector="#b"))
    assert await log(page) == ["click b"]


# -- nothing hangs -------------------------------------------------------------------------------


@pytest.mark.serial
@pytest.mark.parametrize("event", ["mousedown", "mousemove", "click"])
async def test_a_script_that_never_returns(page: Page, site: Site, event: str) -> None:
    await shown(page, site, f"<button id=b class=at>B</button><script>b.on{event} = () => {{ for (;;); }}</script>")
    began = time.monotonic()
    with pytest.raises(PageUnresponsive, match="does not answer"):
        await perform(Attempt(page._tab), Click(selector="#b"), timeout=1.0)
    assert time.monotonic() - began < 1.0 + LATE_S + 0.5


@pytest.mark.serial
@pytest.mark.parametrize(
    "action",
    [
        Click(selector="#b"),
        Hover(selector="#b"),
        Tap(selector="#b"),
        Scroll(selector="#b"),
        DragTo(selector="#b", target="#b"),
    ],
    ids=lambda action: action.kind,
)
async def test_a_page_that_is_busy_already(page: Page, site: Site, action: Action) -> None:
    await shown(page, site, "<button id=b class=at>B</button>")
    await page.evaluate("setTimeout(() => { for (;;); })")
    began = time.monotonic()
    with pytest.raises(PageUnresponsive, match="#b"):
        await perform(Attempt(page._tab), action, timeout=0.5)
    assert time.monotonic() - began < 0.5 + LATE_S + 0.5


@pytest.mark.serial
@pytest.mark.parametrize(
    "script",
    [
        "let n = 0; (function go() { b.style.left = `${50 + n++ % 200}px`; requestAnimationFrame(go) })()",
        "setInterval(() => { over.style.display = over.style.display ? '' : 'none' }, 5)",
        "b.onmousemove = () => { b.style.left = `${Math.random() * 500}px` }",
    ],
    ids=["moves for ever", "is covered now and then", "flees from the mouse"],
)
async def test_what_never_stands_still_ends_in_time(page: Page, site: Site, script: str) -> None:
    await shown(
        page,
        site,
        f"""<button id=b class=at>B</button><div id=over class=over style="display:none"></div>
      <script>{script}</script>""",
    )
    began = time.monotonic()
    click = perform(Attempt(page._tab), Click(selector="#b"), timeout=0.8)
    [outcome] = await asyncio.gather(click, return_exceptions=True)
    assert outcome is None or isinstance(outcome, ActionFailed)
    assert time.monotonic() - began < 2.3


async def test_a_cancelled_click_leaves_the_page_usable(page: Page, site: Site) -> None:
    await shown(page, site, "<button id=b class=at onclick=\"log.push('b')\">B</button>")
    for ms in (0, 5, 20, 40):
        task = asyncio.create_task(perform(Attempt(page._tab), Click(selector="#b")))
        await asyncio.wait([task], timeout=ms / 1000)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await page.evaluate("log.length = 0")
    await perform(Attempt(page._tab), Click(selector="#b"))
    assert (await log(page))[-1:] == ["b"]
