# SPDX-License-Identifier: GPL-2.0-only
"""A map of cells and users, for pictures of environments over LTE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments.rendering.characters import Characters
from defiance_zoo.environments.rendering.lettering import LEGEND, Picture, write

SIZE = 400
"""Height and width of the map in pixels."""

_COLUMNS, _ROWS = 64, 24  # size of the map in text
_WIDER = 2  # columns for a row's height

TEXT, FAINT = (60, 60, 60), (225, 225, 225)
_MARGIN = 30
_OFF_DBM = -50.0  # cells that sleep have less
_CELLS = (
    (30, 90, 200),
    (220, 120, 0),
    (20, 140, 60),
    (170, 40, 140),
    (0, 150, 160),
    (190, 30, 40),
    (110, 90, 40),
    (90, 90, 110),
)

Points = NDArray[np.float64]


@dataclass(frozen=True)
class Network:
    """The cells and users in the infos of any agent.

    Attributes:
        cells: Positions of cells in m, shape (cells, 2).
        users: Positions of users in m, shape (users, 2).
        serving: Number of the serving cell of each user; -1: none.
        sinrs: SINRs of users in dB.
        throughputs: Throughputs of users in Mb/s.
        powers: Powers of cells in dBm.
        loads: Loads of cells, from 0 to 1.
    """

    cells: Points
    users: Points
    serving: list[int]
    sinrs: list[float]
    throughputs: list[float]
    powers: list[float]
    loads: list[float]


def read_network(info: Mapping[str, Any]) -> Network:
    """Return the network in an info; without `serving`, cell i modulo cells serves user i."""
    cells = np.reshape(info["cells"], (-1, 2))
    users = np.reshape(info["users"], (-1, 2))
    serving = info.get("serving", np.arange(len(users)) % len(cells))
    return Network(
        cells,
        users,
        [int(cell) for cell in serving],
        [float(sinr) for sinr in info["sinrs"]],
        [float(each) for each in info["throughputs"]],
        [float(power) for power in info["powers"]],
        [float(load) for load in info["loads"]],
    )


def colour(cell: int) -> tuple[int, int, int]:
    """Return the colour of a cell; grey for none."""
    return _CELLS[cell % len(_CELLS)] if cell >= 0 else (150, 150, 150)


def draw_map(picture: Picture, network: Network) -> None:
    """Draw cells as squares with their numbers, users as dots, and lines to their cells.

    The map is at the top left of a picture of shape (at least 400, at least 400, 3), uint8.
    """
    cells, users = _place(network, SIZE, SIZE - 2 * _MARGIN)
    for user, cell in zip(users, network.serving, strict=True):
        if cell >= 0:
            _line(picture, cells[cell], user, FAINT)
    for number, (cell, power) in enumerate(zip(cells, network.powers, strict=True)):
        _square(picture, cell, 6, colour(number))
        text = f"{power:.0f} dBm" if power > _OFF_DBM else "off"
        write(picture, text, int(cell[0]) + 9, int(cell[1]) - 6, TEXT)
    for user, cell in zip(users, network.serving, strict=True):
        _disc(picture, user, 4, colour(cell))
    text = "squares: cells; dots: users, in the colour of their cell"
    write(picture, text, 4, SIZE - 16, LEGEND, 1.7)


def sketch_map(network: Network) -> list[str]:
    """Return a map of characters: cells as `[0]`, users as numbers, with dots to their cells."""
    drawing = Characters(_COLUMNS, _ROWS)
    wide = np.array([_WIDER, 1])
    cells, users = (points * wide for points in _place(network, _COLUMNS // _WIDER, _ROWS - 2))
    shift = np.array([0, (_ROWS - _COLUMNS // _WIDER) // 2])
    cells, users = cells + shift, users + shift
    for user, cell in zip(users, network.serving, strict=True):
        if cell >= 0:
            drawing.line(cells[cell], user, ".")
    for number, (column, row) in enumerate(cells):
        drawing.write(f"[{number}]", round(column) - 1, round(row))
    for number, (column, row) in enumerate(users):
        drawing.write(f"{number}", round(column), round(row))
    return drawing.lines()


def _place(network: Network, size: int, room: int) -> tuple[Points, Points]:
    """Scale the positions of cells and users to fill a square drawing with a margin."""
    everything = np.concatenate([network.cells, network.users])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = room / max(*(high - low), 1.0)
    corner = (low + high) / 2 - size / 2 / scale
    return (network.cells - corner) * scale, (network.users - corner) * scale


def bar(picture: Picture, top: int, left: int, length: int, tint: tuple[int, int, int]) -> None:
    """Draw a bar of ten pixels' height."""
    picture[top : top + 10, left : left + max(length, 0)] = tint


def _line(picture: Picture, one: Points, other: Points, tint: tuple[int, int, int]) -> None:
    points = np.linspace(one, other, 2 * SIZE).round().astype(int).clip(0, SIZE - 1)
    picture[points[:, 1], points[:, 0]] = tint


def _square(picture: Picture, middle: Points, half: int, tint: tuple[int, int, int]) -> None:
    x, y = (int(each) for each in middle.round())
    picture[y - half : y + half, x - half : x + half] = tint


def _disc(picture: Picture, middle: Points, radius: int, tint: tuple[int, int, int]) -> None:
    y, x = np.ogrid[:SIZE, :SIZE]
    picture[:SIZE, :SIZE][(x - middle[0]) ** 2 + (y - middle[1]) ** 2 <= radius**2] = tint
