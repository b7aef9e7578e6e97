# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison; random play wins a third of games and loses a third."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.envs.radio import SIGNAL_LEVEL

SETTINGS = 3
"""Antennas of a link; setting i beats setting i + 1, and the last one the first."""

Policy = Callable[[Any], int]


def beat_last_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return a policy that beats the other side's last setting; its first setting is 0."""
    return lambda observation: (_last(observation) - 1) % SETTINGS


def repeat_last_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return a policy that copies the other side's last setting; its first setting is 1."""
    return _last


def cycle_policy(action_space: spaces.Space[Any]) -> Policy:
    """Return a policy that takes one setting after the other."""
    slots = iter(range(1 << 62))
    return lambda _observation: next(slots) % SETTINGS


def _last(observation: Any) -> int:
    energy = observation[:SETTINGS]
    return int(np.argmax(energy)) if energy.max() >= SIGNAL_LEVEL else 1


BASELINES = {
    "beat_last": beat_last_policy,
    "repeat_last": repeat_last_policy,
    "cycle": cycle_policy,
}
"""The policies, by name."""
