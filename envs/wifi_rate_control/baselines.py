# SPDX-License-Identifier: GPL-2.0-only
"""Policies for comparison that do not learn beyond an episode.

ns-3's algorithms decide without Python, for any policy: `algorithm="ideal"`, `"minstrel_ht"`,
`"thompson_sampling"` and `"constant"`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from defiance_zoo.environments import (
    BoundedOptions,
    NoOptions,
    Policy,
    PolicyMaker,
    SimulationAECEnv,
    bounded,
)
from defiance_zoo.envs.wifi_rate_control.random_streams import GammaVariable, RngStream
from defiance_zoo.envs.wifi_rate_control.station_state import (
    Counts,
    StationState,
    act,
    count_rates,
    read_stations,
)
from defiance_zoo.envs.wifi_rate_control.thompson import (
    ThompsonSampling,
    beta_of_ns3,
    beta_of_numpy,
)
from defiance_zoo.errors import ParameterError

Index = Callable[["Arms"], Counts]
"""Returns the index of each arm, in the order of rates; the arm with the largest is played."""


@dataclass
class Arms:
    """The rates of a station as the arms of a bandit.

    Attributes:
        data_rates: Data rates in units of the largest, shape (R,).
        successes: Acknowledged frames, shape (R,), with smaller weights for older ones.
        failures: Unacknowledged frames, in the same form.
    """

    data_rates: Counts
    successes: Counts
    failures: Counts

    @property
    def plays(self) -> Counts:
        """Number of frames of each arm."""
        return self.successes + self.failures

    def update(self, seen: StationState, fading: float) -> None:
        """Add a state, with smaller weights for earlier ones."""
        if seen.smoothed:
            self.successes, self.failures = seen.successes, seen.failures
        else:
            self.successes = fading * self.successes + seen.successes
            self.failures = fading * self.failures + seen.failures


class BanditPolicy:
    """Plays a bandit for each station, from observations and time."""

    def __init__(self, env: SimulationAECEnv, index: Index, memory: float) -> None:
        """Take the index of an arm, and the time constant of its counts in s."""
        self._env, self._index, self._memory = env, index, memory
        self.reset()

    def reset(self) -> None:
        self._arms: dict[str, list[Arms]] = {}
        self._last_report: dict[str, float] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the rate with the largest index for each station; see `Policy`."""
        space = self._env.action_space(agent)
        counts = count_rates(space)
        if agent not in self._arms:
            worth = np.asarray(info["data_rates"], np.float64)
            worth = worth / worth.max()
            self._arms[agent] = [Arms(worth, np.zeros(n), np.zeros(n)) for n in counts]
        now = float(info["sim_time_ns"])
        fading = math.exp(-(now - self._last_report.get(agent, now)) / 1e9 / self._memory)
        self._last_report[agent] = now
        observed = self._env.observation_space(agent)
        assert isinstance(observed, spaces.Box)
        chosen = []
        for arms, seen in zip(
            self._arms[agent], read_stations(observation, observed, counts), strict=True
        ):
            arms.update(seen, fading)
            chosen.append(int(np.argmax(self._index(arms))))
        return act(space, chosen)


@dataclass(frozen=True)
class ThompsonOptions(BoundedOptions):
    """The rate of forgetting.

    Attributes:
        decay: Rate of decay of counts, in 1/s, from 0 to 1000.
    """

    decay: float = bounded(1.0, 0, 1000, "per second")


