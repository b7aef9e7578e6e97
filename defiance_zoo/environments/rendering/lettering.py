# SPDX-License-Identifier: GPL-2.0-only
"""Text in pictures, with NumPy alone: letters of five by seven points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]

HEIGHT, ADVANCE = 7, 6
"""Height of a letter, and distance between letters, in points."""

_ROWS = {
    "A": "0e 11 11 1f 11 11 11",
    "B": "1e 11 11 1e 11 11 1e",
    "C": "0e 11 10 10 10 11 0e",
    "D": "1e 11 11 11 11 11 1e",
    "E": "1f 10 10 1e 10 10 1f",
    "F": "1f 10 10 1e 10 10 10",
    "G": "0e 11 10 17 11 11 0e",
    "H": "11 11 11 1f 11 11 11",
    "I": "0e 04 04 04 04 04 0e",
    "J": "01 01 01 01 01 11 0e",
    "K": "11 12 14 18 14 12 11",
    "L": "10 10 10 10 10 10 1f",
    "M": "11 1b 15 15 11 11 11",
    "N": "11 19 15 15 13 11 11",
    "O": "0e 11 11 11 11 11 0e",
    "P": "1e 11 11 1e 10 10 10",
    "Q": "0e 11 11 11 15 12 0d",
    "R": "1e 11 11 1e 14 12 11",
    "S": "0f 10 10 0e 01 01 1e",
    "T": "1f 04 04 04 04 04 04",
    "U": "11 11 11 11 11 11 0e",
    "V": "11 11 11 11 11 0a 04",
    "W": "11 11 11 15 15 1b 11",
    "X": "11 11 0a 04 0a 11 11",
    "Y": "11 11 0a 04 04 04 04",
    "Z": "1f 01 02 04 08 10 1f",
    "a": "00 00 0e 01 0f 11 0f",
    "b": "10 10 16 19 11 11 1e",
    "c": "00 00 0e 10 10 11 0e",
    "d": "01 01 0d 13 11 11 0f",
    "e": "00 00 0e 11 1f 10 0e",
    "f": "06 09 08 1c 08 08 08",
    "g": "00 0f 11 11 0f 01 0e",
    "h": "10 10 16 19 11 11 11",
    "i": "04 00 0c 04 04 04 0e",
    "j": "02 00 06 02 02 12 0c",
    "k": "10 10 12 14 18 14 12",
    "l": "0c 04 04 04 04 04 0e",
    "m": "00 00 1a 15 15 11 11",
    "n": "00 00 16 19 11 11 11",
    "o": "00 00 0e 11 11 11 0e",
    "p": "00 00 1e 11 1e 10 10",
    "q": "00 00 0d 13 0f 01 01",
    "r": "00 00 16 19 10 10 10",
    "s": "00 00 0e 10 0e 01 1e",
    "t": "08 08 1c 08 08 09 06",
    "u": "00 00 11 11 11 13 0d",
    "v": "00 00 11 11 11 0a 04",
    "w": "00 00 11 11 15 15 0a",
    "x": "00 00 11 0a 04 0a 11",
    "y": "00 00 11 11 0f 01 0e",
    "z": "00 00 1f 02 04 08 1f",
    "0": "0e 11 13 15 19 11 0e",
    "1": "04 0c 04 04 04 04 0e",
    "2": "0e 11 01 06 08 10 1f",
    "3": "0e 11 01 06 01 11 0e",
    "4": "02 06 0a 12 1f 02 02",
    "5": "1f 10 1e 01 01 11 0e",
    "6": "06 08 10 1e 11 11 0e",
    "7": "1f 01 02 04 04 04 04",
    "8": "0e 11 11 0e 11 11 0e",
    "9": "0e 11 11 0f 01 02 0c",
    " ": "00 00 00 00 00 00 00",
    ".": "00 00 00 00 00 00 04",
    ",": "00 00 00 00 04 04 08",
    ":": "00 04 00 00 00 04 00",
    "-": "00 00 00 0e 00 00 00",
    "+": "00 04 04 1f 04 04 00",
    "=": "00 00 1f 00 1f 00 00",
    "_": "00 00 00 00 00 00 1f",
    "/": "01 01 02 04 08 10 10",
    "(": "02 04 08 08 08 04 02",
    ")": "08 04 02 02 02 04 08",
    "?": "0e 11 01 02 04 00 04",
    "!": "04 04 04 04 04 00 04",
    '"': "0a 0a 00 00 00 00 00",
    "#": "0a 0a 1f 0a 1f 0a 0a",
    "$": "04 0f 14 0e 05 1e 04",
    "%": "18 19 02 04 08 13 03",
    "&": "0c 12 14 08 15 12 0d",
    "'": "04 04 00 00 00 00 00",
    "*": "00 04 15 0e 15 04 00",
    ";": "00 04 00 00 04 04 08",
    "<": "02 04 08 10 08 04 02",
    ">": "08 04 02 01 02 04 08",
    "@": "0e 11 17 15 17 10 0e",
    "[": "0e 08 08 08 08 08 0e",
    "\\": "10 10 08 04 02 01 01",
    "]": "0e 02 02 02 02 02 0e",
    "^": "04 0a 11 00 00 00 00",
    "`": "08 04 00 00 00 00 00",
    "{": "02 04 04 08 04 04 02",
    "|": "04 04 04 04 04 04 04",
    "}": "08 04 04 02 04 04 08",
    "~": "00 00 08 15 02 00 00",
}
"""Rows of each letter from the top, five bits each; the leftmost bit is the greatest."""

_GLYPHS = {
    letter: np.array(
        [[int(row, 16) >> (4 - x) & 1 for x in range(5)] for row in rows.split()], bool
    )
    for letter, rows in _ROWS.items()
}


def width(text: str, scale: int = 2) -> int:
    """Return the width of a text in pixels."""
    return ADVANCE * len(text) * scale


def write(
    picture: Picture, text: str, x: int, y: int, color: tuple[int, int, int], scale: int = 2
) -> None:
    """Write a text into a picture; unknown letters become `?`, and the part beyond is cut off.

    Args:
        picture: Shape (height, width, 3).
        text: Printable characters of ASCII.
        x: Column of the left end, in pixels; not negative.
        y: Row of the upper end, in pixels; not negative.
        color: Red, green and blue.
        scale: Width of a point in pixels.
    """
    for number, letter in enumerate(text):
        glyph = np.kron(_GLYPHS.get(letter, _GLYPHS["?"]), np.ones((scale, scale), np.bool_))
        left = x + number * ADVANCE * scale
        part = picture[y : y + glyph.shape[0], left : left + glyph.shape[1]]
        part[glyph[: part.shape[0], : part.shape[1]]] = color
