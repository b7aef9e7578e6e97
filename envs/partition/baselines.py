# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison, which respect the mask of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec.masks import MASK, read_mask
from defiance_zoo.environments import NoOptions, PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.partition.actions import find_actions


class FaultlessPolicy:
    """Injects no faults: submits each request as soon as a replica takes it."""

    def __init__(self, env: SimulationAECEnv) -> None:
        """Decide for the agents of an environment; it has their action spaces."""
        self._env = env

    def reset(self) -> None:
        """See `Policy`; the policy has no state."""

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """Return the action that submits a request, if it is allowed; otherwise 0."""
        mask = read_mask(agent, self._env.action_space(agent), observation, info)
        assert mask is not None  # observations have one
        actions = find_actions({**info, MASK: mask})
        requests = [number for number in actions.find("request") if mask[number]]
        return requests[0] if requests else int(np.argmax(mask))


def _faultless(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> FaultlessPolicy:
    return FaultlessPolicy(env)


BASELINES = {"faultless": PolicyMaker(_faultless, __name__)}
"""The policies, by name."""
