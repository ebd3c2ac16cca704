"""The pages of the made-up shop: forms, calendars, lists, menus, feeds, and buttons that do nothing."""

from __future__ import annotations

from collections.abc import Sequence

from bench.loops.page import Call, Element, Page


class Dead(Page):
    """Buttons that do nothing at all, or send a form that comes back as it was."""

    def __init__(self, labels: Sequence[str], *, reloads: bool = False, churns: bool = False) -> None:
        super().__init__()
        self.labels, self.reloads, self.churns = labels, reloads, churns

    def elements(self) -> list[Element]:
        buttons = [Element(f"b{n}", "button", label) for n, label in enumerate(self.labels)]
        return [Element("title", "h1", "Checkout"), Element("text", "p", "Please confirm your order."), *buttons]

    def on_click_element(self, _call: Call) -> None:
        if self.reloads:
            self.load()

    def on_reload(self, _call: Call) -> None:
        self.load()

    def on_navigate(self, _call: Call) -> None:
        self.load()


class Series(Page):
    """A button that leads from one text to the next: a calendar, a pager, a stepper, a gallery, a wizard."""

    def __init__(
        self,
        title: str,
        label: str,
        texts: Sequence[str],
        *,
        paths: bool = False,
        grows: bool = False,
        churns: bool = False,
    ) -> None:
        super().__init__()
        self.title, self.label, self.texts = title, label, texts
        self.paths, self.grows, self.churns = paths, grows, churns
        self.at = 0

    def elements(self) -> list[Element]:
        first = 0 if self.grows else self.at
        shown = [Element(f"t{n}", "p", self.texts[n]) for n in range(first, self.at + 1)]
        buttons = [Element("back", "button", label="Previous"), Element("next", "button", label=self.label)]
        return [Element("title", "h1", self.title), *shown, *buttons]

    def on_click_element(self, call: Call) -> None:
        step = {"next": 1, "back": -1}.get(call.key, 0)
        self.at = min(max(self.at + step, 0), len(self.texts) - 1)
        if self.paths and step:
            self.load(f"/step/{self.at}")


class Rows(Page):
    """A list of rows that each have the same button; what it does: nothing to be seen, a mark, or the row goes."""

    def __init__(self, count: int, label: str, effect: str = "none", *, hidden_name: bool = False) -> None:
        super().__init__()
        self.rows = [f"Thing {chr(65 + n)}" for n in range(count)]
        self.label, self.effect, self.named = label, effect, not hidden_name
        self.done: set[str] = set()

    def elements(self) -> list[Element]:
        shown = [Element("title", "h1", "All things")]
        for row in self.rows:
            shown.append(Element(f"text {row}", "p", row + (" ✓" if row in self.done else "")))
            shown.append(Element(f"row {row}", "button", label=self.label if self.named else ""))
        return shown

    def on_click_element(self, call: Call) -> None:
        row = call.key.removeprefix("row ")
        if self.effect == "mark":
            self.done.add(row)
        elif self.effect == "remove" and row in self.rows:
            self.rows.remove(row)


class Items(Page):
    """A list of links, each to a page of its own with nothing but a text."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.count = count

    def elements(self) -> list[Element]:
        if self.path != "/":
            return [
                Element("title", "h1", f"Item {self.path[1:]}"),
                Element("text", "p", f"All about {self.path[1:]}."),
            ]
        return [Element("title", "h1", "Items"), *(Element(f"item {n}", "a", f"Item {n}") for n in range(self.count))]

    def on_click_element(self, call: Call) -> None:
        self.load(f"/{call.key.removeprefix('item ')}")

    def on_go_back(self, _call: Call) -> None:
        self.load("/")


class Menu(Page):
    """A menu that opens and closes, and entries that add a filter, save a file, or do nothing."""

    def __init__(self, entries: Sequence[str], effect: str = "none") -> None:
        super().__init__()
        self.entries, self.effect = entries, effect
        self.open = False
        self.filters: list[str] = []

    def elements(self) -> list[Element]:
        state = "expanded" if self.open else ""
        shown = [Element("title", "h1", "Report"), Element("menu", "button", "Actions", state=state)]
        if self.open:
            shown += [Element(f"entry {entry}", "button", entry) for entry in self.entries]
        return shown + [Element(f"filter {name}", "p", f"Filter: {name}") for name in self.filters]

    def on_click_element(self, call: Call) -> str:
        if call.key == "menu":
            self.open = not self.open
            return ""
        if not self.open:
            return "element_not_found"
        self.open = False
        if self.effect == "filter":
            self.filters.append(call.key.removeprefix("entry "))
        return ""


class Form(Page):
    """Fields and a button; what sending does: `silent`, an `error` that stays, a `numbered` one, or `done`."""

    def __init__(self, fields: Sequence[str], sends: str = "silent", *, clears: bool = False) -> None:
        super().__init__()
        self.fields = dict.fromkeys(fields, "")
        self.sends, self.clears = sends, clears
        self.sent = 0

    def elements(self) -> list[Element]:
        if self.sends == "done" and self.sent:
            return [Element("title", "h1", "Thank you")]
        shown = [Element("title", "h1", "Your details")]
        for field, value in self.fields.items():
            shown.append(Element(field, "input", label=field, value=value, hidden="password" in field.lower()))
        shown.append(Element("send", "button", "Send"))
        if self.sent and self.sends in ("error", "numbered"):
            number = f" (request {4711 + self.sent * 37})" if self.sends == "numbered" else ""
            shown.append(Element("error", "div", f"Something went wrong, try again{number}"))
        return shown

    def on_set_value(self, call: Call) -> None:
        self.fields[call.key] = "" if self.clears else call.value

    def on_click_element(self, call: Call) -> None:
        self.sent += call.key == "send"


class Search(Page):
    """A search field and its results, of which there may be none."""

    def __init__(self, *, finds: bool) -> None:
        super().__init__()
        self.finds = finds
        self.query = self.asked = ""

    def elements(self) -> list[Element]:
        found = f"Results for {self.asked}" if self.finds else "Nothing was found"
        field = Element("query", "input", label="Search", value=self.query)
        return [field, Element("go", "button", "Search"), Element("found", "p", found if self.asked else "")]

    def on_set_value(self, call: Call) -> None:
        self.query = call.value

    def on_press_key(self, _call: Call) -> None:
        self.asked = self.query

    on_click_element = on_press_key


class Feed(Page):
    """A list that grows when its end comes into view, up to its own end."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self.total, self.shown = total, 2

    def elements(self) -> list[Element]:
        return [Element(f"story {n}", "p", f"Story {n} of the day") for n in range(self.shown)]

    def on_scroll(self, call: Call) -> None:
        self.screens = self.shown
        super().on_scroll(call)
        if self.scrolled == self.screens - 1:
            self.shown = min(self.shown + 2, self.total)


