# SPDX-License-Identifier: GPL-2.0-only
"""The common part of all libraries' networks, which map flat observations to actions."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim

from defiance_zoo.errors import ParameterError

Space = spaces.Space[Any]


def split(values: torch.Tensor, counts: list[int]) -> list[torch.Tensor]:
    """Return consecutive columns; `torch.split()` becomes a sequence, which policy files lack."""
    ends = itertools.accumulate(counts)
    return [values[:, end - count : end] for end, count in zip(ends, counts, strict=True)]


class ActionHead(torch.nn.Module):
    """Converts a network's outputs to the most likely action, in the action space.

    The outputs are logits for Discrete, MultiDiscrete (one group for each number) and MultiBinary,
    and the mean for Box.
    """

    start: torch.Tensor
    low: torch.Tensor
    high: torch.Tensor

    def __init__(self, space: Space, *, unsquash: bool) -> None:
        super().__init__()
        self._space = space
        self._unsquash = unsquash
        if isinstance(space, spaces.Box):
            if not np.issubdtype(space.dtype, np.floating):
                raise ParameterError(f"actions of {space} cannot be exported: they are integers")
            self.register_buffer("low", torch.as_tensor(space.low, dtype=torch.float32))
            self.register_buffer("high", torch.as_tensor(space.high, dtype=torch.float32))
        elif isinstance(space, spaces.Discrete | spaces.MultiDiscrete):
            self.register_buffer("start", torch.as_tensor(np.array(space.start, np.int64)))
        elif not isinstance(space, spaces.MultiBinary):
            raise ParameterError(f"actions of {space} cannot be exported")

    def forward(self, outputs: torch.Tensor) -> torch.Tensor:
        """Return actions for the network's outputs, shape (batch, *space.shape)."""
        space = self._space
        if isinstance(space, spaces.Discrete):
            return torch.argmax(outputs, dim=1) + self.start
        if isinstance(space, spaces.MultiDiscrete):
            groups = split(outputs, space.nvec.flatten().tolist())
            numbers = torch.stack([torch.argmax(group, dim=1) for group in groups], dim=1)
            return numbers.reshape(-1, *space.shape) + self.start
        outputs = outputs.reshape(-1, *(space.shape or ()))
        if isinstance(space, spaces.MultiBinary):
            return (outputs > 0).to(torch.int64)
        if self._unsquash:
            outputs = self.low + 0.5 * (outputs + 1.0) * (self.high - self.low)
        return torch.minimum(torch.maximum(outputs, self.low), self.high)


def unflatten(space: Space, flat: torch.Tensor) -> Any:
    """Reverse `gymnasium.spaces.flatten` for observations.

    `flat` has shape (batch, flatdim(space)). One-hot vectors stay as they are.
    """
    if isinstance(space, spaces.Dict):
        parts = split(flat, [flatdim(part) for part in space.spaces.values()])
        return {
            key: unflatten(part, values)
            for (key, part), values in zip(space.spaces.items(), parts, strict=True)
        }
    if isinstance(space, spaces.Tuple):
        parts = split(flat, [flatdim(part) for part in space.spaces])
        return tuple(
            unflatten(part, values) for part, values in zip(space.spaces, parts, strict=True)
        )
    if isinstance(space, spaces.Box) and len(space.shape) != 1:
        return flat.reshape(-1, *space.shape)
    return flat
