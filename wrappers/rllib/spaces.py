# SPDX-License-Identifier: GPL-2.0-only
"""Conversion of spaces for RLlib's default networks, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec.masks import MASK, count_choices, read_mask
from defiance_zoo.errors import ParameterError

OBSERVATIONS = "observations"
"""RLlib's key for the observation next to a mask; PettingZoo's is `observation`."""

IMAGE_SIZES = (10, 42, 64, 84, 96)
"""Heights and widths of images with default networks in RLlib."""


class Encoding:
    """Converts values between an agent's spaces and its policy's spaces.

    Observations are flattened to a float32 box unless they are a vector, or an image for RLlib's
    convolutional networks: a `Box(0, 255, (size, size, channels), uint8)` with 1, 3 or 4 channels
    and one of `IMAGE_SIZES`. Integers in actions count from 0, elements of `MultiBinary` become
    numbers of two choices, and arrays are flattened. Bounded numbers are scaled to -1 to 1, and
    clipped. With masks, an observation is `{"action_mask", "observations"}`.

    Attributes:
        observation_space: Space of the policy's observations.
        action_space: Space of the policy's actions.
        masked: Whether observations hold masks.
        agent_spaces: The agent's spaces.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        *,
        masks_in_infos: bool = False,
        agent: str = "the agent",
    ) -> None:
        self.agent_spaces = observation_space, action_space
        self._inner_key = _inner_key(observation_space)
        self.masked = masks_in_infos or self._inner_key is not None
        inner = observation_space
        if self._inner_key is not None:
            assert isinstance(observation_space, spaces.Dict)
            inner = observation_space[self._inner_key]
        self._inner, flat = inner, _flat(inner)
        self._flattens = flat is not inner
        self._agent, self._actions = agent, action_space
        self.action_space = _answers(action_space)
        self.observation_space: spaces.Space[Any] = flat
        if self.masked:
            counts = count_choices(action_space)
            if counts is None:
                raise ParameterError(f"action masks need discrete actions, not {action_space}")
            self._all = np.ones(sum(counts), np.float32)
            mask = spaces.Box(0.0, 1.0, self._all.shape, np.float32)
            self.observation_space = spaces.Dict({MASK: mask, OBSERVATIONS: flat})

    def observation(self, observation: Any, info: dict[str, Any], *, decides: bool = True) -> Any:
        """Return the observation of the policy; without a decision, every action is allowed."""
        mask = None
        if self.masked and decides:
            mask = read_mask(self._agent, self._actions, observation, info)
        if self._inner_key is not None:
            observation = observation[self._inner_key]
        if self._flattens:
            observation = np.asarray(spaces.flatten(self._inner, observation), np.float32)
        if not self.masked:
            return observation
        shown = self._all.copy() if mask is None else mask.astype(np.float32)
        return {MASK: shown, OBSERVATIONS: observation}

    def action(self, action: Any) -> Any:
        """Return the agent's action for the policy's action."""
        return _action(self._actions, action)


def _inner_key(space: spaces.Space[Any]) -> str | None:
    """Return the key of the observation beside a mask, if there is a mask."""
    if isinstance(space, spaces.Dict) and len(space.spaces) == 2 and MASK in space.spaces:
        (other,) = set(space.spaces) - {MASK}
        if other in ("observation", OBSERVATIONS):
            return other
    return None


def _answers(space: spaces.Space[Any]) -> spaces.Space[Any]:
    """Return the space of a policy's actions."""
    if isinstance(space, spaces.Dict):
        return spaces.Dict({name: _answers(inner) for name, inner in space.spaces.items()})
    if isinstance(space, spaces.Tuple):
        return spaces.Tuple([_answers(inner) for inner in space.spaces])
    if isinstance(space, spaces.Discrete):
        return spaces.Discrete(int(space.n))
    if isinstance(space, spaces.MultiDiscrete):
        return spaces.MultiDiscrete(space.nvec.ravel())
    if isinstance(space, spaces.MultiBinary):
        return spaces.MultiDiscrete([2] * int(np.prod(space.shape)))
    if isinstance(space, spaces.Box) and np.issubdtype(space.dtype, np.floating):
        return spaces.Box(-1.0, 1.0, space.shape, np.float32) if space.is_bounded() else space
    raise ParameterError(f"RLlib's networks cannot give actions of {space}")


def _action(space: spaces.Space[Any], answer: Any) -> Any:
    """Return the agent's action for a policy's action."""
    if isinstance(space, spaces.Dict):
        return {name: _action(inner, answer[name]) for name, inner in space.spaces.items()}
    if isinstance(space, spaces.Tuple):
        return tuple(_action(*each) for each in zip(space.spaces, answer, strict=True))
    if isinstance(space, spaces.Box):
        if not space.is_bounded():
            return np.asarray(answer, space.dtype)
        share = (np.clip(answer, -1.0, 1.0) + 1.0) / 2.0
        action = space.low + share * (space.high - space.low)
        return np.clip(action, space.low, space.high).astype(space.dtype)
    chosen = np.asarray(answer, space.dtype).reshape(space.shape or ())[()]
    if isinstance(space, spaces.MultiBinary):
        return chosen
    assert isinstance(space, spaces.Discrete | spaces.MultiDiscrete)
    return chosen + space.start


def _is_image(space: spaces.Box) -> bool:
    """Return whether RLlib has a convolutional network for a box."""
    if space.dtype != np.uint8 or len(space.shape) != 3:
        return False
    height, width, channels = space.shape
    if height != width or height not in IMAGE_SIZES or channels not in (1, 3, 4):
        return False
    return bool(np.all(space.low == 0) and np.all(space.high == 255))


def _flat(space: spaces.Space[Any]) -> spaces.Space[Any]:
    if isinstance(space, spaces.Box):
        vector = len(space.shape) == 1 and np.issubdtype(space.dtype, np.floating)
        if vector or _is_image(space):
            return space
    box = spaces.flatten_space(space)
    if not isinstance(box, spaces.Box):
        raise ParameterError(f"RLlib's networks need observations of a fixed size, not {space}")
    low, high = box.low.astype(np.float32), box.high.astype(np.float32)
    return spaces.Box(low, high, dtype=np.float32)
