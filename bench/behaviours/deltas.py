"""Deltas hold the fact: what a person would report of a click stands in the rows, and first."""

from __future__ import annotations

from typing import Any

from bench.behaviours.calls import pause
from bench.behaviours.case import Behaviour, only
from bench.doing import check, click, hover


def told(name: str, html: str, script: str = "", *do: Any, **row: Any) -> Behaviour:
    """A row about the delta of a click on `#go`, whose handler is `script`."""
    return only(
        name=f"a delta: {name}",
        html=f"<button id=go>Go</button>{html}<script>go.onclick = () => {{ {script} }}</script>",
        do=do or (click("#go"),),
        **row,
    )


TABLE = "<table id=t>" + "".join(f"<tr><td>Row {n}<td class=n>{n}" for n in range(12)) + "</table>"
POLL = (
    "<script>let at = 0; setInterval(() => { for (const c of document.querySelectorAll('.n')) c.textContent = "
    "++at * 7 }"
    ", 300)</script>"
)
MODAL = (
    "<div id=m hidden style='position:fixed;inset:40px;background:#fff;border:1px solid'><h2>Edit the host</h2>"
    "<label>Users <input value=10></label><button>Apply</button></div>"
)
LONG = "It was a long day. " * 10

ROWS = (
    told(
        "a dialog before what a poll writes",
        TABLE + POLL + MODAL,
        "m.hidden = false",
        pause(1000),
        click("#go"),
        leads=("Edit the host",),
    ),
    told(
        "a dialog of the browser before a table that is filled",
        TABLE + "<dialog id=d><h2>Really delete?</h2><button>Yes</button></dialog>",
        "for (const c of document.querySelectorAll('.n')) c.textContent += '!'; d.showModal()",
        leads=("Really delete?",),
    ),
    told(
        "a fact far into a text",
        "<article id=a></article>",
        f"a.innerHTML = '<h2>Report</h2><p>{LONG}The yield was 61 percent.</p>'",
        tells=("The yield was 61 percent",),
    ),
    told(
        "the one cell of sixty that changed",
        "<table>" + "".join(f"<tr><td>Herb {n}<td id=c{n}>{n}" for n in range(60)) + "</table>",
        "c37.textContent = 'sold out'",
        leads=("sold out",),
        told={"stateChange.changed": 1},
    ),
    told(
        "a counter in an attribute that CSS shows",
        "<style>#b::after{content:attr(data-count)}</style><b id=b data-count=2>Cart </b>",
        "b.dataset.count = 3",
        tells=("3",),
    ),
    told(
        "a panel that a class shows",
        "<style>.tab{display:none} .tab.on{display:block}</style><div class='tab on' id=one>Overview</div>"
        "<div class=tab id=two>Ingredients: oats</div>",
        "one.className = 'tab'; two.className = 'tab on'",
        leads=("Ingredients: oats",),
    ),
    told(
        "tabs that are made again",
        "<div id=tabs role=tablist></div><script>draw = (on) => { tabs.innerHTML = ['Open', 'Recent', 'All'].map("
        "t => `<button role=tab aria-selected=${t == on}>${t}</button>`).join('') }; draw('Open')</script>",
        "draw('Recent')",
        leads=("Recent",),
        told={"stateChange.appeared": 0, "stateChange.disappeared": 0},
    ),
    told(
        "a tree item that is made again, open",
        "<ul role=tree id=tree></ul><script>draw = (open) => { tree.innerHTML = `<li role=treeitem "
        "aria-expanded=${open}>Fruit</li>${open ? '<li role=treeitem aria-level=2>Pears</li>' : ''}` };"
        " draw(false)</script>",
        "draw(true)",
        tells=("Pears", "Fruit"),
    ),
    told(
        "a paragraph that becomes an item",
        "<div id=a contenteditable><p>Tea</p></div>",
        "a.innerHTML = '<ul><li>Tea</li></ul>'",
        tells=("Tea",),
    ),
    told(
        "a list that is sorted",
        "<ul id=l>" + "".join(f"<li>{w}" for w in ("pear", "apple", "fig", "date")) + "</ul>",
        "l.append(...[...l.children].sort((a, b) => a.textContent < b.textContent ? -1 : 1))",
        tells=("reorder",),
    ),
    told(
        "a card that goes to another column",
        "<section aria-label=Open><h2>Open</h2><ul id=a><li id=k>Write tests<li>Review</ul></section>"
        "<section aria-label=Done><h2>Done</h2><ul id=b><li>Plan</ul></section>",
        "b.append(k)",
        tells=("Write tests",),
    ),
    told(
        "a total that a script writes into a field",
        "<input id=n value=1><input id=sum aria-label=Total value=12>",
        "sum.value = '24'",
        leads=("Total", "24"),
    ),
    told(
        "boxes that a script checks",
        "".join(f"<label><input type=checkbox> Box {n}</label>" for n in range(9)),
        "for (const b of document.querySelectorAll('input')) b.checked = true",
        tells=("checked",),
        told={"stateChange.changed": 1},
    ),
    told(
        "a button that can be used now", "<button id=pay disabled>Pay</button>", "pay.disabled = false", leads=("Pay",)
    ),
    told(
        "a field that is wrong",
        "<label>Code <input id=f></label><p id=e></p>",
        "f.setAttribute('aria-invalid', 'true'); f.className = 'is-bad'; e.textContent = 'The code has eight letters'",
        leads=("The code has eight letters",),
    ),
    told(
        "a form that appears, by its fields",
        "<div id=a></div>",
        "a.innerHTML = '<form><label>Who <input></label><label>When <input type=date></label><button>Save</button>"
        "</form>'",
        tells=("Who", "When", "Save"),
    ),
    told(
        "a form that appears, of fields alone",
        "<div id=a></div>",
        "a.innerHTML = '<form><input placeholder=Street><input aria-label=Town></form>'",
        tells=("Street", "Town"),
    ),
    told(
        "a picture with another text", "<img id=i alt='A cat' width=40 height=40>", "i.alt = 'A dog'", tells=("A dog",)
    ),
    told(
        "what is in a frame",
        "<iframe id=f srcdoc='<p id=p>Empty</p>'></iframe>",
        "f.contentDocument.getElementById('p').textContent = 'Two letters'",
        leads=("Two letters",),
    ),
    told(
        "what is in a closed shadow root",
        "<x-a id=x></x-a><script>root = x.attachShadow({mode: 'closed'}); root.innerHTML = '<p>Off</p>'</script>",
        "root.firstChild.textContent = 'On since noon'",
        leads=("On since noon",),
    ),
    told(
        "what is slotted",
        "<x-a id=x><b id=b>Off</b></x-a><script>x.attachShadow({mode: 'open'}).innerHTML = '<p><slot></slot></p>"
        "'</script>",
        "b.textContent = 'On since noon'",
        leads=("On since noon",),
    ),
    told(
        "a view of which only the middle is new",
        "<nav><a href='#'>Home</a> <a href='#'>Orders</a> <a href='#'>Help</a></nav><main id=a><h1>Orders</h1><p>"
        "Two orders</main><footer>Imprint</footer>",
        "a.innerHTML = '<h1>Order 17</h1><p>Confirmed at noon</p>'",
        leads=("Order 17", "Confirmed at noon"),
        untold=("Imprint", "Help"),
    ),
    told(
        "a page of the same site",
        "<nav><a href=next>Next</a> <a href='#'>Help</a></nav><main><h1>Orders</h1><p>Two orders, one open</main>"
        "<footer>Imprint</footer>",
        "",
        click("text=Next"),
        pages={
            "next": "<button id=go>Go</button><nav><a href=next>Next</a> <a href='#'>Help</a></nav>"
            "<main><h1>Order 17</h1><p>Confirmed</main><footer>Imprint</footer>"
        },
        tells=("Order 17", "Confirmed"),
        untold=("Imprint", "Help"),
    ),
    told(
        "forty results and what says so",
        "<p id=s role=status></p><ul id=l></ul>",
        "l.innerHTML = Array.from({length: 40}, (_, n) => `<li>Lamp ${n}</li>`).join(''); s.textContent = '40 results'",
        leads=("40 results", "Lamp 0"),
    ),
    told("the title alone", "<p>A", "document.title = 'Two new letters'", tells=("Two new letters",)),
    told(
        "a menu that opens",
        "<button id=b aria-expanded=false aria-haspopup=menu>File</button><div role=menu id=m hidden>"
        "<button role=menuitem>Print</button><button role=menuitem>Export</button></div>",
        "b.ariaExpanded = 'true'; m.hidden = false",
        leads=("Print", "Export"),
    ),
    told(
        "a tip that hovering shows",
        "<style>#tip{display:none} #h:hover + #tip{display:block}</style><span id=h>VAT</span>"
        "<div id=tip role=tooltip>Nineteen percent</div>",
        "",
        hover("#h"),
        leads=("Nineteen percent",),
    ),
    told(
        "a part that opens by itself",
        "<details id=d><summary>More</summary><p>Ships on Monday</p></details>",
        "",
        click("text=More"),
        leads=("Ships on Monday",),
    ),
    told(
        "what an option shows",
        "<label><input type=checkbox id=c> Gift</label><div id=a></div>",
        "",
        check("#c"),
        tells=("Gift",),
    ),
    told(
        "a clock is not a change",
        "<b id=clock>0</b><p id=p></p><script>n = 0; setInterval(() => { clock.textContent = `Time ${++n}` }, "
        "100)</script>",
        "p.textContent = 'One lamp in the cart'",
        pause(900),
        click("#go"),
        leads=("One lamp in the cart",),
        untold=("Time",),
    ),
    told(
        "an advertisement is not a change",
        "<div id=ad style='width:200px;height:60px'></div><p id=p></p><script>n = 0; setInterval(() =>"
        " { ad.innerHTML = `<img alt='Buy ${++n}'><i>Offer ${n}</i>` }, 350)</script>",
        "p.textContent = 'One lamp in the cart'",
        pause(1500),
        click("#go"),
        leads=("One lamp in the cart",),
        untold=("Offer",),
    ),
    told("nothing is nothing", "<p>A", "", told={"stateChange": None}),
    told(
        "the text of an editor",
        "<div contenteditable id=e role=textbox aria-label=Note>Tea</div>",
        "e.innerHTML = 'Tea and <b>bread</b>'",
        tells=("bread",),
    ),
    told(
        "a progress",
        "<progress id=p max=100 value=10 aria-label=Upload></progress>",
        "p.value = 60",
        tells=("Upload", "60"),
    ),
    told(
        "a choice that a script makes",
        "<select id=s aria-label=Size><option>Small<option>Large</select>",
        "s.value = 'Large'",
        tells=("Size", "Large"),
    ),
    told(
        "what went",
        "<ul><li id=a>Pears<li>Figs</ul>",
        "a.remove()",
        tells=("Pears",),
        told={"stateChange.disappeared": 1},
    ),
    told(
        "rows of a table that appear one by one",
        "<table id=t><tr><th>Who<th>What</table>",
        "let n = 0; const i = setInterval(() => { t.insertRow().innerHTML = `<td>Ann ${++n}<td>paid`;"
        " if (n == 4) clearInterval(i) }, 120)",
        tells=("Ann 1", "4 rows"),
    ),
    told(
        "an item that is done, by its class",
        "<style>.done{text-decoration:line-through}</style><ul><li id=a>Buy milk<li>Call Bob</ul>",
        "a.className = 'done'",
        tells=("Buy milk",),
        untold=("Call Bob",),
    ),
)
