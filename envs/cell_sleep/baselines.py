# SPDX-License-Identifier: GPL-2.0-only
"""Hand-written policies for comparison.

Each policy decides for all cells from infos; an agent of one cell takes its cell's part.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from defiance_zoo.bridge.codec.spaces import element_names
from defiance_zoo.environments import (
    BoundedOptions,
    NoOptions,
    Policy,
    PolicyMaker,
    SimulationAECEnv,
    bounded,
)
from defiance_zoo.envs.cell_sleep import day
from defiance_zoo.errors import ParameterError

Setting = tuple[bool, ...]
"""Whether each cell is to be awake."""
Info = Mapping[str, Any]


class SettingPolicy:
    """A policy with a function that chooses a setting at each decision."""

    def __init__(self, make: Callable[[], Callable[[str, Info], Setting]]) -> None:
        """Take a maker, called in each episode, of a function of an agent's name and info."""
        self._make = make
        self.reset()

    def reset(self) -> None:
        self._choose = self._make()
        self._time = -1
        self._setting: Setting = ()

    def act(self, agent: str, observation: Any, info: Info) -> Any:
        """See `Policy`. Agents that decide at the same time take parts of one setting."""
        if info["sim_time_ns"] != self._time:
            self._time, self._setting = info["sim_time_ns"], self._choose(agent, info)
        return read_action(self._setting, info)


class EfficiencyPolicy(Policy):
    """Keeps only the cell awake that all users together receive best.

    It decides from observations, which need `observation="signals"` or `"traffic"`.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, _options: NoOptions) -> None:
        names = element_names(env.observation_space(env.possible_agents[0]))
        self._leads = [place for place, name in enumerate(names) if name.startswith("lead")]
        if not self._leads:
            raise ParameterError("most_efficient needs observation='signals' or 'traffic'")

    def act(self, agent: str, observation: Any, info: Info) -> Any:
        """See `Policy`; separate agents of equally good cells are all awake."""
        leads = np.asarray(observation)[self._leads]
        if "cell" in info:
            return int(leads[0] >= 0)
        return (np.arange(len(leads)) == leads.argmax()).astype(np.int64)


@dataclass(frozen=True)
class PlanOptions(BoundedOptions):
    """The network's modulation, and consumption as a share of a cell's that always sends.

    Attributes:
        gap: Signal that modulation and coding need more than by Shannon's formula, as a ratio.
        idle: An awake cell that sends nothing.
        asleep: A sleeping cell.
    """

    gap: float = bounded(3.0, 1, 100)
    idle: float = bounded(0.58, 0, 1)
    asleep: float = bounded(0.33, 0, 1)


class PlanPolicy(Policy):
    """Chooses the setting with the greatest predicted reward, if traffic stays as it is.

    It predicts interference from what users received without it, and loads from their traffic.
    It decides from observations of all cells, which need `observation="traffic"`.
    """

    def __init__(self, env: SimulationAECEnv, _seed: int, options: PlanOptions) -> None:
        names = element_names(env.observation_space(env.possible_agents[0]))
        if "demand_1" not in names:
            raise ParameterError(
                "plan needs observation='traffic', placement='central' and at least two cells"
            )
        self._size = names.index("awake_1")
        self._users = sum(name.startswith("user_traffic") for name in names[: self._size])
        self._options = options

    def act(self, agent: str, observation: Any, info: Info) -> Any:
        """See `Policy`."""
        settings = list_settings(len(observation) // self._size)
        return np.array(max(settings, key=self.predict(observation)), np.int64)

    def predict(self, observation: Any) -> Callable[[Setting], float]:
        """Return a function of the reward of an interval with a setting."""
        state = np.asarray(observation, np.float64).reshape(-1, self._size)
        energy_price, unserved_price, demand = state[0, -3:]
        traffic = state[0, -3 - self._users : -3]
        snrs = 10 ** state[:, -3 - 2 * self._users : -3 - self._users]
        prices = day.Prices(unserved_price, energy_price)

        def predict(setting: Setting) -> float:
            signals = np.where(np.array(setting)[:, None], snrs, 0.0)
            best = signals.max(axis=0)
            sinrs = best / (1 + signals.sum(axis=0) - best)
            efficiencies = day.find_efficiency(sinrs, self._options.gap)
            needs = demand * traffic / np.maximum(efficiencies, 1e-3)
            serving = signals.argmax(axis=0)
            shares = np.zeros_like(needs)
            for cell in range(len(setting)):
                shares[serving == cell] = share_fairly(needs[serving == cell])
            loads = np.bincount(serving, shares, minlength=len(setting))
            served = float((traffic * shares / np.maximum(needs, 1e-9)).mean())
            awake = self._options.idle + (1 - self._options.idle) * loads
            energy = float(np.where(setting, awake, self._options.asleep).mean())
            return prices.reward(served, float(traffic.mean()), energy)

        return predict


def share_fairly(needs: Any) -> Any:
    """Return each user's share of a cell's time for its need of it, by max-min fairness."""
    shares, left = np.zeros_like(needs), 1.0
    for served, user in enumerate(np.argsort(needs)):
        shares[user] = min(needs[user], left / (len(needs) - served))
        left -= shares[user]
    return shares


def read_action(setting: Setting, info: Info) -> Any:
    """Return an agent's part of a setting, for its cell or all cells, shape (cells,), int64."""
    return int(setting[info["cell"]]) if "cell" in info else np.array(setting, np.int64)


def list_settings(cells: int) -> list[Setting]:
    """Return the settings in which a cell is awake, as numbers whose bit i is cell i."""
    return [tuple(bool(bits >> cell & 1) for cell in range(cells)) for bits in range(1, 1 << cells)]


