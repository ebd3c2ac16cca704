"""The scripts that run in pages, and their loader.

- `elements/`: finds elements, checks them and makes them ready; a global of the isolated world
- `observer/`: records what changes in a document and reports when it is still; also in the isolated world, except for
  `hooks.js`, which wraps timers and other calls in the main world
- `values/`: functions that convert values between JavaScript and Python
- `storage/`: reads and writes the localStorage, the databases and the private files of an origin
- `crawl/`: the functions that read what a crawl records of a document
- `recorder/`: reports what a person does; runs in the isolated world while a recorder is attached

Pages cannot see an isolated world: it has its own globals and built-ins.
"""

from __future__ import annotations

import json
import zlib
from functools import cache
from importlib.resources import files

from stillframe import _core

ELEMENTS = (
    "nodes",
    "older",
    "tree",
    "relations",
    "roles",
    "generated",
    "content",
    "names",
    "states",
    "describe",
    "words",
    "wanted",
    "css",
    "find",
    "filters",
    "control",
    "choosing",
    "state",
    "receiving",
    "in_view",
    "spots",
    "point",
    "press",
    "external",
    "identity",
    "typed",
    "typing",
    "ready",
    "values",
    "answers",
    "dragging",
    "dispatching",
    "reading",
    "expecting",
    "aria",
    "resizes",
    "ticks",
    "payloads",
    "picture",
)
"""The files of the elements script, in dependency order."""

ELEMENTS_API = (
    "prepare",
    "waitFor",
    "suggestions",
    "containsHeld",
    "adoptRoot",
    "get",
    "hold",
    "choose",
    "setValue",
    "waitForState",
    "textArrived",
    "waitForFiles",
    "noteExamined",
    "noteListener",
    "isInLink",
    "awaitedDocument",
    "refusesFiles",
    "setPayloads",
    "addPictureStyle",
    "stillAnimations",
    "coverMatches",
    "endPicture",
    "watch",
    "unwatch",
    "waitForOptions",
    "focusFilter",
    "scrollList",
    "describeOption",
    "verifyChoice",
    "unfollowed",
    "isLeftOpen",
    "answered",
    "keyAnswered",
    "takesKeys",
    "watchDrag",
    "dragStart",
    "viewSize",
    "scrolledAround",
    "expectDragEnd",
    "dragEnd",
    "wheelSpot",
    "scrollToEdge",
    "scrollPointIntoView",
    "moveCovered",
    "expectPress",
    "pressReports",
    "forgetPress",
    "elementAt",
    "attention",
    "focusAndModals",
    "reportFocusedField",
    "expectLetters",
    "expectNoLetters",
    "lettersTyped",
    "lettersMayGoOn",
    "boxesTyped",
    "endLetters",
    "dispatchTo",
    "blurElement",
    "tally",
    "whenOther",
    "allFound",
    "readHeld",
    "markup",
    "ticker",
    "startTicks",
    "stopTicks",
    "hideResizes",
    "showResizes",
)
"""The functions that Python calls: `__sf.prepare(…)` and so on."""

RECORDER_USES = (
    "activeElement",
    "boxOf",
    "closest",
    "closestAcross",
    "deeper",
    "deepestAt",
    "editingHost",
    "eventPath",
    "hides",
    "hostOrParent",
    "isEditable",
    "isElement",
    "isInside",
    "isNativeToggle",
    "isRendered",
    "isTrusted",
    "kindOf",
    "listen",
    "lookAgain",
    "matches",
    "roots",
    "shadowOf",
    "topOf",
    "unlisten",
    "valueOf",
)
"""The functions of `elements/` that the script of the recorder calls."""

