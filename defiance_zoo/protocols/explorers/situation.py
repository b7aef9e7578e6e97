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
    """A state before the choice of an action.

    Attributes:
        state: Hash of the state.
        actions: Numbers of the allowed actions.
        keys: The hash of each action. Without hashes, its number, which is equivalent in states
            with equal hashes.
        info: The whole info.
    """

    state: str
    actions: tuple[int, ...]
    keys: tuple[str, ...]
    info: Mapping[str, Any] = field(default_factory=dict, compare=False)


def read_situation(info: Mapping[str, Any]) -> Situation:
    """Return the situation of an info.

    Args:
        info: Info with `state_hash` and `action_mask` and, for hashes as keys, `action_hashes`, a
            line for each allowed action.

    Raises:
        ParameterError: The environment lacks infos for explorers.
    """
    try:
        state, mask = info["state_hash"], info[MASK]
    except KeyError as missing:
        raise ParameterError(
            f"explorers need the info {missing}; environments with hashes of states have it, such "
            "as partition_v0 with illegal_actions='refuse'"
        ) from None
    allowed = np.asarray(mask).tolist()  # faster than NumPy's function for few actions
    actions = tuple(number for number, each in enumerate(allowed) if each)
    hash_text = info.get("action_hashes")
    keys = tuple(hash_text.split("\n")) if hash_text else tuple(map(str, actions))
    if len(keys) != len(actions):
        raise ParameterError(f"there are {len(keys)} action_hashes for {len(actions)} actions")
    return Situation(state, actions, keys, info)


def require_explorable(env: Any) -> None:
    """Refuse actions other than `Discrete(n)` from 0 on, as an action is an index of the mask.

    Raises:
        ParameterError: The action space is another one.
    """
    space = getattr(env, "action_space", None)
    if space is not None and not (isinstance(space, Discrete) and space.start == 0):
        raise ParameterError(f"explorers need actions of Discrete(n), from 0 on, not {space}")
