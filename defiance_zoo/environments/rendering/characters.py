# SPDX-License-Identifier: GPL-2.0-only
"""Drawings of characters, for render modes that return text."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Characters:
    """A drawing of a fixed size; later characters cover earlier ones.

    A character is about twice as high as wide; callers have to allow for that.
    """

    def __init__(self, columns: int, rows: int) -> None:
        """Begin with blanks."""
        self._cells = np.full((rows, columns), " ")

    def write(self, text: str, column: int, row: int) -> None:
        """Write a text from a place to the right; the part beyond the drawing is cut off."""
        rows, columns = self._cells.shape
        for offset, letter in enumerate(text):
            if 0 <= row < rows and 0 <= column + offset < columns:
                self._cells[row, column + offset] = letter

    def line(self, start: ArrayLike, end: ArrayLike, mark: str) -> None:
        """Draw a straight line of one character, its ends included; each is (column, row)."""
        first, last = np.asarray(start, float), np.asarray(end, float)
        steps = 2 * int(np.abs(last - first).max()) + 2
        for column, row in np.round(np.linspace(first, last, steps)).astype(int):
            self.write(mark, int(column), int(row))

    def lines(self) -> list[str]:
        """Return the rows from the top, without the blanks at their ends."""
        return ["".join(row).rstrip() for row in self._cells]


def stretch(points: ArrayLike, corner: ArrayLike, room: ArrayLike) -> NDArray[np.int64]:
    """Scale points so that they fill a drawing or picture in both directions.

    Args:
        points: Shape (count, 2): x to the right, y downwards.
        corner: Column and row of the upper left corner of the filled area.
        room: Width and height of the filled area, in columns and rows.

    Returns:
        Columns and rows, shape (count, 2). Points on one line are at the upper or left end.
    """
    given = np.reshape(np.asarray(points, float), (-1, 2))
    low, span = given.min(axis=0), np.maximum(np.ptp(given, axis=0), 1e-9)
    shares: NDArray[np.float64] = (given - low) / span
    placed = np.round(shares * np.asarray(room, float) + np.asarray(corner, float))
    return np.asarray(placed, np.int64)
