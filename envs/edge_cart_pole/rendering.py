# SPDX-License-Identifier: GPL-2.0-only
"""The picture of cart_pole, for observations that may say more than the state of a cart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.envs.cart_pole.initial_state import STATE_SIZE
from defiance_zoo.envs.cart_pole.rendering import CartPoleRenderer


class EdgeCartPoleRenderer(CartPoleRenderer):
    """Draws the cart that each agent last observed, one lane a cart."""

    def render(self, mode: str, observations: Mapping[str, Any], time_ns: int) -> Any:
        """Return text of all that is observed, or a picture of shape (160 * carts, 600, 3)."""
        if mode == "ansi":
            return super().render(mode, observations, time_ns)
        states = {agent: view[:STATE_SIZE] for agent, view in observations.items()}
        return super().render(mode, states, time_ns)
