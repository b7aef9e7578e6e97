# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison, which respect the mask of actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.environments import NoOptions, PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.partition.actions import find_actions


class FaultlessPolicy:
    """Injects no faults: submits each request as soon as a replica takes it."""

    def reset(self) -> None:
        """See `Policy`; the policy has no state."""

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """Return the action that submits a request, if it is allowed; otherwise 0."""
        mask = info[MASK] if MASK in info else observation[MASK]
        actions = find_actions({**info, MASK: mask})
        requests = [number for number in actions.find("request") if mask[number]]
        return requests[0] if requests else int(np.argmax(mask))


def _faultless(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> FaultlessPolicy:
    return FaultlessPolicy()


BASELINES = {"faultless": PolicyMaker(_faultless, __name__)}
"""The policies, by name."""
