# SPDX-License-Identifier: GPL-2.0-only
"""The situation of an explorer, from infos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete

from defiance_zoo.bridge.codec.masks import MASK
from defiance_zoo.errors import ParameterError


@dataclass(frozen=True)
class Situation:
    """A state in which an action is chosen.

    Attributes:
        state: Its hash.
        actions: Numbers of the actions that are allowed.
        keys: The hash of each; where the environment tells none, its number, which is as good: in
            states of one hash a number means the same.
        info: The whole info.
    """

    state: str
    actions: tuple[int, ...]
    keys: tuple[str, ...]
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)


def read_situation(info: Mapping[str, Any]) -> Situation:
    """Return where an explorer stands.

    Args:
        info: Has `state_hash` and `action_mask`, and `action_hashes`, a line for each action that
            is allowed, if those are to be the keys.

    Raises:
        ParameterError: The environment does not tell what explorers need.
    """
    try:
        state, mask = info["state_hash"], info[MASK]
    except KeyError as missing:
        raise ParameterError(
            f"explorers need the info {missing}; environments have it that tell hashes of their "
            "states, such as partition_v0 with illegal_actions='refuse'"
        ) from None
    allowed = np.asarray(mask).tolist()  # for few actions faster than what NumPy has for it
    actions = tuple(number for number, each in enumerate(allowed) if each)
    told = info.get("action_hashes")
    keys = tuple(told.split("\n")) if told else tuple(map(str, actions))
    if len(keys) != len(actions):
        raise ParameterError(f"there are {len(keys)} action_hashes for {len(actions)} actions")
    return Situation(state, actions, keys, info)


def require_explorable(env: Any) -> None:
    """Refuse actions other than `Discrete(n)` from 0 on: an action is a place in the mask.

    Raises:
        ParameterError: It has other actions.
    """
    space = getattr(env, "action_space", None)
    if space is not None and not (isinstance(space, Discrete) and space.start == 0):
        raise ParameterError(f"explorers need actions of Discrete(n), from 0 on, not {space}")
