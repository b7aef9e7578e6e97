# SPDX-License-Identifier: GPL-2.0-only
"""Policies that do not learn, to compare with; they heed the mask of `info["action_mask"]`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.environments import NoOptions, PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.partition.actions import HEALING, find_request

_find_request = functools.cache(find_request)


class FaultlessPolicy:
    """Injects no fault: hands over each request as soon as a replica takes it."""

    def reset(self) -> None:
        """See `Policy`; there is nothing to forget."""

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """Return the action that hands over a request, if it is allowed; else 0."""
        mask = info["action_mask"]
        replicas = len(info["partition"])
        request = _find_request(len(mask), replicas, with_healing=HEALING in info)
        return request if mask[request] else int(np.argmax(mask))


def _faultless(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> FaultlessPolicy:
    return FaultlessPolicy()


BASELINES = {"faultless": PolicyMaker(_faultless, __name__)}
"""Who chooses, by name."""
