# SPDX-License-Identifier: GPL-2.0-only
"""The policy `constant`, which takes the same action in any environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.environments import Policy, SimulationAECEnv
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation.playing import spaces_of


@dataclass(frozen=True)
class ConstantOptions:
    """The option of `constant`."""

    action: Any = 0


class ConstantPolicy:
    """Takes the same action for any observation."""

    def __init__(self, action_space: Callable[[str], Space], action: Any) -> None:
        self._action_space, self._action = action_space, action

    def reset(self) -> None:
        """Continue with the same action."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        return constant_action(self._action_space(agent), self._action)


def constant_action(space: Space, value: Any) -> Any:
    """Return an action of a space whose elements have a value; see `ConstantOptions`.

    Raises:
        ParameterError: The space has no such action.
    """
    try:
        action = _fill(space, value)
    except (KeyError, TypeError, ValueError, OverflowError):
        action = None
    if action is None or not space.contains(action):
        raise ParameterError(f"constant: action={value!r} is not in {space}")
    return action


def _fill(space: Space, value: Any) -> Any:
    if isinstance(space, spaces.Dict):
        parts = value if isinstance(value, Mapping) else dict.fromkeys(space, value)
        if parts.keys() != space.keys():
            return None
        return {name: _fill(each, parts[name]) for name, each in space.items()}
    if isinstance(space, spaces.Tuple):
        each = value if isinstance(value, list | tuple) else [value] * len(space)
        return tuple(_fill(part, given) for part, given in zip(space, each, strict=True))
    if isinstance(space, spaces.Text):
        return value
    if isinstance(value, bool) or not np.all(np.isfinite(value)):
        return None
    filled = np.broadcast_to(np.asarray(value), space.shape or ())
    action = filled.astype(space.dtype)
    if not np.issubdtype(space.dtype, np.floating) and (action != filled).any():
        return None
    return action.item() if isinstance(space, spaces.Discrete) else action


def make_constant(env: SimulationAECEnv, _seed: int, options: ConstantOptions) -> Policy:
    """Return the policy; refuse an action that an agent does not have."""
    for _, space in spaces_of(env).values():
        constant_action(space, options.action)
    return ConstantPolicy(env.action_space, options.action)
