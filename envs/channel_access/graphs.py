# SPDX-License-Identifier: GPL-2.0-only
"""A hand-written policy as operators, for policy files of residuals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from gymnasium.spaces.utils import flatdim

from defiance_zoo.envs.radio import SIGNAL_LEVEL
from defiance_zoo.errors import ParameterError

_ALLOWED = {
    *("activity", "channels", "duration", "dwell", "history", "interferer", "observe_actions"),
    "slot",
}
"""Parameters with which an observation shows each lost frame of the only radio."""


class SkipAfterLoss(torch.nn.Module):
    """The policy `skip_after_loss` of one local radio, for `observe_actions=True`.

    A frame was lost if the radio measured a signal in the channel of its last action. The state is
    the policy's last choice.
    """

    def __init__(self, observed: Any, acts: Any, parameters: Mapping[str, Any]) -> None:
        super().__init__()
        others = sorted(parameters.keys() - _ALLOWED)
        if others or not parameters.get("observe_actions"):
            raise ParameterError(
                f"skip_after_loss as operators needs observe_actions=True and none of {others}"
            )
        self.state_size, self._actions = int(acts.n), flatdim(observed) // 2

    def forward(
        self, observation: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the choice, float32 of shape (batch, channels), and the next state, its copy."""
        energy = observation[:, : self.state_size]
        action = observation[:, self._actions : self._actions + self.state_size]
        lost = (energy * action).sum(dim=1, keepdim=True) >= SIGNAL_LEVEL
        following = torch.cat([state[:, -1:], state[:, :-1]], dim=1)
        skipped = torch.cat([state[:, -2:], state[:, :-2]], dim=1)
        first = torch.zeros_like(state) + torch.eye(self.state_size)[:1]
        begun = state.sum(dim=1, keepdim=True) > 0
        choice = torch.where(begun, torch.where(lost, skipped, following), first)
        return choice, choice
