# SPDX-License-Identifier: GPL-2.0-only
"""Rewards of bonuses for RLlib."""

from __future__ import annotations

from typing import Any

from defiance_zoo.protocols.rewards.rewarded_environments import Rewarded
from defiance_zoo.wrappers.rllib.env import MultiAgentDict, RLlibEnv, Step


class RewardedRLlibEnv(Rewarded, RLlibEnv):
    """An RLlib environment with rewards of bonuses, whose states its agents share.

    Each environment of each env runner has separate counts.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        """Make the environment.

        Args:
            config: As for `RLlibEnv`, with `bonuses`, at least one `Bonus`, and `keep_reward`:
                whether bonuses are added to the environment's reward (the default), or replace it.

        Raises:
            ParameterError: There is no bonus, or an argument is unknown or not allowed.
        """
        own = dict(config)
        self._prepare(own.pop("bonuses", ()), own.pop("keep_reward", True))
        super().__init__(own)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[MultiAgentDict, MultiAgentDict]:
        observations, infos = super().reset(seed=seed, options=options)
        self._begin_rewards(infos)
        return observations, infos

    def step(self, action_dict: MultiAgentDict) -> Step:  # type: ignore[override] # as RLlibEnv's
        """See `RLlibEnv`; a step in which the simulation was lost has no bonus."""
        observations, own, terminateds, truncateds, infos = super().step(action_dict)
        if not any("failure" in info for info in infos.values()):
            own = self._rewards(action_dict, own, infos)
        return observations, own, terminateds, truncateds, infos
