# SPDX-License-Identifier: GPL-2.0-only
"""A policy that scores each choice with the same network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.policies import ActorCriticPolicy

_FORBIDDEN = -1e8
"""Score of forbidden choices."""


class ScoredChoices(torch.nn.Module):
    """Scores each choice by its features, and estimates the value from all features."""

    def __init__(
        self, choices: int, common: int, features: int, mask: int, scale: float, width: int
    ) -> None:
        super().__init__()
        self._shape, self._common = (features, choices), common
        self._mask, self._scale = mask, scale
        self.score = _network(2 * features, width, 1)
        self.value = _network(2 * features, width, width)
        self.latent_dim_pi, self.latent_dim_vf = choices, width

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return scores, shape (batch, choices), and the features of the value."""
        return self.forward_actor(observation), self.forward_critic(observation)

    def forward_actor(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the score of each choice, shape (batch, choices)."""
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
        """Return features, shape (batch, choices, 2 features), and a mask of allowed choices.

        Each feature appears twice: unchanged, and minus the least value among allowed choices.
        """
        blocks = observation[:, self._common :].reshape(-1, *self._shape)
        allowed = blocks[:, self._mask] > 0
        scaled = (blocks * self._scale).clamp(max=10.0)
        least = torch.where(allowed.unsqueeze(1), scaled, torch.full_like(scaled, 10.0))
        above = scaled - least.min(dim=2, keepdim=True).values
        return torch.cat([scaled, above], dim=1).transpose(1, 2), allowed


class ScoredChoicesPolicy(ActorCriticPolicy):
    """An actor and critic for `Discrete(n)` whose observations have n numbers of each feature.

    The observation is a Box with one axis. Its first numbers are common to all choices, and are
        ignored. Then come n numbers for each feature, one for each choice. One network scores every
        choice by its features, so the policy does not depend on the order and the number of
        choices: routers of any degree share it.
    """

    def __init__(
        self,
        observation_space: spaces.Box,
        action_space: spaces.Space[Any],
        lr_schedule: Callable[[float], float],
        *,
        common: int = 0,
        mask: int = 0,
        scale: float = 1.0,
        width: int = 32,
        **others: Any,
    ) -> None:
        """Build the networks.

        Args:
            observation_space: Observation space; see the class.
            action_space: Action space of n choices.
            lr_schedule: Schedule of the learning rate.
            common: Number of elements before the elements of choices.
            mask: Index of the feature that is 0 for forbidden choices.
            scale: Factor of features.
            width: Width of hidden layers.
            **others: Arguments of `ActorCriticPolicy`.

        Raises:
            ValueError: The observation or action space has another form.
        """
        if not isinstance(action_space, spaces.Discrete):
            raise ValueError(f"{action_space} is not Discrete")
        rest = observation_space.shape[0] - common
        features, odd = divmod(rest, int(action_space.n))
        if rest <= 0 or odd or mask >= features:
            raise ValueError(
                f"an observation of {observation_space.shape[0]} numbers is not {common}, and then "
                f"{action_space.n} for each feature"
            )
        self._own: dict[str, Any] = {"common": common, "mask": mask, "scale": scale, "width": width}
        self._features = features
        super().__init__(observation_space, action_space, lr_schedule, **others)

    def _build_mlp_extractor(self) -> None:
        choices = int(self.action_space.n)  # type: ignore[attr-defined]
        self.mlp_extractor = ScoredChoices(  # type: ignore[assignment]
            choices, features=self._features, **self._own
        )

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        super()._build(lr_schedule)
        # Scores are the logits; SB3 would add a layer that mixes choices.
        self.action_net = torch.nn.Identity()
        optimizer: Any = self.optimizer_class  # each takes a learning rate
        self.optimizer = optimizer(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)

    def _get_constructor_parameters(self) -> dict[str, Any]:
        return {**super()._get_constructor_parameters(), **self._own}


def _network(inputs: int, width: int, outputs: int) -> torch.nn.Sequential:
    return torch.nn.Sequential(
        torch.nn.Linear(inputs, width),
        torch.nn.Tanh(),
        torch.nn.Linear(width, width),
        torch.nn.Tanh(),
        torch.nn.Linear(width, outputs),
    )