STATEFUL_ROLES = {
    "checked": ("checkbox", "menuitemcheckbox", "menuitemradio", "option", "radio", "switch", "treeitem"),
    "pressed": ("button",),
    "selected": ("columnheader", "gridcell", "option", "row", "rowheader", "tab", "treeitem"),
    "expanded": (
        *("application", "button", "checkbox", "columnheader", "combobox", "gridcell", "link", "listbox", "menuitem"),
        *("menuitemcheckbox", "menuitemradio", "row", "rowheader", "switch", "tab", "treeitem"),
    ),
    "level": ("heading", "listitem", "row", "treeitem"),
    "disabled": (
        *("application", "button", "checkbox", "columnheader", "combobox", "grid", "gridcell", "group", "link"),
        *("listbox", "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio"),
        *("radiogroup", "row", "rowheader", "scrollbar", "searchbox", "separator", "slider", "spinbutton", "switch"),
        *("tab", "tablist", "textbox", "toolbar", "tree", "treegrid", "treeitem"),
    ),
}
"""The roles that have each state (ARIA 1.2, "Used in Roles" and "Inherits into Roles")."""

OBSERVER = (
    "control_state",
    "busy_parts",
    "recurrence",
    "page_version",
    "calls",
    "internals",
    "messages",
    "validation",
    "fields",
    "scrolling",
    "colours",
    "observer",
)
"""The files of the observer, in dependency order."""

OBSERVER_API = (
    "arm",
    "disarm",
    "unhook",
    "fence",
    "nextFrame",
    "scheduledWork",
    "report",
    "noise",
    "habits",
    "sample",
    "possibleHosts",
    "adoptClosedRoot",
    "pageVersion",
    "everyInternal",
    "numberedInternals",
    "numberedElements",
)
"""The functions that Python calls: `__sfSettle.arm(…)` and so on."""


STORAGE = ("packing", "databases", "files", "storage")
"""The files of the functions that read and write the storage of an origin, in dependency order."""


def read(path: str) -> str:
    """Return one file, given its path below this folder without `.js`."""
    return (files(__package__) / f"{path}.js").read_text("utf-8").rstrip()


@cache
def function(name: str) -> str:
    """Return a function of `values/`: `serialize` encodes a value, `revive` decodes arguments."""
    return read(f"values/{name}")


@cache
def storage_function(name: str) -> str:
    """Return a function of `storage/storage.js`: `readStorage` or `writeStorage`."""
    parts = "\n".join(read(f"storage/{part}") for part in STORAGE)
    return f'function(given) {{\n"use strict";\n{parts}\nreturn {name}(given);\n}}'


@cache
def elements_source(*, name: str = "__sf", exports: tuple[str, ...] = ELEMENTS_API + RECORDER_USES) -> str:
    """Return the script that defines the global of `elements/` in the world that runs it.

    The table of roles comes from the core, so that page texts and `role=button` agree on what a button is; that of
    their states also says which of them a selector may ask for.

    Running it again keeps what the first run made, with its handles and what it knows of the input that is under way:
    in a frame without scripts Chrome runs it a second time when another document first reaches into the frame. Only
    another version's is replaced.
    """
    roles = f"const ROLES = {json.dumps(_core.aria_roles())};"
    states = f"const STATEFUL_ROLES = {json.dumps(STATEFUL_ROLES)};"
    parts = "\n".join([roles, states, *(read(f"elements/{part}") for part in ELEMENTS)])
    exported = ", ".join(exports)
    version = f"{zlib.crc32((parts + exported).encode()):08x}"
    made = f'(() => {{\n"use strict";\n{parts}\nreturn {{ version: "{version}", {exported} }};\n}})()'
    own = f"globalThis.{name}"
    return f'void ({own} && {own}.version === "{version}" || ({own} = {made}));'


@cache
def observer_source(key: str) -> str:
    """Return the script that defines the observer's global in the isolated world; `key` is the key of the hooks."""
    parts = "\n".join(
        [read("elements/nodes"), read("elements/older"), *(read(f"observer/{part}") for part in OBSERVER)]
    )
    made = f'((key) => {{\n"use strict";\n{parts}\nreturn {{ {", ".join(OBSERVER_API)} }};\n}})("{key}")'
    return f"void (globalThis.__sfSettle || (globalThis.__sfSettle = {made}));"


@cache
def hooks_source() -> str:
    """Return the script that installs the wrappers in one realm: a function that takes the key."""
    return read("observer/hooks")


@cache
def content_source(*, max_text: int, max_links: int) -> str:
    """Return the expression that reads a document's content, with up to so many characters and links."""
    return f"({read('crawl/content')})({max_text}, {max_links})"
