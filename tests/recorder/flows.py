"""What a person does on the pages of the tests, and what the page shows then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from stillframe import (
    Check,
    Click,
    DoubleClick,
    DragTo,
    Focus,
    GoBack,
    Hover,
    Navigate,
    PressKey,
    RightClick,
    Scroll,
    TypeText,
    UploadFile,
    WaitFor,
)
from stillframe.model.actions import Action, Offset, Position

HERE = Path(__file__)


class Flow(NamedTuple):
    """One flow: where it begins, what a person does there, and an expression for what the page shows at the end.

    `secrets` are the texts that the person types into fields that hide them, by the names that the recorder gives them.
    """

    name: str
    path: str
    person: Sequence[Action]
    shows: str
    secrets: Mapping[str, str] = {}


SHOP = (
    Flow(
        "log in",
        "/login",
        [TypeText("#user", "ann"), TypeText("#pass", "lantern"), PressKey("#pass", "Enter"), WaitFor("#welcome")],
        "document.title + document.querySelector('#welcome').textContent",
        {"password": "lantern"},
    ),
    Flow(
        "correct a form",
        "/join",
        [
            TypeText("#email", "nobody"),
            Click("#join"),
            WaitFor("#email-message"),
            Click("#email", click_count=3),
            TypeText("#email", "ann@example.org"),
            Click("text=Send me letters about lamps"),
            Click("#join"),
            WaitFor(".good"),
        ],
        "document.querySelector('#email-message').className + letters.checked + email.value",
    ),
    Flow(
        "add to the cart",
        "/shop",
        [Click("role=button[name='Add to cart'] >> nth=0"), Click("role=button[name='Add to cart'] >> nth=2")],
        "document.querySelector('#cart, [id*=cart]').textContent",
    ),
)

FLOWS = (
    Flow(
        "menu shown by the style sheet",
        "/record/menus.html",
        [Hover("text=File"), Hover("#export"), Click("#svg")],
        "chosen.textContent",
    ),
    Flow(
        "menu shown by a script",
        "/record/menus.html",
        [Hover("#far"), WaitFor("text=Ruler"), Click("text=Ruler")],
        "chosen.textContent",
    ),
    Flow(
        "order form",
        "/record/forms.html",
        [
            PressKey("#size", "ArrowDown"),
            Click("#toppings >> text=Olives"),
            Click("#toppings >> text=Basil", modifiers=["Control"]),
            Click("text=By bike"),
            Check("#gift"),
            Click("#styled-label"),
            Click("#day", position=Position(12, 10)),
            TypeText("03042026"),
            Focus("#strength"),
            PressKey("#strength", "ArrowRight", times=3),
            Click("#note"),
            TypeText("#note", "ring"),
            PressKey("#note", "Enter"),
            TypeText("twice"),
            Click("#amount", click_count=3),
            TypeText("4"),
            Click("text=Order >> nth=0"),
            WaitFor("#summary:not(:empty)"),
        ],
        "summary.textContent",
    ),
    Flow(
        "pages of one template",
        "/record/pages.html",
        [
            Click("#next"),
            WaitFor(text="Birch"),
            Click("#open"),
            WaitFor(text="opened Birch"),
            Click("#next"),
            WaitFor(text="Cedar"),
            Click("#open"),
            WaitFor(text="opened Cedar"),
        ],
        "head.textContent + said.textContent",
    ),
    Flow(
        "back, and an address",
        "/record/pages.html",
        [
            Click("#next"),
            WaitFor(text="Birch"),
            GoBack(),
            WaitFor(text="Ash"),
            Navigate("/record/pages.html?n=3"),
            Click("#open"),
            WaitFor(text="opened"),
        ],
        "head.textContent + said.textContent",
    ),
    Flow(
        "an anchor",
        "/record/pages.html",
        [Click("#notes-link")],
        "said.textContent + location.hash",
    ),
    Flow(
        "double, shift, right and middle click",
        "/record/gestures.html",
        [DoubleClick("#cell"), Click("#cell", modifiers=["Shift"]), RightClick("#row"), Click("#row", button="middle")],
        "out.textContent",
    ),
    Flow(
        "a place on a canvas",
        "/record/gestures.html",
        [Click("#canvas", position=Position(150, 20)), Click("#canvas", position=Position(20, 20))],
        "out.textContent",
    ),
    Flow(
        "a slider of the page's own",
        "/record/gestures.html",
        [DragTo("#thumb", offset=Offset(200, 0))],
        "out.textContent",
    ),
    Flow(
        "a list that grows",
        "/record/gestures.html",
        [Scroll("#list", pixels=400), WaitFor("#pick", state="attached"), Click("#pick")],
        "out.textContent",
    ),
    Flow("details", "/record/gestures.html", [Click("text=More about it"), Click("#deep")], "out.textContent"),
    Flow(
        "keys in a list, and a chord",
        "/record/gestures.html",
        [
            PressKey("#options", "ArrowDown"),
            PressKey("#options", "ArrowDown"),
            PressKey("#options", "Enter"),
            PressKey("Control+KeyK"),
        ],
        "out.textContent",
    ),
    Flow(
        "typed secrets",
        "/record/secrets.html",
        [
            TypeText("#account", "ann"),
            TypeText("#passphrase", "open sesame now"),
            TypeText("#again", "open sesame now"),
            TypeText("#code", "493017"),
            Click("text=Enter"),
        ],
        "document.querySelector('#state').textContent",
        {"passphrase": "open sesame now", "again": "open sesame now", "code": "493017"},
    ),
    Flow(
        "suggestions",
        "/act/autocomplete.html",
        [TypeText("#q", "o"), WaitFor("text=three"), Hover("text=two"), Click("text=three")],
        "out.textContent",
    ),
    Flow(
        "a dragged element",
        "/act/drag.html",
        [DragTo("#native", "#zone")],
        "log.filter((row) => row.startsWith('drop')).join()",
    ),
    Flow(
        "an element that follows the mouse",
        "/act/drag.html",
        [DragTo("#mouse", "#zone")],
        "log.filter((row) => row.startsWith('dropped')).join()",
    ),
    Flow("a select that leads on", "/act/navigating-select.html", [PressKey("#go", "ArrowDown")], "location.pathname"),
    Flow(
        "frames",
        "/act/frames.html",
        [
            TypeText("frame=#same >> #field", "in the frame"),
            Click("frame=#same >> #b"),
            TypeText("frame=#other >> #field", "in another process"),
        ],
        "document.querySelector('#same').contentDocument.querySelector('#field').value",
    ),
    Flow(
        "shadow roots",
        "/act/shadow.html",
        [
            Click("#in-open"),
            TypeText("#nested", "deep"),
            Click("#in-closed"),
            TypeText("#in-closed-closed", "deeper"),
            Click("#slotted"),
        ],
        "log.join() + deepValue()",
    ),
    Flow(
        "an editor",
        "/act/editor.html",
        [Click("frame=#editor >> #second"), PressKey("End"), TypeText(" and more")],
        "document.querySelector('#editor').contentDocument.body.innerText.replace(/\\s+/g, ' ')",
    ),
    Flow(
        "a file", "/act/values.html", [UploadFile("#file", str(HERE))], "document.querySelector('#file').files[0].name"
    ),
    Flow(
        "dialogs",
        "/w22-dialogs.html",
        [Click("#alert"), Click("#confirm"), Click("#prompt")],
        "document.querySelector('#answer').textContent",
    ),
    Flow(
        "an error",
        "/w02-invalid-form.html",
        [TypeText("#email", "no"), Click("#submit"), WaitFor("#email-error")],
        "document.querySelector('#email-error').textContent",
    ),
)
