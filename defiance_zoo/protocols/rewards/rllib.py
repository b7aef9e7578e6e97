# SPDX-License-Identifier: GPL-2.0-only
"""Rewards of bonuses for what RLlib trains."""

from __future__ import annotations

from typing import Any

from defiance_zoo.protocols.rewards.rewarded_environments import Rewarded
from defiance_zoo.wrappers.rllib.env import MultiAgentDict, RLlibEnv, Step


class RewardedRLlibEnv(Rewarded, RLlibEnv):
    """A scenario as RLlib takes it, with rewards of bonuses; its agents share what these know.

    Each environment of each env runner counts for itself what it has met.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Make the environment.

        Args:
            config: As of `RLlibEnv`, with `bonuses`, at least one `Bonus`, and `keep_reward`: they
                are added to the environment's own reward (the default), or stand for it.

        Raises:
            ParameterError: There is no bonus, or an argument is unknown or not allowed.
        """
        own = dict(config)
        self._prepare(own.pop("bonuses", ()), own.pop("keep_reward", True))
        super().__init__(own)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MultiAgentDict, MultiAgentDict]:
        """See `RLlibEnv`."""
        observations, infos = super().reset(seed=seed, options=options)
        self._begin_rewards(infos)
        return observations, infos

    def step(self, action_dict: MultiAgentDict) -> Step:  # type: ignore[override] # as RLlibEnv's
        """See `RLlibEnv`; a step in which the simulation was lost brings nothing."""
        observations, own, terminateds, truncateds, infos = super().step(action_dict)
        if not any("failure" in info for info in infos.values()):
            own = self._rewards(action_dict, own, infos)
        return observations, own, terminateds, truncateds, infos