class Article(Page):
    """A long text."""

    def __init__(self, screens: int) -> None:
        super().__init__()
        self.screens = screens

    def elements(self) -> list[Element]:
        return [
            Element("title", "h1", "A long story"),
            *(Element(f"p{n}", "p", f"Part {n}.") for n in range(self.screens)),
        ]


class Job(Page):
    """Work that is done after some calls, whatever they are; a button looks again."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.left = calls

    def elements(self) -> list[Element]:
        said = "The export is ready" if self.left <= 0 else "The export is being prepared"
        return [Element("title", "h1", "Export"), Element("said", "p", said), Element("refresh", "button", "Refresh")]

    def act(self, call: Call) -> str:
        self.left -= 1
        return super().act(call)


class Blocked(Page):
    """A button that cannot be clicked the first times: covered, disabled, or not there."""

    def __init__(self, fails: int, code: str) -> None:
        super().__init__()
        self.left, self.code = fails, code
        self.done = False

    def elements(self) -> list[Element]:
        there = [] if self.code == "element_not_found" and self.left else [Element("pay", "button", "Pay")]
        return [Element("title", "h1", "Paid" if self.done else "Payment"), *there]

    def on_click_element(self, _call: Call) -> str:
        if self.left:
            self.left -= 1
            return self.code
        self.done = True
        return ""


class Slow(Dead):
    """A button whose script comes late: the first clicks do nothing."""

    def __init__(self, dead: int) -> None:
        super().__init__(["Open"])
        self.left = dead

    def elements(self) -> list[Element]:
        return super().elements() + ([] if self.left >= 0 else [Element("panel", "p", "The panel is open")])

    def on_click_element(self, _call: Call) -> None:
        self.left -= 1


class Slider(Page):
    """A slider that keys move."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.value, self.most = 0, most
        self.focus = "slider"

    def elements(self) -> list[Element]:
        return [Element("title", "h1", "Volume"), Element("slider", "input", label="Volume", value=str(self.value))]

    def on_press_key(self, _call: Call) -> None:
        self.value = min(self.value + 1, self.most)


class Fields(Form):
    """A form whose fields the Tab key goes through."""

    def on_press_key(self, _call: Call) -> None:
        names = list(self.fields)
        self.focus = names[(names.index(self.focus) + 1) % len(names)] if self.focus else names[0]


class Tabs(Page):
    """Tabs with a text each."""

    def __init__(self, texts: Sequence[str]) -> None:
        super().__init__()
        self.texts = texts
        self.at = 0

    def elements(self) -> list[Element]:
        tabs = [Element(f"tab {n}", "button", f"Tab {chr(65 + n)}") for n in range(len(self.texts))]
        return [*tabs, Element("panel", "p", self.texts[self.at])]

    def on_click_element(self, call: Call) -> None:
        self.at = int(call.key.removeprefix("tab "))


class Canvas(Page):
    """A drawing: what is done to it is seen on it, and nowhere else in the document."""

    def elements(self) -> list[Element]:
        return [Element("drawing", "canvas"), Element("zoom", "button", label="Zoom in")]

    def on_click_element(self, _call: Call) -> None:
        self.drawn += 1


class Checks(Page):
    """Checkboxes; some pages take the check back."""

    def __init__(self, count: int, *, takes_back: bool = False) -> None:
        super().__init__()
        self.count, self.takes_back = count, takes_back
        self.on: set[str] = set()

    def elements(self) -> list[Element]:
        states = ("checked" if f"c{n}" in self.on else "" for n in range(self.count))
        return [Element(f"c{n}", "input", label="Select", state=state) for n, state in enumerate(states)]

    def on_check(self, call: Call) -> None:
        if not self.takes_back:
            self.on.add(call.key)
