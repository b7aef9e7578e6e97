# SPDX-License-Identifier: GPL-2.0-only
"""A chain of states, small enough to compute by hand what is learnt in it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

LEFT, RIGHT = 0, 1


class Chain(gymnasium.Env[np.ndarray[Any, Any], int]):
    """States 0 to `length` - 1; an episode is truncated after `horizon` steps, or ends at the last.

    In state 0, left is forbidden. If `infos` report violations, they do so at the last state.
    """

    def __init__(self, length: int = 4, horizon: int = 3, *, ends: bool = False) -> None:
        self.observation_space = gymnasium.spaces.Box(0, length, (1,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self._last, self._horizon, self._ends = length - 1, horizon, ends
        self._place = self._step = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._place = self._step = 0
        return self._observation(), self._info()

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self._info()["action_mask"][action]
        self._place = min(self._place + (1 if action == RIGHT else -1), self._last)
        self._step += 1
        terminated = self._ends and self._place == self._last
        truncated = not terminated and self._step == self._horizon
        return self._observation(), 0.0, terminated, truncated, self._info()

    def _observation(self) -> Any:
        return np.array([self._place], np.float32)

    def _info(self) -> dict[str, Any]:
        mask = np.array([self._place > 0, True], np.int8)
        names = [name for name, allowed in zip(("left", "right"), mask, strict=True) if allowed]
        return {
            "place": self._place,
            "state_hash": f"s{self._place}",
            "action_mask": mask,
            "action_hashes": "\n".join(names),
            "violations": "too_far: it is there" if self._place == self._last else "",
        }


def reached(place: int) -> Any:
    """Return the predicate: a state with this number or a higher one was reached."""
    return lambda info: info["place"] >= place
