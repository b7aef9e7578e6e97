# SPDX-License-Identifier: GPL-2.0-only
"""Matrix games without a network, for tests of players: `matrix_games:NAME`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec, register
from defiance_zoo.errors import NotCounted, ParameterError

BIASED = [[0, -1, 2], [1, 0, -3], [-2, 3, 0]]
"""Rock, paper, scissors, whose equilibrium is (1/2, 1/3, 1/6)."""

AGENTS = ["agent_0", "agent_1"]


class MatrixEnv(AECEnv[str, Any, Any]):
    """A game in which two agents choose a row and a column at once, in each of some rounds.

    Observations do not depend on the other agent; they are 1.
    """

    metadata = {"name": "matrix_v0", "render_modes": []}  # noqa: RUF012

    def __init__(self, rows: Any, columns: Any, rounds: int) -> None:
        super().__init__()
        self._payoffs = np.asarray(rows, float), np.asarray(columns, float)
        self._rounds = rounds
        self.possible_agents = list(AGENTS)
        self.agents = []
        counts = dict(zip(AGENTS, self._payoffs[0].shape, strict=True))
        self._actions = {agent: spaces.Discrete(count) for agent, count in counts.items()}
        self._seen = spaces.Box(0, 1, (1,), np.float32)

    def observation_space(self, agent: str) -> Any:
        return self._seen

    def action_space(self, agent: str) -> Any:
        return self._actions[agent]

    def observe(self, agent: str) -> Any:
        return np.ones(1, np.float32)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {"sim_time_ns": 0} for agent in AGENTS}
        self._round, self._chosen = 0, []
        self.agent_selection = AGENTS[0]

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert self._actions[agent].contains(action), action
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._chosen.append(int(action))
        if len(self._chosen) < 2:
            self.agent_selection = AGENTS[1]
            return
        for each, payoffs in zip(AGENTS, self._payoffs, strict=True):
            self.rewards[each] = float(payoffs[tuple(self._chosen)])
        self._round, self._chosen = self._round + 1, []
        self.infos = {each: {"sim_time_ns": self._round} for each in AGENTS}
        self.terminations = dict.fromkeys(AGENTS, self._round == self._rounds)
        self.agent_selection = AGENTS[0]
        self._accumulate_rewards()

    def communication_report(self) -> Any:
        raise NotCounted("there is no network")

    def close(self) -> None:
        self.agents = []


class NoScenario(Scenario):
    """A scenario that accepts the arguments of matrix games."""

    def check(self, parameters: Mapping[str, Any]) -> None:
        for name, value in parameters.items():
            if name != "rounds" or not isinstance(value, int) or value < 1:
                raise ParameterError(f"{name}={value!r} is not rounds=1 or more")


@dataclass(frozen=True)
class MatrixSpec(EnvironmentSpec):
    """The specification of a matrix game."""

    rows: Any = field(default=None)
    columns: Any = None

    def raw_env(self, *, rounds: int = 10, link: str = "local", **others: Any) -> Any:
        self.scenario.check({"rounds": rounds, **others})
        rows = np.asarray(self.rows)
        return MatrixEnv(rows, -rows if self.columns is None else self.columns, rounds)


def add(name: str, rows: Any, columns: Any = None) -> None:
    """Register a game."""
    scenario = NoScenario(name, sys.executable, describes_itself=False)  # is never started
    register(name, MatrixSpec(name, scenario, rows=rows, columns=columns))


add("biased_rps_v0", BIASED)
add("rps_v0", [[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
add("pennies_v0", [[2, -1], [-1, 1]])
add("dilemma_v0", [[3, 0], [5, 1]], [[3, 5], [0, 1]])
