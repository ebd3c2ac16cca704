"""Tasks that answer each move: a game of three in a row, and a hidden place to find by what the page says."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import product
from statistics import fmean

from PIL import Image

from bench.miniwob.episode import Episode, Policy
from bench.miniwob.nodes import Node
from bench.miniwob.policies.pictures import crop
from stillframe import Click, Hover
from stillframe.model.actions import Position
from stillframe.tab.reading.reading import Box

Board = tuple[str, ...]
"""Nine cells, row by row: `X`, `O` or an empty text."""
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
CARE = 0.5
"""How often the other side wins or blocks if it can; else it plays anywhere."""
DARK = 128
CELL_MIDDLE = 0.4
"""The margin that leaves the middle of a cell, where an X has ink and an O has none."""
CELL_FRAME = 0.08
"""The margin that leaves out the frame of a cell."""

WARMTH = ("ICE COLD", "COLD", "WARM", "HOT")
STEPS = (40, 5)
"""CSS pixels between two places to try: first all over the area, then from the middle of the warmest ones outwards."""
EDGE = 2


async def win_three_in_a_row(episode: Episode) -> None:
    """Play X so that a careless other side loses most often, until a side has won or all cells are taken."""
    cells = [node for node in await episode.nodes() if node.has("clickable")]
    boxes = [await episode.box(cell.ref) for cell in cells]
    board = await _board(episode, boxes)
    while "" in board:
        move = max(_free(board), key=lambda index: _chance(_played(board, index, "X"), "O"))
        await episode.act(Click(cells[move].selector))
        if _won(_played(board, move, "X"), "X"):
            return
        board = await _board(episode, boxes)
        if _won(board, "O"):
            return


async def _board(episode: Episode, boxes: list[Box]) -> Board:
    picture = await episode.picture()
    return tuple(_mark(crop(picture, box)) for box in boxes)


def _mark(cell: Image.Image) -> str:
    if _has_ink(cell, CELL_MIDDLE):
        return "X"
    return "O" if _has_ink(cell, CELL_FRAME) else ""


def _has_ink(cell: Image.Image, margin: float) -> bool:
    width, height = cell.size
    part = cell.crop(
        (round(width * margin), round(height * margin), round(width * (1 - margin)), round(height * (1 - margin)))
    )
    return part.convert("L").getextrema()[0] < DARK  # type: ignore[operator]


def _free(board: Board) -> list[int]:
    return [index for index, mark in enumerate(board) if not mark]


def _played(board: Board, index: int, mark: str) -> Board:
    return (*board[:index], mark, *board[index + 1 :])


def _won(board: Board, mark: str) -> bool:
    return any(all(board[index] == mark for index in line) for line in LINES)


@cache
def _chance(board: Board, turn: str) -> float:
    """Return how likely X wins from a board, with the best moves of X and the careless ones of O."""
    if _won(board, "X"):
        return 1.0
    free = _free(board)
    if _won(board, "O") or not free:
        return 0.0
    if turn == "X":
        return max(_chance(_played(board, index, "X"), "O") for index in free)
    anywhere, careful = _mean(board, free), _mean(board, _careful(board) or free)
    return CARE * careful + (1 - CARE) * anywhere


def _mean(board: Board, moves: list[int]) -> float:
    return sum(_chance(_played(board, index, "O"), "X") for index in moves) / len(moves)


def _careful(board: Board) -> list[int]:
    """Return the moves with which O wins, or else those that keep X from winning."""
    for mark in ("O", "X"):
        if moves := [index for index in _free(board) if _won(_played(board, index, mark), mark)]:
            return moves
    return []


async def find_hot_place(episode: Episode) -> None:
    """Hover over places, ever closer around the warmest so far, and click when the page says HOT."""
    area = next(node for node in await episode.nodes() if node.has("clickable"))
    box = await episode.box(area.ref)
    felt: dict[tuple[int, int], int] = {}
    for step in STEPS:
        for place in _places(box, _warmest(felt), step):
            felt[place] = await _feel(episode, area, place)
            if felt[place] == len(WARMTH) - 1:
                await episode.act(Click(area.selector, position=Position(*place)))
                return
    raise LookupError("no place in the area is HOT")


def _warmest(felt: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    return [place for place, warmth in felt.items() if warmth == max(felt.values())]


def _places(box: Box, around: list[tuple[int, int]], step: int) -> Iterator[tuple[int, int]]:
    """Yield the places of a grid, those nearest to the middle of the warmest places first."""
    xs, ys = (range(EDGE, round(length) - EDGE, step) for length in (box.width, box.height))
    middle = tuple(map(fmean, zip(*around, strict=True))) or (0, 0)
    yield from sorted(product(xs, ys), key=lambda place: math.dist(place, middle))


async def _feel(episode: Episode, area: Node, place: tuple[int, int]) -> int:
    await episode.act(Hover(area.selector, position=Position(*place)))
    return next(WARMTH.index(node.name) for node in await episode.nodes() if node.name in WARMTH)


POLICIES: dict[str, Policy] = {"hot-cold": find_hot_place, "tic-tac-toe": win_three_in_a_row}
