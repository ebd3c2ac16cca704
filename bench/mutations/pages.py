"""The pages of the mutation set, and the script of each as selectors of the oracle.

Every control has a `data-is` that no selector and no fingerprint of stillframe reads: the page's own script acts by it
and records what was really pressed and filled, whatever a mutation makes of the rest.
"""

from __future__ import annotations

from typing import NamedTuple

from stillframe.model.actions import Action, Check, Click, SelectOption, SetValue, Uncheck

ORACLE = """<script>
window.done = [];
const named = (node) => node.closest && node.closest('[data-is]');
const isField = (node) => /^(input|select|textarea)$/.test(node.localName);
document.addEventListener('click', (event) => {
  const it = named(event.target);
  if (it && isField(it) || event.target.closest('label')) return;
  done.push('press ' + (it ? it.dataset.is : event.target.localName));
  if (it && it.dataset.opens) document.querySelector('[data-part=' + it.dataset.opens + ']').hidden = false;
  if (it && it.dataset.closes) document.querySelector('[data-part=' + it.dataset.closes + ']').hidden = true;
  if (it && it.dataset.is === 'add-todo') {
    const field = document.querySelector('[data-is=new-todo]'), list = document.querySelector('[data-part=todos]');
    const item = list.firstElementChild.cloneNode(true), walk = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) if (walk.currentNode.data.trim().length > 2) walk.currentNode.data = field.value;
    item.querySelectorAll('[data-is]').forEach((e) => {
      e.dataset.is = e.dataset.is.split(':')[0] + ':' + field.value; });
    list.append(item); field.value = '';
  }
  event.preventDefault();
}, true);
document.addEventListener('change', (event) => {
  const it = event.target, box = /^(checkbox|radio)$/.test(it.type);
  done.push('fill ' + (it.dataset.is || it.localName) + '=' + (box ? it.checked : it.value));
}, true);
</script>"""

STYLE = "<style>.hidden, [hidden] {display: none !important} [role=button] {display: inline-block}</style>"


class Case(NamedTuple):
    """One page, and the steps of its script: each a goal and actions whose selectors are those of the oracle."""

    name: str
    body: str
    steps: tuple[tuple[str, tuple[Action, ...]], ...]

    @property
    def html(self) -> str:
        """The page as it is served."""
        return f"<!doctype html><meta charset=utf-8><title>{self.name}</title>{STYLE}{ORACLE}<body>{self.body}</body>"


def at(name: str) -> str:
    """Return the selector of a control by its name for the oracle."""
    return f'[data-is="{name}"]'


def _card(name: str, text: str, price: str) -> str:
    return (
        f'<li class="card product" id="p-{name}"><h3>{text}</h3><p class="price">{price}</p>'
        f'<button class="btn primary" id="add-{name}" data-is="add:{name}">Add to cart</button>'
        f'<a href="#{name}" class="more" data-is="more:{name}">Details</a></li>'
    )


SHOP = Case(
    "shop",
    '<header class="top" id="head"><a href="#home" class="logo" data-is="home">Tea house</a>'
    '<form class="search" id="search"><input class="field" id="q" placeholder="Search the shop" data-is="query">'
    '<button class="btn" id="go" data-is="search">Search</button></form>'
    '<a href="#cart" class="cart" id="cart" data-is="cart">Shopping cart</a></header>'
    '<main class="page"><h1>Our teas</h1><ul class="grid" id="goods">'
    + _card("green", "Green tea from Uji", "£ 7.50")
    + _card("black", "Black tea from Assam", "£ 6.20")
    + _card("oolong", "Oolong of the high mountains", "£ 9.90")
    + _card("mint", "Fresh mint leaves", "£ 4.10")
    + '</ul></main><footer class="foot"><a href="#terms" data-is="terms">Terms</a> '
    '<a href="#help" data-is="help">Help and contact</a></footer>',
    (
        ("Search for tea", (SetValue(at("query"), "tea"), Click(at("search")))),
        ("Put the oolong and the green tea into the cart", (Click(at("add:oolong")), Click(at("add:green")))),
        ("Open the cart", (Click(at("cart")),)),
    ),
)


def _field(name: str, label: str, kind: str = "text") -> str:
    return (
        f'<div class="row"><label class="label" for="f-{name}">{label}</label>'
        f'<input class="field" type="{kind}" id="f-{name}" data-is="{name}"></div>'
    )


FORM = Case(
    "form",
    '<main><h1 class="title">Book a table</h1><form class="form" id="booking"><section class="block" id="who">'
    "<h2>Your details</h2>"
    + _field("first", "First name")
    + _field("last", "Family name")
    + _field("mail", "E-mail address", "email")
    + '</section><section class="block" id="when"><h2>The evening</h2>'
    + _field("guests", "Number of guests")
    + '<div class="row"><label class="label" for="f-room">Room</label><select class="field" id="f-room" data-is="room">'
    "<option>Garden</option><option>Balcony</option><option>Great hall</option></select></div>"
    '<div class="row"><label class="label"><input type="checkbox" class="tick" id="f-child" data-is="child"> '
    "We bring children</label></div></section>"
    '<div class="bar"><button type="button" class="btn" id="clear" data-is="clear">Clear the form</button>'
    '<button type="button" class="btn main" id="send" data-is="send">Send booking</button></div></form></main>',
    (
        ("Fill in the name", (SetValue(at("first"), "Ann"), SetValue(at("last"), "Lee"))),
        ("Fill in the evening", (SetValue(at("guests"), "4"), SelectOption(at("room"), "Balcony"), Check(at("child")))),
        ("Send the booking", (Click(at("send")),)),
    ),
)