@dataclass(frozen=True)
class ConstantOptions:
    """The cells that are awake.

    Attributes:
        awake: A number whose bit i says whether cell i is awake; -1: all cells.
    """

    awake: int = -1

    def __post_init__(self) -> None:
        if type(self.awake) is not int or self.awake == 0 or self.awake < -1:
            raise ParameterError(f"awake={self.awake!r} must be -1 or a positive whole number")


@dataclass(frozen=True)
class HysteresisOptions(BoundedOptions):
    """Thresholds at which cells sleep and wake.

    Attributes:
        low: Mean load of serving cells below which the least busy cell sleeps.
        high: Mean load above which a cell wakes.
        hold: Decisions between two changes, in which loads settle.
    """

    low: float = bounded(0.35, 0, 1)
    high: float = bounded(0.75, 0, 1)
    hold: int = bounded(5, 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.low < self.high:
            raise ParameterError(f"low={self.low!r} and high={self.high!r} must be in this order")


@dataclass(frozen=True)
class GreedyOptions(BoundedOptions):
    """The number of awake cells, by their load.

    Attributes:
        load: Maximum mean load, from 0.05 to 1.
    """

    load: float = bounded(0.6, 0.05, 1)


def _constant(_env: SimulationAECEnv, _seed: int, options: ConstantOptions) -> SettingPolicy:
    def choose(_agent: str, info: Info) -> Setting:
        return tuple(bool(options.awake >> cell & 1) for cell in range(len(info["awake"])))

    return SettingPolicy(lambda: choose)


def _hysteresis(_env: SimulationAECEnv, _seed: int, options: HysteresisOptions) -> SettingPolicy:
    def make() -> Callable[[str, Info], Setting]:
        since = 0

        def choose(_agent: str, info: Info) -> Setting:
            nonlocal since
            since += 1
            awake, loads = [bool(each) for each in info["awake"]], info["loads"]
            there = [cell for cell, each in enumerate(awake) if each]
            load = sum(loads[cell] for cell in there) / len(there)
            asleep = [cell for cell, each in enumerate(awake) if not each]
            if since >= options.hold and load < options.low and len(there) > 1:
                awake[min(there, key=lambda cell: loads[cell])] = False
                since = 0
            elif since >= options.hold and load > options.high and asleep:
                awake[min(asleep, key=lambda cell: -count_near(info)[cell])] = True
                since = 0
            return tuple(awake)

        return choose

    return SettingPolicy(make)


def _greedy(_env: SimulationAECEnv, _seed: int, options: GreedyOptions) -> SettingPolicy:
    def choose(_agent: str, info: Info) -> Setting:
        count = len(info["awake"])
        wanted = min(max(math.ceil(sum(info["loads"]) / options.load), 1), count)
        near = count_near(info)
        chosen = sorted(range(count), key=lambda cell: (-near[cell], cell))[:wanted]
        return tuple(cell in chosen for cell in range(count))

    return SettingPolicy(lambda: choose)


def count_near(info: Info) -> list[int]:
    """Return the number of nearest users of each cell."""
    cells, users = (np.reshape(info[key], (-1, 2)) for key in ("cells", "users"))
    nearest = np.linalg.norm(users[:, None] - cells, axis=2).argmin(axis=1)
    return [int(each) for each in np.bincount(nearest, minlength=len(cells))]


@dataclass(frozen=True)
class SearchOptions(BoundedOptions):
    """Settings to try.

    Attributes:
        cells: Number of awake cells; 0: any.
    """

    cells: int = bounded(0, 0, 12)


def _best_constant(env: SimulationAECEnv, _seed: int, options: SearchOptions) -> SettingPolicy:
    def make() -> Callable[[str, Info], Setting]:
        found: list[Setting] = []

        def choose(_agent: str, info: Info) -> Setting:
            if not found:
                count = len(info["awake"])
                if options.cells > count:
                    raise ParameterError(f"cells={options.cells}: there are only {count} cells")
                settings = [
                    each for each in list_settings(count) if options.cells in (0, sum(each))
                ]
                found.append(max(settings, key=lambda setting: try_setting(env, setting)))
            return found[0]

        return choose

    return SettingPolicy(make)


def try_setting(env: SimulationAECEnv, setting: Setting) -> float:
    """Return the return of all agents in a copy with a constant setting until the end."""
    earned = 0.0
    with contextlib.closing(env.branch(record=False)) as trial:
        _, _, _, _, info = trial.last()
        trial.step(read_action(setting, info))
        while trial.agents:
            _, reward, terminated, truncated, info = trial.last()
            earned += float(reward)
            trial.step(None if terminated or truncated else read_action(setting, info))
    return earned


BASELINES = {
    "constant": PolicyMaker(_constant, __name__, ConstantOptions),
    "hysteresis": PolicyMaker(_hysteresis, __name__, HysteresisOptions),
    "greedy": PolicyMaker(_greedy, __name__, GreedyOptions),
    "most_efficient": PolicyMaker(EfficiencyPolicy, __name__),
    "plan": PolicyMaker(PlanPolicy, __name__, PlanOptions),
    "best_constant": PolicyMaker(
        _best_constant, __name__, SearchOptions, costly=True, kind="reference"
    ),
}
"""The policies, by name: a constant setting, by default with all cells awake. Thresholds with
hysteresis. As many cells as the load needs, starting with the cells near most users. The cell alone
that all users receive best. The setting with the greatest predicted reward. The best constant
setting, found in copies of the simulation."""
