# SPDX-License-Identifier: GPL-2.0-only
"""The interface of features, and the features of this package."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import torch
from gymnasium import spaces

from defiance_zoo.errors import ParameterError


class Features(torch.nn.Module, ABC):
    """Computes features of observations, with a state that continues between decisions.

    A subclass takes the width of the flat observation and its own options::

        class Change(Features):
            def __init__(self, width: int, scale: float = 1.0) -> None:
                super().__init__()
                self.space = spaces.Box(-np.inf, np.inf, (2 * width,), np.float32)
                self.state_size = width
                self._scale = scale

            def forward(self, observation, state):
                change = (observation - state) * self._scale
                return torch.cat([observation, change], dim=1), observation

    One object serves all agents and episodes. It has no internal state: the state is an argument
    and a result. A call serves several agents at once, a row for each. Rows are independent of each
    other. A policy file holds the same object as part of its ONNX graph, so `forward()` consists of
    operations that PyTorch exports to ONNX. Parameters are not trained.

    Attributes:
        space: Space of the features: a `Box` of float32, shape (k,).
        state_size: Size of the state, m; by default 0: no state.
    """

    space: spaces.Box
    state_size: int = 0

    @abstractmethod
    def forward(
        self, observation: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the features of observations, and the states for the next decisions.

        Args:
            observation: Observations, float32 of shape (batch, width), flattened as by
                `gymnasium.spaces.flatten()`, without an action mask.
            state: States from the agents' last decisions, float32 of shape (batch, m); zeros at the
                first decision of an episode.

        Returns:
            Features, float32 of shape (batch, k), and states, float32 of shape (batch, m).
        """


class FrameStack(Features):
    """The last observations of an agent, oldest first.

    At the first decision, the stack is filled with copies of the observation.
    """

    def __init__(self, width: int, *, frames: int = 4) -> None:
        """Stack observations.

        Args:
            width: Width of a flat observation.
            frames: Number of observations, at least 1.

        Raises:
            ParameterError: `frames` is less than 1.
        """
        super().__init__()
        if type(frames) is not int or frames < 1:
            raise ParameterError(f"frames={frames!r} is not a whole number of at least 1")
        self._width, self._past = width, frames - 1
        self.space = spaces.Box(-np.inf, np.inf, (frames * width,), np.float32)
        self.state_size = 1 + self._past * width  # a flag for an earlier decision, and the past

    def forward(
        self, observation: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Features.forward`; features have the shape (batch, frames * width)."""
        begun, past = state[:, :1], state[:, 1:]
        past = torch.where(begun > 0, past, observation.repeat(1, self._past))
        stack = torch.cat([past, observation], dim=1)
        return stack, torch.cat([torch.ones_like(begun), stack[:, self._width :]], dim=1)


class Symlog(Features):
    """The symmetric logarithm of each number, sign(x) log(1 + |x|), for numbers of any magnitude.

    Source: Hafner et al. (2023), "Mastering Diverse Domains through World Models".
    """

    def __init__(self, width: int) -> None:
        """Take logarithms.

        Args:
            width: Width of a flat observation.
        """
        super().__init__()
        self.space = spaces.Box(-np.inf, np.inf, (width,), np.float32)

    def forward(
        self, observation: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Features.forward`; features have the shape (batch, width)."""
        return torch.sign(observation) * torch.log1p(observation.abs()), state


class Summary(Features):
    """Symmetric logarithms of an observation, its running mean and its recent peak.

    The peak of a number is the largest value so far, reduced by a share at each decision: a path
    that has carried 20 Mb/s is, for a while, known to carry 20 Mb/s.
    """

    def __init__(self, width: int, *, rate: float = 0.1, decay: float = 0.98) -> None:
        """Summarise the episode so far.

        Args:
            width: Width of a flat observation.
            rate: Weight of the last observation in the running mean, above 0 and at most 1.
            decay: Share of a peak that remains after a decision, from 0 to 1.

        Raises:
            ParameterError: An option is not in its range.
        """
        super().__init__()
        if not 0 < rate <= 1:
            raise ParameterError(f"rate={rate!r} is not above 0 and at most 1")
        if not 0 <= decay <= 1:
            raise ParameterError(f"decay={decay!r} is not from 0 to 1")
        self._width, self._rate, self._decay = width, rate, decay
        self.space = spaces.Box(-np.inf, np.inf, (3 * width,), np.float32)
        self.state_size = 1 + 2 * width  # whether there was a decision; means; peaks

    def forward(
        self, observation: torch.Tensor, state: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """See `Features.forward`; features have the shape (batch, 3 * width)."""
        begun, mean, peak = torch.split(state, [1, self._width, self._width], dim=1)
        later = begun > 0
        mean = torch.where(later, mean + self._rate * (observation - mean), observation)
        peak = torch.where(later, torch.maximum(self._decay * peak, observation), observation)
        values = torch.cat([observation, mean, peak], dim=1)
        features = torch.sign(values) * torch.log1p(values.abs())
        return features, torch.cat([torch.ones_like(begun), mean, peak], dim=1)
