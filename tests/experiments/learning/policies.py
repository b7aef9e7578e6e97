# SPDX-License-Identifier: GPL-2.0-only
"""An environment with training servers, and policies that their constant actions identify."""

from __future__ import annotations

import numpy as np
from conftest import PROGRAMS

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.experiments.learning import Weights

MS = 1_000_000
LEARNING = Scenario("learning", PROGRAMS / "learning")
SPEC = EnvironmentSpec("learning_v0", LEARNING)


def policy(action: float, size: int = 1000) -> Weights:
    """Return weights of a policy with a constant action."""
    return {"action": np.full(size, action, np.float32)}


def act(weights: Weights) -> int:
    """Return the policy's action."""
    return int(weights["action"][0])
