"""Tasks about one entry of many: posts, dishes, contacts, search results, folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import cycle, islice

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.goal_words import after, ordinals, quoted
from stillframe import Click, Hover, SetValue

USER = re.compile(r"(?:^|\s)(@\S+)")
MORE = "more"
"""The hint of the icon that opens a post's menu."""
MOST_PAGES = 20
"""How many pages of a list, or levels of a tree, a policy opens before it gives up."""


async def press_on_post(episode: Episode) -> None:
    """Press the icon on the post of a user; if the goal names no icon but an entry of the menu, open that first."""
    user, wanted = after(episode.goal, r"user (@\S+),"), quoted(episode.goal)[0]
    nodes = await _with_icons(episode)
    post = _posts(nodes, user)[0]
    if icons := _icons(post, wanted.lower()):
        await _hover_and_click(episode, icons[0])
        return
    await _hover_and_click(episode, _icons(post, MORE)[0])
    await _click(episode, next(node for node in await episode.nodes() if _is_entry(node, wanted, user)))


async def _hover_and_click(episode: Episode, icon: Node) -> None:
    """Hover first: the picture changes then, and until the new one has come the icons beside move."""
    await episode.act(Hover(icon.selector))
    await _click(episode, icon)


def _is_entry(node: Node, wanted: str, user: str) -> bool:
    return node.role == "listitem" and node.name in (wanted, f"{wanted} {user}")


async def press_on_posts(episode: Episode) -> None:
    """Press the icon on all posts of a user, or on as many as the goal says, and submit."""
    user, icon = after(episode.goal, r"by (@\S+) and"), quoted(episode.goal)[0].lower()
    many = re.search(r"on (\d+) post", episode.goal)
    nodes = await _with_icons(episode)
    icons = [node for post in _posts(nodes, user) for node in _icons(post, icon)]
    chosen = icons[: int(many[1])] if many else icons
    await episode.act(*(Click(node.selector) for node in chosen), Click(one(nodes, "button", "Submit").selector))


async def _with_icons(episode: Episode) -> list[Node]:
    """Return the nodes once the last picture of an icon has come: before, an icon takes no space and is not there."""
    nodes = await episode.nodes()
    for _ in range(MOST_PAGES):
        posts = [icons for post in _posts(nodes, "") if (icons := [node.ref for node in post if node.ref])]
        if posts and len({len(icons) for icons in posts}) == 1 and len(posts[0]) > 3:
            break
        await episode.page.settle()
        nodes = await episode.nodes()
    return nodes


def _posts(nodes: list[Node], user: str) -> list[list[Node]]:
    """Return the nodes of each post of a user, or of all users; a post begins with the line that names its user."""
    starts = [index for index, node in enumerate(nodes) if node.role == "text" and USER.search(node.name)]
    ends = [*starts[1:], len(nodes)]
    posts = [
        [node for node in nodes[start:end] if node.role != "button"] for start, end in zip(starts, ends, strict=True)
    ]
    return [post for post in posts if user in ("", USER.findall(post[0].name)[0])]


def _icons(post: list[Node], name: str) -> list[Node]:
    return [node for node in post if node.states.get("hint") == name]


async def order_dishes(episode: Episode) -> None:
    """Press + beside the dishes that the goal names, or beside as many of a kind as it says, and order."""
    nodes = await episode.nodes()
    dishes = list(_dishes(nodes))
    if kind := re.search(r"Order (\d+) items that are (\S+)", episode.goal):
        fitting = [plus for _, kinds, plus in dishes if kind[2] in kinds]
        chosen = list(islice(cycle(fitting), int(kind[1])))
    else:
        wanted = [name.strip() for name in after(episode.goal, r"each item: (.+)").split(", ")]
        chosen = [plus for name, _, plus in dishes if name in wanted]
    await episode.act(*(Click(plus.selector) for plus in chosen), Click(one(nodes, "button").selector))


def _dishes(nodes: list[Node]) -> Iterator[tuple[str, list[str], Node]]:
    """Yield the name of each dish, what its pictures say of it, and its +."""
    name = ""
    kinds: list[str] = []
    for node in nodes:
        if node.role == "text":
            name, kinds = node.name, []
        elif node.role == "img":
            kinds.append(node.name)
        elif node.name == "+":
            yield name, kinds, node


async def click_detail_of_contact(episode: Episode) -> None:
    """Turn the pages until the contact comes up, and click the detail that the goal names."""
    person, detail = after(episode.goal, r"Find (.+) in the contact"), after(episode.goal, r"on their (\w+)")
    nodes = await _page_with(episode, lambda nodes: bool(find(nodes, "heading", person)))
    label = one(nodes, "text", f"{detail.capitalize()}:")
    await _click(episode, nodes[nodes.index(label) + 1])


async def click_nth_result(episode: Episode) -> None:
    """Search, and click the result at the place that the goal names, on whichever page it is."""
    nodes = await episode.nodes()
    search = Click(one(nodes, "button", "Search").selector)
    await episode.act(SetValue(one(nodes, "textbox").selector, quoted(episode.goal)[0]), search)
    place = ordinals(episode.goal)[0] - 1
    nodes = await episode.nodes()
    while place >= len(_results(nodes)):
        place -= len(_results(nodes))
        await _click(episode, one(nodes, "link", ">"))
        nodes = await episode.nodes()
    await _click(episode, _results(nodes)[place])


def _results(nodes: list[Node]) -> list[Node]:
    """Return the links that are results, and not those that turn pages."""
    return [node for node in find(nodes, "link") if not re.fullmatch(r"\d+|[<>]", node.name)]


async def _page_with(episode: Episode, fits: Callable[[list[Node]], bool]) -> list[Node]:
    for _ in range(MOST_PAGES):
        nodes = await episode.nodes()
        if fits(nodes):
            return nodes
        await _click(episode, one(nodes, "link", ">"))
    raise LookupError(f"none of {MOST_PAGES} pages has what the goal names: {episode.goal}")


async def click_in_tree(episode: Episode) -> None:
    """Unfold all folders level by level until the name comes up, and click it."""
    wanted = quoted(episode.goal)[0]
    for _ in range(MOST_PAGES):
        nodes = await episode.nodes()
        if named := [node for node in nodes if node.name == wanted and node.ref]:
            await _click(episode, named[0])
            return
        await episode.act(*(Click(node.selector) for node in nodes if _folded(node)))
    raise LookupError(f"the tree has no {wanted!r}")


def _folded(node: Node) -> bool:
    return "expandable" in node.states.get("hint", "")


async def click_quoted_button(episode: Episode) -> None:
    """Click a button with the name in the goal, in whatever script it is written."""
    await _click(episode, one(await episode.nodes(), "button", quoted(episode.goal)[0]))


async def _click(episode: Episode, node: Node) -> None:
    await episode.act(Click(node.selector))


POLICIES: dict[str, Policy] = {
    "navigate-tree": click_in_tree,
    "order-food": order_dishes,
    "phone-book": click_detail_of_contact,
    "search-engine": click_nth_result,
    "social-media": press_on_post,
    "social-media-all": press_on_posts,
    "social-media-some": press_on_posts,
    "unicode-test": click_quoted_button,
}
