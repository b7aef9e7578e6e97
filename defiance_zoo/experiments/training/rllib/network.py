# SPDX-License-Identifier: GPL-2.0-only
"""RLlib's modules as networks from flat observations to actions."""

from __future__ import annotations

from typing import Any

import torch
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim
from ray.rllib.algorithms.dqn.dqn_learner import QF_PREDS
from ray.rllib.core.columns import Columns

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.network import ActionHead, unflatten


class RLlibNetwork(torch.nn.Module):
    """Computes `forward_inference`, without exploration, and RLlib's connectors."""

    def __init__(
        self, module: Any, action_space: spaces.Space[Any], *, normalize_actions: bool = True
    ) -> None:
        super().__init__()
        if module.is_stateful() or isinstance(module.observation_space, spaces.Dict):
            raise ParameterError(
                f"{type(module).__name__} cannot be exported: a policy file has no action masks, "
                "and the state of RLlib's recurrent modules is not exported"
            )
        self._module = module
        self._space = module.observation_space
        self._reals = flatdim(action_space) if isinstance(action_space, spaces.Box) else None
        self._binary = isinstance(action_space, spaces.MultiBinary)
        self._head = ActionHead(action_space, unsquash=normalize_actions)

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return actions, (batch, ...), for flat observations, (batch, n) float32."""
        batch = {Columns.OBS: unflatten(self._space, observation)}
        if hasattr(self._module, "pi"):
            head_inputs = self._module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
        else:  # DQN would return the action
            head_inputs = self._module.compute_q_values(batch)[QF_PREDS]
        if self._binary:  # two choices for each element, off and on
            head_inputs = head_inputs[:, 1::2] - head_inputs[:, 0::2]
        # The outputs for a Box are means and deviations.
        actions: torch.Tensor = self._head(
            head_inputs[:, : self._reals] if self._reals else head_inputs
        )
        return actions
