# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written strategies for both roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from defiance_zoo.bridge.system.spelling import require_choice
from defiance_zoo.environments import PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.jamming.mixtures import equalise
from defiance_zoo.envs.radio import SIGNAL_LEVEL

Draw = np.random.Generator
Situation = tuple[Any, Mapping[str, Any], int]
"""Observation, info and number of the slot."""

Strategy = Callable[[Situation, Draw], int]


def _channels(seen: Situation) -> int:
    return int(seen[1]["channels"])


def uniform(seen: Situation, draw: Draw) -> int:
    """Return any channel."""
    return int(draw.integers(_channels(seen)))


def equalising(seen: Situation, draw: Draw) -> int:
    """Draw a channel from the equilibrium mixture; see `equalise`."""
    played = equalise(seen[1]["goodputs"])
    mixture = played.jammer if seen[1]["role"] == "jammer" else played.transmitter
    return int(draw.choice(len(mixture), p=mixture / mixture.sum()))


def round_robin(seen: Situation, draw: Draw) -> int:
    """Return the next channel."""
    return seen[2] % _channels(seen)


def sensing(seen: Situation, draw: Draw) -> int:
    """Return the transmitter's last channel; as the transmitter, avoid the jammer's."""
    energy = seen[0][: _channels(seen)]
    if energy.max() < SIGNAL_LEVEL:
        return uniform(seen, draw)
    found = int(np.argmax(energy))
    if seen[1]["role"] == "jammer":
        return found
    return (found + 1 + int(draw.integers(len(energy) - 1))) % len(energy)


STRATEGIES: dict[str, Strategy] = {
    "uniform": uniform,
    "equalising": equalising,
    "round_robin": round_robin,
    "sensing": sensing,
}
"""Strategies by name."""


@dataclass(frozen=True)
class JammerOptions:
    """The opponent of a strategy.

    Attributes:
        jammer: Strategy of the jammer; empty: the same as the transmitter's.
    """

    jammer: str = ""

    def __post_init__(self) -> None:
        if self.jammer:
            require_choice("jammer", self.jammer, STRATEGIES)


class RolePolicy:
    """Plays one strategy as transmitter, and another as jammer, which ignores its budget."""

    def __init__(self, transmitter: Strategy, jammer: Strategy, seed: int) -> None:
        self._strategies, self._seed = {"transmitter": transmitter, "jammer": jammer}, seed
        self._episodes = 0
        self.reset()

    def reset(self) -> None:
        self._slots: dict[str, int] = {}
        self._draw = np.random.default_rng([self._seed, self._episodes])
        self._episodes += 1

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> int:
        slot = self._slots.get(agent, 0)
        self._slots[agent] = slot + 1
        return self._strategies[info["role"]]((observation, info, slot), self._draw)


def _maker(strategy: Strategy) -> PolicyMaker:
    def make(_env: SimulationAECEnv, seed: int, options: JammerOptions) -> RolePolicy:
        return RolePolicy(strategy, STRATEGIES.get(options.jammer, strategy), seed)

    return PolicyMaker(make, __name__, JammerOptions)


BASELINES = {name: _maker(strategy) for name, strategy in STRATEGIES.items()}
"""The policies, by name."""