class ThompsonPolicy:
    """Plays ns-3's Thompson sampling.

    If infos have each report and the random stream of ns-3's algorithm (`details=True`, an agent
    for each station), its rates equal ns-3's. Otherwise it uses observations and its own draws.
    """

    def __init__(self, env: SimulationAECEnv, seed: int, options: ThompsonOptions) -> None:
        self._env, self._decay = env, options.decay
        self._random = np.random.default_rng(seed)
        self.reset()

    def reset(self) -> None:
        self._rules: dict[str, list[ThompsonSampling]] = {}

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the last drawn rates; see `Policy`."""
        space = self._env.action_space(agent)
        counts = count_rates(space)
        if agent not in self._rules:
            self._rules[agent] = [self._make(info) for _ in counts]
        rules = self._rules[agent]
        if "reports" in info:
            for time_ns, rate, successes, failures in np.reshape(info["reports"], (-1, 4)):
                rules[0].report(time_ns, int(rate), successes, failures)
        else:
            self._update(agent, observation, info, counts)
        return act(space, [rule.rate for rule in rules])

    def _make(self, info: Mapping[str, Any]) -> ThompsonSampling:
        draw = beta_of_numpy(self._random)
        if "stream" in info:
            stream = RngStream(int(info["seed"]), int(info["stream"]), int(info["run"]))
            draw = beta_of_ns3(GammaVariable(stream))
        return ThompsonSampling([float(each) for each in info["data_rates"]], draw, self._decay)

    def _update(
        self, agent: str, observation: Any, info: Mapping[str, Any], counts: list[int]
    ) -> None:
        observed = self._env.observation_space(agent)
        assert isinstance(observed, spaces.Box)
        for rule, seen in zip(
            self._rules[agent], read_stations(observation, observed, counts), strict=True
        ):
            if seen.smoothed:
                rule.know(seen.successes.tolist(), seen.failures.tolist())
                continue
            for rate in np.flatnonzero(seen.successes + seen.failures):
                rule.report(
                    float(info["sim_time_ns"]),
                    int(rate),
                    float(seen.successes[rate]),
                    float(seen.failures[rate]),
                )


class IdealPolicy(Policy):
    """Repeats the choices of ns-3's `IdealWifiManager` in infos."""

    def __init__(self, env: SimulationAECEnv, _seed: int, _options: NoOptions) -> None:
        self._env = env

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the choice for each station; see `Policy`.

        Raises:
            ParameterError: Infos do not contain the choice.
        """
        if "ideal" not in info:
            raise ParameterError(
                "infos do not contain Ideal's choice: details is False, or an algorithm of ns-3 "
                "decides"
            )
        return act(self._env.action_space(agent), [int(each) for each in np.ravel(info["ideal"])])


@dataclass(frozen=True)
class ConstantOptions(BoundedOptions):
    """The rate of the policy.

    Attributes:
        rate: Number in the table, limited to the last rate.
    """

    rate: int = bounded(4, 0)


class ConstantPolicy(Policy):
    """Chooses a constant rate."""

    def __init__(self, env: SimulationAECEnv, _seed: int, options: ConstantOptions) -> None:
        self._env, self._rate = env, options.rate

    def act(self, agent: str, observation: Any, info: Mapping[str, Any]) -> Any:
        """Return the rate for each station; see `Policy`."""
        space = self._env.action_space(agent)
        return act(space, [min(self._rate, count - 1) for count in count_rates(space)])


@dataclass(frozen=True)
class GreedyOptions(BoundedOptions):
    """The rates of exploration and of forgetting.

    Attributes:
        epsilon: Share of random decisions, from 0 to 1.
        memory: Time constant of the weight of frames, in s.
    """

    epsilon: float = bounded(0.05, 0, 1)
    memory: float = bounded(1.0, 1e-9, unit="s")


@dataclass(frozen=True)
class UcbOptions(BoundedOptions):
    """The weight of exploration, and the rate of forgetting.

    Attributes:
        exploration: Factor of the width of confidence bounds, at least 0.
        memory: Time constant of the weight of frames, in s.
    """

    exploration: float = bounded(0.5, 0)
    memory: float = bounded(1.0, 1e-9, unit="s")


def _epsilon_greedy(env: SimulationAECEnv, seed: int, options: GreedyOptions) -> BanditPolicy:
    random = np.random.default_rng(seed)

    def index(arms: Arms) -> Counts:
        if random.random() < options.epsilon:
            return random.random(len(arms.data_rates))
        # An unplayed arm has its value without failures, so that it is tried.
        return arms.data_rates * (arms.successes + 1) / (arms.plays + 1)

    return BanditPolicy(env, index, options.memory)


def _ucb(env: SimulationAECEnv, _seed: int, options: UcbOptions) -> BanditPolicy:
    def index(arms: Arms) -> Counts:
        # UCB1 (Auer, Cesa-Bianchi and Fischer, 2002) with decaying counts (Garivier and Moulines,
        # 2011); no success probability is more than 1.
        plays = np.maximum(arms.plays, 1e-3)
        width = options.exploration * np.sqrt(np.log(1 + plays.sum()) / plays)
        bounds: Counts = np.minimum(arms.successes / plays + width, 1)
        return arms.data_rates * bounds

    return BanditPolicy(env, index, options.memory)


BASELINES = {
    "constant": PolicyMaker(ConstantPolicy, __name__, ConstantOptions),
    "ideal": PolicyMaker(IdealPolicy, __name__, kind="reference"),
    "thompson_sampling": PolicyMaker(ThompsonPolicy, __name__, ThompsonOptions),
    "epsilon_greedy": PolicyMaker(_epsilon_greedy, __name__, GreedyOptions),
    "ucb": PolicyMaker(_ucb, __name__, UcbOptions),
}
"""The policies, by name."""
