# SPDX-License-Identifier: GPL-2.0-only
"""A picture of carts and poles, drawn with NumPy, without a display."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import AgentView, Renderer
from defiance_zoo.environments.rendering.characters import Characters
from defiance_zoo.environments.rendering.lettering import Picture, width, write
from defiance_zoo.environments.rendering.renderer import write_counts
from defiance_zoo.envs.cart_pole.initial_state import STATE_SIZE

_WIDTH, _HEIGHT = 600, 160
_SCALE = _WIDTH / 4.8  # pixels per metre: the track is as wide as the picture
_GROUND = 130
_POLE_PIXELS = 74  # up to the text above it
_EDGE = 8  # from text to the end of the picture, in pixels
_TRACK, _CART, _POLE, _PUSH = (0, 0, 0), (40, 40, 40), (202, 152, 101), (30, 90, 200)
_TEXT, _FAINT = (60, 60, 60), (110, 110, 110)
_COLUMNS, _POLE_ROWS = 61, 3  # size of a cart in text
_ENDS = {
    "": ("", _TEXT, (255, 255, 255)),
    "terminated": ("fell", (190, 20, 20), (255, 232, 232)),
    "time over": ("time over", (20, 120, 40), (232, 248, 234)),
    "truncated": ("truncated", (170, 100, 0), (255, 244, 224)),
}
"""The text for an end, its colour, and its background."""


class CartPoleRenderer(Renderer):
    """Draws the last observation and action of each agent, with a lane for each cart."""

    modes = ("ansi", "human", "rgb_array")
    arguments = MappingProxyType({"communication_report": True})

    def render(self, mode: str, views: Mapping[str, AgentView], time_ns: int) -> Any:
        """Return text, or a picture of shape (160 * carts, 600, 3), uint8."""
        if mode != "rgb_array":
            return super().render(mode, views, time_ns)
        lanes = [lane for agent, view in views.items() for lane in self.lanes(agent, view)]
        picture = np.concatenate(lanes or [_empty("")])
        time = f"t = {time_ns / 1e9:.3f} s"
        write(picture, time, _WIDTH - _EDGE - width(time), _EDGE, _TEXT)
        return picture

    def describe(self, view: AgentView) -> list[str]:
        *parts, last = super().describe(view)
        return [*parts, _ENDS[view.end][0] if view.end else last]

    def sketch(self, view: AgentView) -> list[str]:
        """Return a track for each cart, with its pole, and `>` or `<` beside it for the push."""
        states = self.states(view)
        pushes: Sequence[int | None] = self.pushes(view) or [None] * len(states)
        sketches = [_sketch(state, push) for state, push in zip(states, pushes, strict=True)]
        return [line for lines in sketches for line in lines]

    def lanes(self, agent: str, view: AgentView) -> list[Picture]:
        """Return the picture of each cart of an agent, of shape (160, 600, 3)."""
        states, pushes = self.states(view), self.pushes(view)
        lanes = []
        for number, state in enumerate(states):
            lane = _empty(view.end)
            name = agent if len(states) == 1 else f"{agent}, cart {number}"
            push = pushes[number] if pushes else None
            _draw_cart(lane, state, push)
            _write(lane, name, push, view, missing=number == 0)
            lanes.append(lane)
        return lanes

    def states(self, view: AgentView) -> NDArray[Any]:
        """Return the state of each cart of an agent, shape (carts, 4)."""
        return np.reshape(view.observation, (-1, STATE_SIZE))

    def pushes(self, view: AgentView) -> Sequence[int]:
        """Return the last push of each cart of an agent, 0 or 1; empty before the first one."""
        return [] if view.action is None else np.ravel(view.action).tolist()


def _empty(end: str) -> Picture:
    lane = np.full((_HEIGHT, _WIDTH, 3), _ENDS[end][2], np.uint8)
    lane[_GROUND] = _TRACK
    lane[-1] = (200, 200, 200)
    return lane


def _sketch(state: NDArray[Any], push: int | None) -> list[str]:
    track = Characters(_COLUMNS, _POLE_ROWS + 1)
    track.write("-" * _COLUMNS, 0, _POLE_ROWS)
    middle = round(float(np.clip(0.5 + state[0] / 4.8, 0, 1)) * (_COLUMNS - 1))
    lean, upright = math.sin(state[2]), math.cos(state[2])
    mark = "_" if abs(lean) > 0.9 else "|" if abs(lean) < 0.03 else "/" if lean > 0 else "\\"
    along = np.arange(1, _POLE_ROWS + 1)  # a row is as high as two columns are wide
    for reach in along:
        column, row = middle + 2 * reach * lean, _POLE_ROWS - max(reach * upright, 0)
        track.write(mark, round(column), min(round(row), _POLE_ROWS - 1))
    track.write({None: "[#]", 0: "<[#]", 1: "[#]>"}[push], middle - (2 if push == 0 else 1), 3)
    return track.lines()


def _draw_cart(lane: Picture, state: NDArray[Any], push: int | None) -> None:
    x = int(np.clip(_WIDTH / 2 + state[0] * _SCALE, 0, _WIDTH - 1))
    lane[_GROUND - 12 : _GROUND + 12, max(x - 25, 0) : x + 25] = _CART
    along = np.linspace(0, _POLE_PIXELS, 4 * _POLE_PIXELS)
    rows = (_GROUND - 12 - along * np.cos(state[2])).astype(int)
    columns = (x + along * np.sin(state[2])).astype(int)
    for shift in range(-3, 4):
        _dot(lane, rows, columns + shift, _POLE)
    if push is not None:  # an arrow beside the cart, in the direction of the push
        side = 1 if push else -1
        for step in range(20):
            reach = np.arange(-min(3, 20 - step), min(3, 20 - step) + 1)
            if step >= 10:
                reach = np.arange(step - 19, 20 - step)
            _dot(lane, _GROUND - 2 + reach, np.full(len(reach), x + side * (30 + step)), _PUSH)


def _dot(
    lane: Picture, rows: NDArray[Any], columns: NDArray[Any], color: tuple[int, int, int]
) -> None:
    inside = (columns >= 0) & (columns < _WIDTH) & (rows >= 0) & (rows < _HEIGHT)
    lane[rows[inside], columns[inside]] = color


def _write(lane: Picture, name: str, push: int | None, view: AgentView, *, missing: bool) -> None:
    write(lane, name, _EDGE, _EDGE, _TEXT)
    if push is not None:
        write(lane, f"push {'right' if push else 'left'}", _EDGE, _EDGE + 20, _PUSH)
    if view.end:
        text, color, _ = _ENDS[view.end]
        write(lane, text, _WIDTH - _EDGE - width(text), _EDGE + 20, color)
    if missing and view.missing:
        text = f"not arrived: {write_counts(view.missing)}"
        write(lane, text, _EDGE, _GROUND + 14, _FAINT)
