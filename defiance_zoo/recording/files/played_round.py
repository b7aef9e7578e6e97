# SPDX-License-Identifier: GPL-2.0-only
"""Played rounds, before the conversion to columns."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from defiance_zoo.bridge.simulation import AgentEnd, AgentStep, Round

_UNCHANGING = (int, float, str, bool, np.generic)


class PlayedRound(NamedTuple):
    """A round, and the actions that answer it.

    Attributes:
        time_ns: Simulated time in nanoseconds.
        ended: Agents that end.
        asked: Agents that decide.
        infos: Infos of the agents that decide; wrappers add to the originals.
        actions: Actions by agent.
    """

    time_ns: int
    ended: Sequence[AgentEnd]
    asked: Sequence[AgentStep]
    infos: Sequence[Mapping[str, Any]]
    actions: dict[str, Any]

    @property
    def is_answered(self) -> bool:
        """Whether all agents have decided."""
        return 0 < len(self.asked) == len(self.actions)

    def copy(self) -> PlayedRound:
        """Return an independent copy."""
        return self._replace(actions=dict(self.actions))


def note(received: Round) -> PlayedRound:
    """Return a round without actions."""
    steps = received.steps
    infos = [dict(each.info) for each in steps]
    ended = received.ended and [each._replace(info=dict(each.info)) for each in received.ended]
    return PlayedRound(received.time_ns, ended, steps, infos, {})


def note_action(action: Any) -> Any:
    """Return a copy of an action, unless it is immutable."""
    if isinstance(action, _UNCHANGING):
        return action
    return action.copy() if isinstance(action, np.ndarray) else copy.deepcopy(action)
