"""States of the page script: true, false or "mixed", a number for `level`, None where there is no such state."""

from __future__ import annotations

import pytest

from accname.answers import TWIN
from stillframe.api.browser import Page

READ = """(body, script, state) => {
  document.body.setHTMLUnsafe(body);
  const target = document.querySelector("#target");
  new Function("target", script)(target);
  __twin.lookAgain();
  return __twin.stateOf(target, state) ?? null;
}"""
Value = bool | str | int | None

ROWS: list[tuple[str, str, Value]] = [
    ("<input type=checkbox id=target>", "checked", False),
    ("<input type=checkbox id=target checked>", "checked", True),
    ("<input type=checkbox id=target aria-checked=true>", "checked", False),
    ("<input type=checkbox id=target checked aria-checked=mixed>", "checked", True),
    ("<input type=radio id=target checked>", "checked", True),
    ("<input type=text id=target>", "checked", None),
    ("<input type=checkbox role=switch id=target checked>", "checked", True),
    ("<div role=checkbox id=target>x</div>", "checked", False),
    ("<div role=checkbox id=target aria-checked=true>x</div>", "checked", True),
    ("<div role=checkbox id=target aria-checked=TRUE>x</div>", "checked", True),
    ("<div role=checkbox id=target aria-checked=mixed>x</div>", "checked", "mixed"),
    ("<div role=checkbox id=target aria-checked=perhaps>x</div>", "checked", False),
    ("<div role=menuitemcheckbox id=target aria-checked=mixed>x</div>", "checked", "mixed"),
    ("<div role=radio id=target aria-checked=mixed>x</div>", "checked", False),
    ("<div role=switch id=target aria-checked=mixed>x</div>", "checked", False),
    ("<div role=listbox><div role=option id=target>x</div></div>", "checked", None),
    ("<div role=listbox><div role=option id=target aria-checked=true>x</div></div>", "checked", True),
    ("<div role=button id=target aria-checked=true>x</div>", "checked", None),
    ("<button id=target>x</button>", "pressed", None),
    ("<button id=target aria-pressed=true>x</button>", "pressed", True),
    ("<button id=target aria-pressed=false>x</button>", "pressed", False),
    ("<button id=target aria-pressed=mixed>x</button>", "pressed", "mixed"),
    ("<button id=target aria-pressed>x</button>", "pressed", None),
    ("<a href=# id=target aria-pressed=true>x</a>", "pressed", None),
    ("<select><option id=target>a<option>b</select>", "selected", True),
    ("<select><option>a<option id=target>b</select>", "selected", False),
    ("<div role=tab id=target>x</div>", "selected", False),
    ("<div role=tab id=target aria-selected=true>x</div>", "selected", True),
    ("<div role=row id=target>x</div>", "selected", None),
    ("<div role=row id=target aria-selected=true>x</div>", "selected", True),
    ("<div role=button id=target aria-selected=true>x</div>", "selected", None),
    ("<details id=target><summary>s</summary></details>", "expanded", False),
    ("<details id=target open><summary>s</summary></details>", "expanded", True),
    ("<details open><summary id=target>s</summary></details>", "expanded", True),
    ("<details open><summary>s</summary><summary id=target>t</summary></details>", "expanded", None),
    ("<select id=target><option>a</select>", "expanded", False),
    ("<select id=target multiple><option>a</select>", "expanded", None),
    ("<button id=target>x</button>", "expanded", None),
    ("<button id=target aria-expanded=true>x</button>", "expanded", True),
    ("<button id=target aria-expanded=false>x</button>", "expanded", False),
    ("<button id=target aria-expanded=undefined>x</button>", "expanded", None),
    ("<button id=target aria-haspopup=menu>x</button>", "expanded", None),
    ("<button id=target popovertarget=p>x</button><div popover id=p>y</div>", "expanded", False),
    ("<button id=target popovertarget=none>x</button>", "expanded", None),
    ("<p id=target aria-expanded=true>x</p>", "expanded", None),
    ("<h3 id=target>x</h3>", "level", 3),
    ("<h3 id=target aria-level=5>x</h3>", "level", 5),
    ("<h3 id=target aria-level=0>x</h3>", "level", 3),
    ("<h3 id=target aria-level=x>x</h3>", "level", 3),
    ("<div role=heading id=target>x</div>", "level", 2),
    ("<div role=heading id=target aria-level=8>x</div>", "level", 8),
    ("<h3 role=button id=target>x</h3>", "level", None),
    ("<div role=tree><div role=treeitem id=target aria-level=2>x</div></div>", "level", 2),
    ("<button id=target>x</button>", "disabled", False),
    ("<button id=target disabled>x</button>", "disabled", True),
    ("<fieldset disabled><button id=target>x</button></fieldset>", "disabled", True),
    ("<div role=button id=target aria-disabled=true>x</div>", "disabled", True),
    ("<button id=target>x</button>", "bogus", None),
]


async def test_states(page: Page) -> None:
    await page._tab.frames.main.evaluate(TWIN)
    wrong = {}
    for body, state, expected in ROWS:
        given = await page._tab.frames.main.call(READ, body, "", state)
        if (type(given), given) != (type(expected), expected):
            wrong[body, state] = given
    assert not wrong


@pytest.mark.parametrize(
    ("body", "script", "state", "expected"),
    [
        ("<input type=checkbox id=target>", "target.indeterminate = true", "checked", "mixed"),
        ("<input type=checkbox id=target>", "target.checked = true", "checked", True),
        ("<button id=target popovertarget=p>x</button><div popover id=p>y</div>", "p.showPopover()", "expanded", True),
    ],
)
async def test_states_that_only_scripts_set(page: Page, body: str, script: str, state: str, expected: Value) -> None:
    await page._tab.frames.main.evaluate(TWIN)
    assert await page._tab.frames.main.call(READ, body, script, state) == expected
