# SPDX-License-Identifier: GPL-2.0-only
"""A policy of SB3 that scores each port of a router with the same network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy

_COMMON, _MASK = 2, 1
"""In `observation="link-state"`: the numbers before those of ports, and the feature that is 0 for a
port that does not work.
"""
_SCALE, _WIDTH = 20.0, 32
_FORBIDDEN = -1e8
"""Score of forbidden ports."""


class ScoredChoices(torch.nn.Module):
    """Scores each port by its features, and estimates the value from all features."""

    def __init__(self, ports: int, features: int) -> None:
        super().__init__()
        self._shape = features, ports
        self.score = _network(2 * features, 1)
        self.value = _network(2 * features, _WIDTH)
        self.latent_dim_pi, self.latent_dim_vf = ports, _WIDTH

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return scores, shape (batch, ports), and the features of the value."""
        return self.forward_actor(observation), self.forward_critic(observation)

    def forward_actor(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the score of each port, shape (batch, ports)."""
        features, allowed = self._read(observation)
        scores: torch.Tensor = self.score(features).squeeze(-1)
        return torch.where(allowed, scores, torch.full_like(scores, _FORBIDDEN))

    def forward_critic(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the features of the value, shape (batch, width)."""
        features, allowed = self._read(observation)
        weights = allowed.float().unsqueeze(-1)
        summed = (self.value(features) * weights).sum(dim=1)
        mean: torch.Tensor = summed / weights.sum(dim=1).clamp(min=1)
        return mean

    def _read(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return features, shape (batch, ports, 2 features), and a mask of allowed ports.

        Each feature appears twice: unchanged, and minus the least value among allowed ports.
        """
        blocks = observation[:, _COMMON:].reshape(-1, *self._shape)
        allowed = blocks[:, _MASK] > 0
        scaled = (blocks * _SCALE).clamp(max=10.0)
        least = torch.where(allowed.unsqueeze(1), scaled, torch.full_like(scaled, 10.0))
        above = scaled - least.min(dim=2, keepdim=True).values
        return torch.cat([scaled, above], dim=1).transpose(1, 2), allowed


class ScoredChoicesPolicy(ActorCriticPolicy):
    """An actor and critic for `observation="link-state"`, shared by routers of any degree.

    One network scores every port by its own features, so the policy depends neither on the order
    nor on the number of ports. Numbers that are common to all ports are ignored.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        action_space: spaces.Space[Any],
        lr_schedule: Callable[[float], float],
        **others: Any,
    ) -> None:
        """Build the networks; `others` are arguments of `ActorCriticPolicy`.

        Raises:
            ValueError: The observation or action space has another form.
        """
        if not isinstance(action_space, spaces.Discrete):
            raise ValueError(f"{action_space} is not Discrete")
        self._features, odd = divmod(observation_space.shape[0] - _COMMON, int(action_space.n))
        if odd or self._features <= _MASK:
            raise ValueError(
                f"an observation of {observation_space.shape[0]} numbers is not {_COMMON}, and "
                f"then {action_space.n} for each feature"
            )
        super().__init__(observation_space, action_space, lr_schedule, **others)

    def _build_mlp_extractor(self) -> None:
        ports = int(self.action_space.n)  # type: ignore[attr-defined]
        self.mlp_extractor = ScoredChoices(ports, self._features)  # type: ignore[assignment]

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        super()._build(lr_schedule)
        # Scores are the logits; SB3 would add a layer that mixes ports.
        self.action_net = torch.nn.Identity()
        optimizer: Any = self.optimizer_class  # each takes a learning rate
        self.optimizer = optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def _network(inputs: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, _WIDTH),
        torch.nn.Tanh(),
        torch.nn.Linear(_WIDTH, _WIDTH),
        torch.nn.Tanh(),
        torch.nn.Linear(_WIDTH, outputs),
    )
