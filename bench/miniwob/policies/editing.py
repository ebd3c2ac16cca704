"""Tasks that select, style, type or resize: an editor, a terminal, paragraphs to highlight, a text area to drag."""

from __future__ import annotations

import re

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node, find, one
from bench.miniwob.policies.goal_words import after, ordinals
from bench.miniwob.policies.pictures import Colour, crop, distance, main_colour, rgb
from stillframe import Action, Click, DragTo, PressKey, SelectText, SequenceResult, TypeText
from stillframe.model.actions import Offset, Position

STYLES = {"bold": "bold", "italics": "italic", "underlined": "underline"}
"""For a style in the goal, the word in the hint of its button."""
PICKER = "picker-label"
"""A word in the hint of what opens the choice of colours, which shows no text."""
MOST_PRESSES = 100
FURTHER = 15
"""CSS pixels by which a size is changed."""
PROMPT = "user$"


async def highlight_paragraph(episode: Episode) -> None:
    """Select the text of the paragraph that the goal names, or of the only one, and submit."""
    nodes = await episode.nodes()
    place = (ordinals(episode.goal) or [1])[0]
    text = find(nodes, "text")[place - 1].name
    await episode.act(SelectText(f'text="{text}"'), _submit(nodes))


async def style_text(episode: Episode) -> None:
    """Select the words that the goal names, with the keyboard, then give them the style or the colour, and submit."""
    nodes = await episode.nodes()
    editor = find(nodes, "textbox", multiline=True)[0]
    await episode.act(Click(editor.selector), *_selection(editor.value, episode.goal))
    if style := re.search(rf"style ({'|'.join(STYLES)})", episode.goal):
        await episode.act(Click(_hinted(nodes, STYLES[style[1]]).selector))
    else:
        await _choose_colour(episode, _hinted(nodes, PICKER), rgb(after(episode.goal, r"the color (\w+)")))
    await episode.act(_submit(nodes))


def _selection(text: str, goal: str) -> list[Action]:
    words = re.search(r"give the text (.+) the (?:style|color)", goal)
    if not words:
        return [PressKey("Control+A")]
    start = text.index(words[1])
    moves = [PressKey("ArrowRight", times=start)] if start else []
    return [PressKey("Control+Home"), *moves, PressKey("Shift+ArrowRight", times=len(words[1]))]


async def _choose_colour(episode: Episode, opener: Node, wanted: Colour) -> None:
    """Open the choice of colours, and click the one in the picture that is nearest."""
    before = {node.ref for node in await episode.nodes()}
    await episode.act(Click(opener.selector))
    choices = [node for node in await episode.nodes() if node.ref and node.ref not in before]
    picture = await episode.picture()
    shown = {node.ref: main_colour(crop(picture, await episode.box(node.ref))) for node in choices}
    nearest = min(choices, key=lambda node: distance(shown[node.ref], wanted))
    await episode.act(Click(nearest.selector))


def _hinted(nodes: list[Node], word: str) -> Node:
    return next(node for node in nodes if word in node.states.get("hint", ""))


async def delete_file(episode: Episode) -> None:
    """List the files in the terminal, and delete one with the extension that the goal names."""
    screen = next(node for node in await episode.nodes() if PROMPT in node.name)
    listed = await episode.act(Click(screen.selector), TypeText("ls"), PressKey("Enter"))
    extension = re.search(r"the extension (\.\S+)", episode.goal)
    fits = [
        name for name in _printed(listed).split() if (name.endswith(extension[1]) if extension else "." not in name)
    ]
    await episode.act(TypeText(f"rm {fits[0]}"), PressKey("Enter"))


def _printed(result: SequenceResult) -> str:
    """Return what a command printed: the rows that appeared, without the line of the command itself."""
    change = result.state_change
    rows = [row.text for row in change.appeared] if change else []
    return " ".join(text for text in rows if not text.startswith(PROMPT))


async def resize_area(episode: Episode) -> None:
    """Drag the edge of a text area that changes only its width, or only its height, and submit."""
    nodes = await episode.nodes()
    side, size = after(episode.goal, r"the (width|height) is"), after(episode.goal, r"is (smaller|larger)")
    boxes = {node.ref: await episode.box(node.ref) for node in nodes if node.has("resizable")}
    edge = min(boxes, key=lambda ref: getattr(boxes[ref], side))
    by = FURTHER if size == "larger" else -FURTHER
    offset = Offset(by, 0) if side == "width" else Offset(0, by)
    await episode.act(DragTo(f"ref={edge}", offset=offset, source_position=Position(3, 3)), _submit(nodes))


def _submit(nodes: list[Node]) -> Click:
    return Click(one(nodes, "button", "Submit").selector)


POLICIES: dict[str, Policy] = {
    "highlight-text": highlight_paragraph,
    "highlight-text-2": highlight_paragraph,
    "resize-textarea": resize_area,
    "terminal": delete_file,
    "text-editor": style_text,
}
