# SPDX-License-Identifier: GPL-2.0-only
"""The minimum known delay: the router's queue, and the distance from the next router."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec import element_names
from defiance_zoo.environments import NoOptions, Policy, SimulationAECEnv
from defiance_zoo.errors import ParameterError

COMMON = 2
"""Numbers of an observation before those of ports: destination, hops."""


class LeastDelayPolicy(Policy):
    """Takes the port over which a packet arrives first if later routers have no queues.

    It needs `observation="link-state"`.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, _options: NoOptions) -> None:
        self._env = env

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        """See `Policy`.

        Raises:
            ParameterError: Distances are not observed, or agents decide once in an epoch.
        """
        if "distance_s_0" not in element_names(self._env.observation_space(agent)):
            raise ParameterError(
                'least_delay needs decisions="packet" and observation="link-state"'
            )
        ports = len(info["action_mask"])
        waiting, up, far = np.reshape(observation[COMMON : COMMON + 3 * ports], (3, -1))
        return int(np.argmin(np.where(up > 0, waiting + far, np.inf)))
