# SPDX-License-Identifier: GPL-2.0-only
"""Policies that do not learn, to compare with; they heed the mask of `info["action_mask"]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.environments import NoOptions, PolicyMaker, SimulationAECEnv


class FaultlessPolicy:
    """Injects no fault: hands over each request as soon as a replica takes it."""

    def reset(self) -> None:
        """See `Policy`; there is nothing to forget."""

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """Return the last action, which hands over a request, if it is allowed; else 0."""
        mask = info["action_mask"]
        return len(mask) - 1 if mask[-1] else int(np.argmax(mask))


def _faultless(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> FaultlessPolicy:
    return FaultlessPolicy()


BASELINES = {"faultless": PolicyMaker(_faultless, __name__)}
"""Who chooses, by name."""
