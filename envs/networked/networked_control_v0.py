# SPDX-License-Identifier: GPL-2.0-only
"""`networked_control_v0`: a cart-pole behind a network, as a board.

`card.md` describes the task; `networked()` puts any other plant behind the same networks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from defiance_zoo.environments import AgentView
from defiance_zoo.envs.cart_pole.rendering import CartPoleRenderer
from defiance_zoo.envs.networked.baselines import BASELINES, newest
from defiance_zoo.envs.networked.specification import make_board


class ObservedCart(CartPoleRenderer):
    """Draws the newest state that has arrived, which is not the cart's state now."""

    def states(self, view: AgentView) -> NDArray[Any]:
        """Return the newest state, shape (1, 4)."""
        return np.reshape(newest(view.observation), (1, 4))


SPEC = make_board(
    "networked_control_v0",
    "CartPole-v1",
    {},
    renderer=ObservedCart(),
    baselines=BASELINES,
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    description="a cart-pole whose sensor, agent and motor are different machines",
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