def _row(name: str, person: str, mail: str, role: str) -> str:
    return (
        f'<tr class="person" id="u-{name}"><td>{person}</td><td>{mail}</td><td>{role}</td><td class="tools">'
        f'<button class="icon edit" data-is="edit:{name}">Edit</button>'
        f'<button class="icon drop" data-is="drop:{name}">Remove</button></td></tr>'
    )


TABLE = Case(
    "table",
    '<main><h1>People</h1><div class="bar" id="tools"><input class="field" id="filter" aria-label="Filter people" '
    'data-is="filter"><button class="btn" id="invite" data-is="invite">Invite someone</button>'
    '<button class="btn" id="export" data-is="export">Export list</button></div>'
    '<table class="grid" id="people"><thead><tr><th>Name</th><th>E-mail</th><th>Role</th><th></th></tr></thead><tbody>'
    + _row("ann", "Ann Lee", "ann@example.org", "Owner")
    + _row("bob", "Bob Ray", "bob@example.org", "Editor")
    + _row("cat", "Cat Moss", "cat@example.org", "Reader")
    + _row("dan", "Dan Poe", "dan@example.org", "Guest")
    + '</tbody></table><p class="foot"><a href="#older" data-is="older">Older entries</a></p></main>',
    (
        ("Filter", (SetValue(at("filter"), "example"),)),
        ("Edit Bob and remove Dan", (Click(at("edit:bob")), Click(at("drop:dan")))),
        ("Invite someone", (Click(at("invite")),)),
    ),
)


def _menu(name: str, text: str, items: dict[str, str]) -> str:
    inner = "".join(
        f'<li role="none"><button role="menuitem" class="item" id="i-{key}" data-is="{key}" data-closes="{name}">'
        f"{words}</button></li>"
        for key, words in items.items()
    )
    return (
        f'<div class="menu" id="m-{name}"><button class="head" aria-haspopup="menu" data-is="{name}" '
        f'data-opens="{name}">{text}</button><ul role="menu" class="list" data-part="{name}" hidden>{inner}</ul></div>'
    )


MENU = Case(
    "menu",
    '<nav class="bar" id="menus">'
    + _menu("file", "File", {"new": "New document", "open": "Open…", "print": "Print preview"})
    + _menu("edit", "Edit", {"undo": "Undo typing", "paste": "Paste as text", "find": "Find and replace"})
    + _menu("view", "View", {"zoom": "Zoom in", "ruler": "Show rulers"})
    + '</nav><main class="sheet"><h1>Letter</h1><textarea class="text" id="text" aria-label="Document text" '
    'data-is="text"></textarea><p class="status">No changes</p></main>',
    (
        ("Write", (SetValue(at("text"), "Dear Ann"),)),
        ("Find and replace", (Click(at("edit")), Click(at("find")))),
        ("Print", (Click(at("file")), Click(at("print")))),
    ),
)

DIALOG = Case(
    "dialog",
    '<main><h1>Account</h1><section class="card" id="profile"><h2>Profile</h2><p>Shown to others.</p>'
    '<button class="btn" id="edit" data-is="edit-profile">Edit profile</button></section>'
    '<section class="card" id="alerts"><h2>Alerts</h2><label class="label"><input type="checkbox" id="mails" checked '
    'data-is="mails"> Send me a summary by e-mail</label></section>'
    '<section class="card danger" id="end"><h2>Leaving</h2><p>This cannot be undone.</p>'
    '<button class="btn red" id="close" data-is="close" data-opens="sure">Close account</button></section>'
    '<div role="dialog" aria-label="Close the account" class="modal" id="sure" data-part="sure" hidden>'
    '<p>Tell us why you leave.</p><label class="label" for="why">Reason</label>'
    '<input class="field" id="why" data-is="why"><div class="bar">'
    '<button class="btn" id="keep" data-is="keep" data-closes="sure">Keep the account</button>'
    '<button class="btn red" id="yes" data-is="yes" data-closes="sure">Yes, close it</button></div></div></main>',
    (
        ("No more summaries", (Uncheck(at("mails")),)),
        ("Close the account", (Click(at("close")), SetValue(at("why"), "Moving"), Click(at("yes")))),
    ),
)


def _todo(name: str, text: str) -> str:
    return (
        f'<li class="todo" id="t-{name}"><input type="checkbox" class="toggle" aria-label="Done" data-is="tick:{name}">'
        f'<span class="text">{text}</span><button class="x" aria-label="Discard" data-is="x:{name}">×</button></li>'
    )


TODO = Case(
    "todo",
    '<main class="app"><h1>To do</h1><div class="new" id="new"><input class="field" id="entry" '
    'placeholder="What needs to be done?" data-is="new-todo"><button class="btn" id="add" data-is="add-todo">Add item'
    '</button></div><ul class="todos" id="todos" data-part="todos">'
    + _todo("water", "Water the plants")
    + _todo("call", "Call the dentist")
    + _todo("pay", "Pay the electricity bill")
    + '</ul><div class="filters" id="filters"><a href="#all" data-is="all">All of them</a> '
    '<a href="#open" data-is="open">Still open</a> <a href="#done" data-is="finished">Finished</a></div></main>',
    (
        ("Add an item", (SetValue(at("new-todo"), "Buy stamps"), Click(at("add-todo")))),
        ("Tick the dentist", (Check(at("tick:call")),)),
        ("Discard the plants", (Click(at("x:water")),)),
        ("Show what is open", (Click(at("open")),)),
    ),
)

CASES = (SHOP, FORM, TABLE, MENU, DIALOG, TODO)
