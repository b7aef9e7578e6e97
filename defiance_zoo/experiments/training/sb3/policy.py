# SPDX-License-Identifier: GPL-2.0-only
"""SB3's trained policies, without further training."""

from __future__ import annotations

import io
import pickle
from typing import Any

from gymnasium import spaces
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.vec_env import VecNormalize

from defiance_zoo.bridge.codec.masks import read_mask
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of, to_agent


class SB3Policy:
    """One policy for every agent; it takes the most probable action, or the mean.

    Attributes:
        network: SB3's policy, a torch module.
        normalizer: Scales observations; None if training did not scale them.
    """

    def __init__(self, network: BasePolicy, normalizer: VecNormalize | None) -> None:
        network.set_training_mode(False)
        self.network, self.normalizer = network, normalizer
        self._states: dict[str, Any] = {}

    @classmethod
    def copy_of(cls, network: BasePolicy, normalizer: VecNormalize | None) -> SB3Policy:
        """Return a copy of the policy that further training does not change."""
        memory = io.BytesIO()
        network.save(memory)  # type: ignore[arg-type] # torch takes files, too
        memory.seek(0)
        # Pickling leaves the simulations out.
        kept = None if normalizer is None else pickle.loads(pickle.dumps(normalizer))
        copied = type(network).load(memory, device="cpu")  # type: ignore[arg-type]
        return cls(copied, kept)

    def reset(self) -> None:
        """Forget the states of LSTMs."""
        self._states = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        """Return an action in the agent's action space; MaskablePPO uses an `action_mask`."""
        masks: dict[str, Any] = {}
        if isinstance(self.network, MaskableActorCriticPolicy):
            space = origin_of(self.network.action_space)
            masks["action_masks"] = read_mask(agent, space, observation, info)
        if self.normalizer is not None:
            observation = self.normalizer.normalize_obs(observation)
        chosen, self._states[agent] = self.network.predict(
            observation, self._states.get(agent), deterministic=True, **masks
        )
        action = to_agent(self.network.action_space, chosen)
        return int(action) if isinstance(self.network.action_space, spaces.Discrete) else action
