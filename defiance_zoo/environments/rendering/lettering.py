# SPDX-License-Identifier: GPL-2.0-only
"""Text in pictures, in Pillow's own scalable font, and shapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

Picture = NDArray[np.uint8]

LEGEND = (110, 110, 110)
_SHADES = 4  # of a letter's edge; pictures of few colours are small files
_CAPITALS = 7
"""Height of a capital letter at scale 1, in pixels."""


@cache
def _font(scale: float) -> tuple[FreeTypeFont, int]:
    """Return a font, and the height of its capital letters."""
    from PIL import ImageFont  # takes long, and most episodes draw nothing

    size = round(_CAPITALS * scale / 0.72)  # capitals are 0.72 em high
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont), "this Pillow was built without FreeType"
    return font, -round(font.getbbox("H", anchor="ls")[1])


def width(text: str, scale: float = 2) -> int:
    """Return the width of a text in pixels."""
    return len(_shape(text, scale)[0])


@lru_cache(1000)
def _shape(text: str, scale: float) -> NDArray[np.float32]:
    """Return how much of each pixel a text covers, shape (height, width), 0 to 1."""
    from PIL import Image, ImageDraw

    font, capitals = _font(scale)
    drawn = Image.new("L", (int(font.getlength(text)) + 1, capitals + font.getmetrics()[1]))
    ImageDraw.Draw(drawn).text((0, capitals), text, 255, font, anchor="ls")
    covered = np.array(drawn, np.float32)
    covered[:] = np.round(covered * (_SHADES / 255)) / _SHADES
    return covered


def write_legend(
    picture: Picture, entries: Mapping[str, tuple[int, int, int]], x: int, y: int, scale: float = 2
) -> None:
    """Write texts beside each other, each after a square of its colour; see `write()`."""
    side = round(_CAPITALS * scale)
    for text, color in entries.items():
        picture[y : y + side, x : x + side] = color
        write(picture, text, x + side + 5, y, LEGEND, scale)
        x += side + 18 + width(text, scale)


def write(
    picture: Picture, text: str, x: int, y: int, color: tuple[int, int, int], scale: float = 2
) -> None:
    """Write a text into a picture; the part beyond is cut off.

    Args:
        picture: Shape (height, width, 3).
        text: One line.
        x: Column of the left end, in pixels; not negative.
        y: Row of the upper end of capital letters, in pixels; not negative.
        color: Red, green and blue.
        scale: A seventh of the height of a capital letter, in pixels.
    """
    covered = _shape(text, scale)
    part = picture[y : y + covered.shape[0], x : x + covered.shape[1]]
    share = covered[: part.shape[0], : part.shape[1], np.newaxis]
    part[:] = np.round(part + share * (np.array(color, np.float32) - part)).astype(np.uint8)


class Shape(NamedTuple):
    """A line through points, or, with a radius, a circle around each of them; in pixels."""

    points: Sequence[tuple[float, float]]
    color: tuple[int, int, int]
    width: int
    radius: float = 0.0


def draw_shapes(size: tuple[int, int], shapes: Iterable[Shape]) -> Picture:
    """Return a white picture of a width and height with shapes, shape (height, width, 3), uint8."""
    from PIL import Image, ImageDraw

    sheet = Image.new("RGB", size, "white")
    pen = ImageDraw.Draw(sheet)
    for points, color, thickness, radius in shapes:
        if not radius:
            pen.line(list(points), color, thickness, joint="curve")
        for point in points if radius else ():
            pen.circle(point, radius, outline=color, width=thickness)
    return np.array(sheet)
