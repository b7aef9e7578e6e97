# SPDX-License-Identifier: GPL-2.0-only
"""Agents that decide for several units which are alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from defiance_zoo.codec.spaces import Space


@dataclass(frozen=True)
class Division:
    """How an agent that decides for several units divides into an agent for each.

    Attributes:
        agents: What the agents of the units would be called.
        observation_space: Of each of them.
        action_space: Of each of them.
        split: From the agent's observation to theirs, in the order of `agents`.
        join: From their actions to the agent's.
    """

    agents: tuple[str, ...]
    observation_space: Space
    action_space: Space
    split: Callable[[Any], Sequence[Any]]
    join: Callable[[Sequence[Any]], Any]


Divide = Callable[[Space, Space], Division | None]
"""From an agent's observation and action space to its division; None if it stands for itself."""
