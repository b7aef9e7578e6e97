# SPDX-License-Identifier: GPL-2.0-only
"""Plants that break the rules of Gymnasium or PettingZoo, or use their arrays again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium
import gymnasium.wrappers
import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, MultiDiscrete, Sequence, Text, Tuple
from networked_plants import Team

STEPS = 6


class Plain(gymnasium.Env[Any, Any]):
    """Observes the number of its step."""

    observation_space: Any = Box(-100, 100, (2,), np.float32)
    action_space: Any = Box(-1, 1, (2,), np.float32)

    def reset(self, **arguments: Any) -> Any:
        super().reset(**arguments)
        self.count = 0
        return self.observe(), {}

    def observe(self) -> Any:
        return np.full(2, self.count, np.float32)

    def step(self, action: Any) -> Any:
        self.count += 1
        return self.observe(), 1.0, self.count >= STEPS, False, {}


class Reusing(Plain):
    """Observes in one array."""

    def __init__(self) -> None:
        self._seen = np.zeros(2, np.float32)

    def observe(self) -> Any:
        self._seen[:] = self.count
        return self._seen


class Changing(Plain):
    """Observes its action, and then changes it."""

    def step(self, action: Any) -> Any:
        _, *others = super().step(action)
        seen = action.copy()
        action[:] = 77
        return (seen, *others)


class Adding(Plain):
    """Observes how many numbers two lists have, to which it adds one in each reset."""

    def __init__(self, given: Any) -> None:
        self._given = given

    def reset(self, *, seed: Any = None, options: Any = None) -> Any:
        self._options = options["given"]
        for each in (self._given, self._options):
            each[0].append(1)
        return super().reset(seed=seed)

    def observe(self) -> Any:
        return np.array([len(each[0]) for each in (self._given, self._options)], np.float32)


class FourValues(Plain):
    """Steps as before Gymnasium 0.26."""

    def step(self, action: Any) -> Any:
        observation, reward, over, *_ = super().step(action)
        return observation, reward, over, {"lives": 3}


class OneValue(Plain):
    """Resets as before Gymnasium 0.26."""

    def reset(self, **arguments: Any) -> Any:
        return super().reset(**arguments)[0]


class Mute(Plain):
    """Has no infos."""

    def reset(self, **arguments: Any) -> Any:
        return super().reset(**arguments)[0], None


class Blind(Plain):
    """Does not observe after its second step."""

    def observe(self) -> Any:
        return super().observe() if self.count < 2 else None


class Closing(Plain):
    """Writes its seed and the number of its step to a file when it is closed."""

    count = 0

    def __init__(self, file: str) -> None:
        self._file = Path(file)

    def close(self) -> None:
        with self._file.open("a") as file:
            file.write(f"{self.np_random_seed} {self.count}\n")


class Sampling(Plain):
    """Observes random elements of a space."""

    spaces: Mapping[str, Any] = {
        "nothing": Box(0, 1, (0,)),
        "number": Box(0, 1, ()),
        "pair": Tuple((Discrete(2), Discrete(3))),
        "picture": Box(0, 255, (38, 36, 3), np.uint8),
        "pictures": Dict({"left": Box(0, 255, (36, 36, 3), np.uint8), "speed": Box(0, 9, (1,))}),
        "shifted": Discrete(3, start=5),
        "small picture": Box(0, 255, (8, 8, 3), np.uint8),
        "table": MultiDiscrete([[2, 3], [4, 5]]),
        "text": Text(5),
    }

    def __init__(self, space: str) -> None:
        self.observation_space = self.spaces[space]
        self.action_space = Discrete(3)

    def observe(self) -> Any:
        return self.observation_space.sample()


def make_counted() -> Any:
    return gymnasium.wrappers.RecordEpisodeStatistics(Plain())


class NewSpaces(Plain):
    """Chooses its spaces when it begins."""

    def reset(self, **arguments: Any) -> Any:
        self.action_space = Discrete(2)
        return super().reset(**arguments)


class Wide(Plain):
    """Observes numbers that its space of bytes lacks."""

    observation_space = Box(0, 255, (2,), np.uint8)

    def observe(self) -> Any:
        return np.array([300.7, 1.5])


class ManyActions(Plain):
    action_space = Box(-1, 1, (40_000,), np.float32)


class Telling(Plain):
    """Observes a text."""

    observation_space = Text(5)

    def observe(self) -> str:
        return "abc"


class Steering(Plain):
    """Observes its actions, whose numbers do not begin at zero."""

    action_space = Dict(
        wheel=Discrete(3, start=-1),
        gears=MultiDiscrete([3, 2, 2], start=[-1, 1, -5]),
    )
    observation_space = action_space

    def step(self, action: Any) -> Any:
        _, *others = super().step(action)
        return (action, *others)

    def observe(self) -> Any:
        return {"wheel": 1, "gears": np.array([1, 2, -4])}


class Numbered(Plain):
    observation_space = Dict({1: Discrete(2), 2: Discrete(2)})


class Sequences(Plain):
    observation_space = Sequence(Discrete(3))


class Joining(Team):
    """A team that a member joins later."""

    def reset(self, **arguments: Any) -> Any:
        seen, infos = super().reset(**arguments)
        self.agents.remove("member_2")
        return seen, infos

    def step(self, actions: Any) -> Any:
        found = super().step(actions)
        if self._count == 2:
            self.agents.append("member_2")
        return found


class Forgetting(Team):
    """A team whose first member is not observed."""

    def step(self, actions: Any) -> Any:
        seen, *others = super().step(actions)
        return ({name: seen[name] for name in seen if name != self.agents[0]}, *others)


class Leaving(Team):
    """A team whose members leave without an end."""

    def step(self, actions: Any) -> Any:
        seen, rewards, *_ = super().step(actions)
        live = dict.fromkeys(actions, False)
        self.agents = [
            name for name in actions if self._count < 2 + self.possible_agents.index(name)
        ]
        return seen, rewards, live, live, {name: {} for name in actions}


class Nobody(Team):
    def __init__(self) -> None:
        super().__init__(0)


ONLY = Plain()


def find_only() -> Plain:
    """Return the same plant in each call."""
    return ONLY


def make_vector() -> Any:
    return gymnasium.make_vec("CartPole-v1", 1)


def make_with(size: int) -> Plain:
    return Plain()
