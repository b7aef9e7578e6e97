# SPDX-License-Identifier: GPL-2.0-only
"""A picture of carts and poles, drawn with NumPy alone so that it needs no display."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import Renderer

_WIDTH, _HEIGHT = 600, 160
_SCALE = _WIDTH / 4.8  # pixels a metre: the track is as wide as the picture
_GROUND = 130
_POLE_PIXELS = 100
_SKY, _TRACK, _CART, _POLE = (255, 255, 255), (0, 0, 0), (40, 40, 40), (202, 152, 101)


class CartPoleRenderer(Renderer):
    """Draws what each agent last observed, one lane a cart."""

    modes = ("ansi", "rgb_array")

    def render(self, mode: str, observations: Mapping[str, Any], time_ns: int) -> Any:
        """Return text, or a picture of shape (160 * carts, 600, 3), uint8."""
        if mode == "ansi":
            return super().render(mode, observations, time_ns)
        states = [row for view in observations.values() for row in np.reshape(view, (-1, 4))]
        return np.concatenate([_lane(row) for row in states] or [_lane(np.zeros(4))])


def _lane(state: NDArray[Any]) -> NDArray[np.uint8]:
    picture = np.full((_HEIGHT, _WIDTH, 3), _SKY, np.uint8)
    picture[_GROUND] = _TRACK
    x = int(np.clip(_WIDTH / 2 + state[0] * _SCALE, 0, _WIDTH - 1))
    picture[_GROUND - 12 : _GROUND + 12, max(x - 25, 0) : x + 25] = _CART
    along = np.linspace(0, _POLE_PIXELS, 4 * _POLE_PIXELS)
    rows = (_GROUND - 12 - along * np.cos(state[2])).astype(int)
    columns = (x + along * np.sin(state[2])).astype(int)
    for shift in range(-3, 4):
        shifted = columns + shift
        inside = (shifted >= 0) & (shifted < _WIDTH) & (rows >= 0) & (rows < _HEIGHT)
        picture[rows[inside], shifted[inside]] = _POLE
    return picture
