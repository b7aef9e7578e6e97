# SPDX-License-Identifier: GPL-2.0-only
"""Policies that sample like SB3's, with previously drawn noise."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import torch
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim
from numpy.typing import NDArray
from stable_baselines3.common.policies import ActorCriticPolicy

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.export.network import split
from defiance_zoo.experiments.training.export.policy_file import make_model
from defiance_zoo.experiments.training.sb3.network import SB3Network
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of, start_of


def choices_of(space: spaces.Space[Any]) -> list[int]:
    """Return the number of choices for each part of an action."""
    if isinstance(space, spaces.Discrete):
        return [int(space.n)]
    if isinstance(space, spaces.MultiDiscrete) and space.nvec.ndim == 1:
        return [int(n) for n in space.nvec]
    raise ParameterError(
        f"actions of {space} cannot be sampled inside simulations: only samples of Discrete and "
        "MultiDiscrete are equal there to the last bit"
    )


def draw_noise(choices: list[int], steps: int, rows: int) -> NDArray[np.float32]:
    """Draw the numbers that PyTorch would draw for a policy's steps, in the same order.

    A categorical distribution's sample is the choice with the greatest p / q, where q is
    exponentially distributed: `torch.multinomial` draws a tensor of q for each call.

    Args:
        choices: See `choices_of()`.
        steps: Number of calls of the policy.
        rows: Number of observations of each call.

    Returns:
        q, shape (steps, rows, sum(choices)).
    """
    noise = np.empty((steps, rows, sum(choices)), np.float32)
    ends = np.cumsum(choices).tolist()
    for step in range(steps):
        for end, count in zip(ends, choices, strict=True):
            drawn = torch.empty(rows, count).exponential_()
            noise[step, :, end - count : end] = drawn.numpy()
    return noise


def sample(
    probabilities: list[torch.Tensor], noise: torch.Tensor, choices: list[int]
) -> torch.Tensor:
    """Return the samples of `torch.multinomial` for some noise, shape (rows, numbers)."""
    parts = zip(probabilities, split(noise, choices), strict=True)
    return torch.stack([torch.argmax(p / q, dim=1) for p, q in parts], dim=1)


class SamplingNetwork(SB3Network):
    """The samples of `ActorCriticPolicy.forward()` for given noise, in the agents' space."""

    first: torch.Tensor | None

    def __init__(self, policy: ActorCriticPolicy) -> None:
        super().__init__(policy)
        self.choices = choices_of(policy.action_space)
        self._single = isinstance(policy.action_space, spaces.Discrete)
        start = np.array(start_of(policy.action_space), np.int64)
        self.register_buffer("first", torch.as_tensor(start) if start.any() else None)

    def forward(self, observation: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """Return actions for flat observations and their noise."""
        outputs = self.output(observation)
        groups = [outputs] if self._single else split(outputs, self.choices)
        normalized = [each - torch.logsumexp(each, dim=1, keepdim=True) for each in groups]
        probabilities = [each.softmax(dim=1) for each in normalized]
        if self._single:  # a smaller model: each episode's process prepares it
            actions = torch.argmax(probabilities[0] / noise, dim=1)
        else:
            actions = sample(probabilities, noise, self.choices)
        return actions if self.first is None else actions + self.first


class SamplingModel:
    """A sampling policy as an ONNX model with the policy's current weights."""

    def __init__(self, policy: ActorCriticPolicy) -> None:
        self._network = SamplingNetwork(policy)
        self.choices = self._network.choices
        self._space = policy.observation_space
        self._model = make_model(
            self._network,
            self._space,
            origin_of(policy.action_space),
            {},
            noise=sum(self.choices),
        )
        self._weights = self._find_weights()

    def serialize(self) -> bytes:
        """Return the model with the policy's current weights."""
        for initializer, tensor in self._weights:
            initializer.raw_data = tensor.detach().contiguous().numpy().tobytes()
        data: bytes = self._model.SerializeToString()
        return data

    def _find_weights(self) -> list[tuple[onnx.TensorProto, torch.Tensor]]:
        """Return the places of running statistics and of all weights on which actions depend."""
        places = {each.name: each for each in self._model.graph.initializer}
        known = dict(self._network.named_parameters())
        outputs = self._network.output(torch.ones(1, flatdim(self._space))).sum()
        gradients: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            outputs, list(known.values()), allow_unused=True
        )
        found: list[tuple[onnx.TensorProto, torch.Tensor]] = []
        for (name, tensor), gradient in zip(known.items(), gradients, strict=True):
            if gradient is None:
                continue  # weights of the critic
            if name not in places or list(places[name].dims) != list(tensor.shape):
                raise ParameterError(f"{name} is not found in the policy's ONNX model")
            found.append((places[name], tensor))
        buffers = self._network.named_buffers()
        return found + [(places[name], buffer) for name, buffer in buffers if name in places]
