# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo's AEC interface: agents act in the order in which the simulation asks them."""

from __future__ import annotations

from collections import deque
from typing import Any

from gymnasium.utils import EzPickle
from pettingzoo import AECEnv

from defiance_zoo.bridge.simulation import Round, Rounds, Scenario
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.environments.arguments import Options
from defiance_zoo.environments.pettingzoo_base import PettingZooBase
from defiance_zoo.environments.shared_methods import Snapshot
from defiance_zoo.errors import ResetNeeded


class _Infos(dict[str, dict[str, Any]]):
    """Infos by agent. A look-up returns a copy, so its changes do not reach a later `last()`."""

    def __getitem__(self, agent: str) -> dict[str, Any]:
        return dict(super().__getitem__(agent))


class SimulationAECEnv(  # type: ignore[override] # possible_agents is read-only
    PettingZooBase, AECEnv[str, Any, Any]
):
    """A scenario whose agents are stepped one at a time.

    Observations are values of the agent's space; their arrays are read-only views of the message.
    `rewards[a]` is the sum of rewards of `a` since its last decision; `infos[a]` holds the
    scenario's typed infos and `sim_time_ns`, the simulated time in nanoseconds (int) at which the
    agent asked for a decision or ended.

    An agent that ends keeps its final observation and reward until it is stepped with None.
    `terminations` means that the scenario ended it; `truncations` means the end of simulated time,
    or `max_cycles`.
    """

    _STATE = (
        "agents",
        "agent_selection",
        "rewards",
        "_cumulative_rewards",
        "terminations",
        "truncations",
        "infos",
        "_observations",
        "_np_random",
        "_state_generator",
        "_paid",
        "_queue",
    )

    def __init__(
        self, scenario: Scenario, *, rounds: Rounds = "sequential", **arguments: Any
    ) -> None:
        """Make an environment; the simulation starts with the first `reset()`.

        Args:
            scenario: The scenario to simulate.
            rounds: `sequential` or `simultaneous`; see `Episodes`.
            **arguments: `max_cycles` (truncate an episode when an agent has decided this often),
                `render_mode` and `renderer`, `translate_options` (see `Episodes`),
                `LaunchArguments`, and parameters of the scenario.

        Raises:
            ScenarioNotFound: The program is missing.
            ParameterError: An argument is unknown or not allowed.
        """
        EzPickle.__init__(self, scenario, rounds=rounds, **plain_value(arguments))
        self._open(scenario, rounds, **arguments)
        self._queue: deque[str] = deque()
        self._paid: list[str] = []

    @exclusive
    def reset(self, seed: int | None = None, options: Options | None = None) -> None:
        """Start a new episode and play it to the first decision.

        Args:
            seed: Determines all randomness of the episode and, through ns-3's run number, of later
                episodes without a seed.
            options: Scenario parameters for this episode alone. Other keys are ignored, unless
                they resemble a parameter.

        Raises:
            ParameterError: An option is not allowed.
            SimulationError: The simulation failed.
        """
        self.agents = []
        first = self._episodes.begin(seed, options)
        self.agents = [*self._episodes.live, *(end.agent for end in first.ended)]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = _Infos((agent, {}) for agent in self.agents)
        self._observations, self._np_random, self._paid = {}, None, []
        self._take(first)

    @exclusive
    def step(self, action: Any) -> None:
        """Let `agent_selection` act; with None, remove it if it has ended.

        Raises:
            InvalidAction: The action is not in the agent's space; try another one.
            ValueError: An action was given to an agent that has ended.
            SimulationError: The simulation failed.
        """
        if not self.agents:
            self._episodes.launcher.require_open()
            raise ResetNeeded("no agent is left: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._episodes.launcher.require_open()
            self._remove(agent, action)
            return
        self._episodes.decide(agent, action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._queue.popleft()
        if self._queue:
            self.agent_selection = self._queue[0]
            return
        try:
            self._take(self._episodes.advance())
        except BaseException:
            self.agents = []  # the episode broke off; only reset() continues from here
            raise

    @exclusive
    def restore(self, snapshot: Snapshot) -> None:
        """Return this environment to a snapshot, any number of times.

        The current simulation ends. This also works if the current episode has ended or broken off.

        Raises:
            InvalidSnapshot: The snapshot was released, or belongs to another environment; nothing
                has changed.
            SnapshotLost: Its process has ended.
            SimulationError: The restored simulation failed.
        """
        self._return_to(snapshot)

    def _take(self, received: Round) -> None:
        """Update the environment's state with a round."""
        for agent in received.joined:
            if agent not in self.agents:
                self._add(agent)
        news = received.news
        for each in news:
            if each.observation is not None:
                self._observations[each.agent] = each.observation
            self.rewards[each.agent] = each.reward
            self.infos[each.agent] = {**each.info, "sim_time_ns": received.time_of(each)}
        for end in received.ended:
            self.terminations[end.agent] = end.terminated
            self.truncations[end.agent] = not end.terminated
        self._queue = deque([each.agent for each in news])
        self._paid = list(self._queue)
        for agent in set(self._paid):
            self._cumulative_rewards[agent] += self.rewards[agent]
        if self._queue:
            self.agent_selection = self._queue[0]

    def _clear_rewards(self) -> None:
        """Clear the rewards of the last round; PettingZoo's method visits all agents."""
        for agent in self._paid:
            if agent in self.rewards:
                self.rewards[agent] = 0.0
        self._paid = []

    def _add(self, agent: str) -> None:
        self.agents.append(agent)
        self.rewards[agent] = self._cumulative_rewards[agent] = 0.0
        self.terminations[agent] = self.truncations[agent] = False
        self.infos[agent] = {}

    def _remove(self, agent: str, action: Any) -> None:
        """PettingZoo's dead step: the only action of an agent that has ended is None."""
        if action is not None:
            raise ValueError("when an agent is dead, the only valid action is None")
        self.agents.remove(agent)
        for book in (
            self.rewards,
            self._cumulative_rewards,
            self.terminations,
            self.truncations,
            self.infos,
        ):
            del book[agent]
        self._clear_rewards()
        self._queue.popleft()
        if self._queue:
            self.agent_selection = self._queue[0]
