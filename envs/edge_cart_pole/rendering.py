# SPDX-License-Identifier: GPL-2.0-only
"""The picture of cart_pole, with agents and carts on the road."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import AgentView
from defiance_zoo.environments.rendering.lettering import Picture, write
from defiance_zoo.envs.cart_pole.initial_state import STATE_SIZE
from defiance_zoo.envs.cart_pole.rendering import CartPoleRenderer

_LEFT, _TOP, _SIZE = 150, 8, 14
_WIDTH = 290  # of the road
_LEAST = 5  # edge nodes that are drawn
_NODE, _AGENT, _CART = (205, 205, 205), (30, 90, 200), (220, 120, 0)


class EdgeCartPoleRenderer(CartPoleRenderer):
    """Draws each cart, and a square for each edge node: blue for agents, framed for carts."""

    def lanes(self, agent: str, view: AgentView) -> list[Picture]:
        """Return the picture of the cart, of shape (160, 600, 3)."""
        (lane,) = super().lanes(agent, view)
        if "edge/agent" in view.info:
            _draw_road(lane, view)
        return [lane]

    def describe(self, view: AgentView) -> list[str]:
        first, *others = super().describe(view)
        return [first, _describe(view), *others] if "edge/agent" in view.info else [first, *others]

    def states(self, view: AgentView) -> NDArray[Any]:
        """Return the state of the cart, shape (1, 4)."""
        return np.reshape(view.observation[:STATE_SIZE], (1, STATE_SIZE))

    def pushes(self, view: AgentView) -> Sequence[int]:
        """Return the last push, 0 or 1; empty before the first one."""
        return super().pushes(view)[:1]


def _draw_road(lane: Picture, view: AgentView) -> None:
    agent, cart = int(view.info["edge/agent"]), int(view.info["edge/cart"])
    count = max(_LEAST, agent + 1, cart + 1)
    pitch = min(2 * _SIZE, _WIDTH // count)
    size = min(_SIZE, pitch - 2)
    middle = _TOP + size // 2
    lane[middle, _LEFT : _LEFT + pitch * (count - 1) + size] = _NODE
    for node in range(count):
        x = _LEFT + node * pitch
        if node == cart:
            lane[_TOP - 3 : _TOP + size + 3, x - 3 : x + size + 3] = _CART
            lane[_TOP - 1 : _TOP + size + 1, x - 1 : x + size + 1] = (255, 255, 255)
        lane[_TOP : _TOP + size, x : x + size] = _AGENT if node == agent else _NODE
    write(lane, _describe(view), _LEFT, _TOP + 20, _AGENT)


def _describe(view: AgentView) -> str:
    moving = " (moving)" if view.info.get("moves/under_way") else ""
    return f"agent at {view.info['edge/agent']}{moving}, cart at {view.info['edge/cart']}"
