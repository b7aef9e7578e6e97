# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison.

Each policy decides for one user; a central agent has one policy for each user.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import BoundedOptions, PolicyMaker, SimulationAECEnv, bounded
from defiance_zoo.envs.multi_access.paths import ELEMENTS

Chooser = Callable[[Mapping[str, float]], float]
"""Returns the share of packets over Wi-Fi for a user's observation, by name."""


class SplitPolicy:
    """A policy with a chooser for each user of each agent."""

    def __init__(self, env: SimulationAECEnv, make: Callable[[], Chooser]) -> None:
        """Take a maker of choosers, called in each episode."""
        self._env, self._make = env, make
        self.reset()

    def reset(self) -> None:
        self._choosers: dict[tuple[str, int], Chooser] = {}

    def act(self, agent: str, observation: Any, _info: Mapping[str, Any]) -> Any:
        shares = []
        for user, row in enumerate(np.reshape(observation, (-1, len(ELEMENTS)))):
            chooser = self._choosers.setdefault((agent, user), self._make())
            shares.append(chooser(dict(zip(ELEMENTS, row.tolist(), strict=True))))
        return encode(self._env.action_space(agent), shares)


def encode(space: spaces.Space[Any], shares: list[float]) -> Any:
    """Return the action for users' shares of packets over Wi-Fi, or for the nearest levels."""
    if isinstance(space, spaces.Box):
        return np.array(shares, space.dtype)
    if isinstance(space, spaces.Discrete):
        return round(shares[0] * (int(space.n) - 1))
    assert isinstance(space, spaces.MultiDiscrete)
    return np.rint(np.array(shares) * (space.nvec - 1)).astype(np.int64)


@dataclass(frozen=True)
class ConstantOptions(BoundedOptions):
    """The share of the policy.

    Attributes:
        share: Share of packets over Wi-Fi, from 0 to 1.
    """

    share: float = bounded(0.5, 0, 1)


def _constant(env: SimulationAECEnv, _seed: int, options: ConstantOptions) -> SplitPolicy:
    return SplitPolicy(env, lambda: lambda _seen: options.share)


def find_wait(seen: Mapping[str, float], path: str) -> float:
    """Return the time in seconds to send the backlog of a path (Little's law)."""
    return seen[f"{path}_backlog"] / max(seen[f"{path}_throughput"], 0.01)


def _prefer(path: str) -> Callable[[], Chooser]:
    """Return a maker of a chooser that prefers a path, but shifts a tenth while it is full."""
    longest, step = 0.1, 0.1  # s, share

    def make() -> Chooser:
        share = 1.0

        def choose(seen: Mapping[str, float]) -> float:
            nonlocal share
            is_full = seen[f"{path}_lost"] > 0 or find_wait(seen, path) > longest
            share = min(max(share + (-step if is_full else step), 0.0), 1.0)
            return share if path == "wifi" else 1 - share

        return choose

    return make


def _proportional() -> Chooser:
    forgotten = 0.98
    rates = {"wifi": 0.0, "lte": 0.0}

    def choose(seen: Mapping[str, float]) -> float:
        for path in rates:
            rates[path] = max(forgotten * rates[path], seen[f"{path}_throughput"])
        return rates["wifi"] / total if (total := sum(rates.values())) else 0.5

    return choose


def _delay_balanced() -> Chooser:
    step = 0.1

    def choose(seen: Mapping[str, float]) -> float:
        more = find_wait(seen, "wifi") < find_wait(seen, "lte") and not seen["wifi_lost"]
        return min(max(seen["share"] + (step if more else -step), 0.0), 1.0)

    return choose


def _maker(make: Callable[[], Chooser]) -> PolicyMaker:
    return PolicyMaker(lambda env, _seed, _options: SplitPolicy(env, make), __name__)


BASELINES = {
    "constant": PolicyMaker(_constant, __name__, ConstantOptions),
    "wifi_first": _maker(_prefer("wifi")),
    "lte_first": _maker(_prefer("lte")),
    "proportional": _maker(_proportional),
    "delay_balanced": _maker(_delay_balanced),
}
"""The policies, by name: one constant share, by default a half; all on one path, and less while the
path is full; in proportion to the largest measured rates; or more on the path with less delay."""
