# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo's parallel interface: every live agent has an entry in each step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gymnasium.utils import EzPickle
from pettingzoo import ParallelEnv

from defiance_zoo.bridge.codec.values import copy_containers
from defiance_zoo.bridge.simulation import AgentEnd, Round, Scenario
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.plain_values import plain_value
from defiance_zoo.environments.arguments import Options
from defiance_zoo.environments.pettingzoo_base import PettingZooBase
from defiance_zoo.environments.shared_methods import Snapshot
from defiance_zoo.errors import InvalidAction, ResetNeeded

Observations = dict[str, Any]
Infos = dict[str, dict[str, Any]]


class SimulationParallelEnv(  # type: ignore[override] # possible_agents is read-only
    PettingZooBase, ParallelEnv[str, Any, Any]
):
    """A scenario whose agents are stepped together, one step for each round of decisions.

    A round holds the agents that decide at one instant of simulated time. The other agents repeat
    their last observation (before the first one: zeros, or close to zeros), get reward 0 and
    `infos[a]["deciding"] = False`, and their action is ignored. Arrays are read-only views of the
    message. `infos[a]["sim_time_ns"]` is the simulated time in nanoseconds (int).
    """

    _STATE = ("agents", "_observations", "_ended_at_reset", "_np_random", "_state_generator")

    def __init__(self, scenario: Scenario, **arguments: Any) -> None:
        """Make an environment; the simulation starts with the first `reset()`.

        Args:
            scenario: The scenario to simulate.
            **arguments: `max_cycles` (truncate an episode when an agent has decided this often),
                `render_mode` and `renderer`, `translate_options` (see `Episodes`),
                `LaunchArguments`, and parameters of the scenario.

        Raises:
            ScenarioNotFound: The program is missing.
            ParameterError: An argument is unknown or not allowed.
        """
        EzPickle.__init__(self, scenario, **plain_value(arguments))
        self._open(scenario, "simultaneous", **arguments)
        self._ended_at_reset: tuple[AgentEnd, ...] = ()

    @exclusive
    def reset(
        self, seed: int | None = None, options: Options | None = None
    ) -> tuple[Observations, Infos]:
        """Start a new episode and play it to the first round of decisions.

        Args:
            seed: Determines all randomness of the episode and, through ns-3's run number, of later
                episodes without a seed.
            options: Scenario parameters for this episode alone. Other keys are ignored, unless
                they resemble a parameter.

        Returns:
            Observations and infos by agent.

        Raises:
            ParameterError: An option is not allowed.
            SimulationError: The simulation failed.
        """
        self.agents = []
        received = self._episodes.begin(seed, options)
        self.agents = [*self._episodes.live, *(end.agent for end in received.ended)]
        # An agent that ended before any decision ends in the first step.
        self._ended_at_reset = received.ended
        self._observations, self._np_random = {}, None
        return self._views(received)

    @exclusive
    def step(
        self, actions: dict[str, Any]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Let the agents of the current round act, and play to the next round.

        Args:
            actions: Actions of the agents that decide; actions of other agents are ignored.

        Returns:
            Observations, rewards, terminations, truncations and infos by agent, for all agents that
            were alive before or have joined since. Agents that ended leave `agents`; after the last
            one, a step without actions returns empty dicts, as PettingZoo's wrappers expect.

        Raises:
            InvalidAction: The action of a deciding agent is missing or not in its space; the step
                can be retried.
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed.
        """
        if not self.agents:
            self._episodes.launcher.require_open()
            if actions or self._episodes.round is None or not self._episodes.round.over:
                raise ResetNeeded("no agent is left: call reset() first")
            return {}, {}, {}, {}, {}
        received = self._advance(actions)
        self.agents = [*self.agents, *received.joined]
        observations, infos = self._views(received)
        rewards = dict.fromkeys(self.agents, 0.0)
        terminations = dict.fromkeys(self.agents, False)
        truncations = dict.fromkeys(self.agents, False)
        for step in received.steps:
            rewards[step.agent] = step.reward
        ended, self._ended_at_reset = (*self._ended_at_reset, *received.ended), ()
        for end in ended:
            rewards[end.agent] = end.reward
            terminations[end.agent] = end.terminated
            truncations[end.agent] = not end.terminated
            self.agents.remove(end.agent)
        return observations, rewards, terminations, truncations, infos

    @exclusive
    def restore(self, snapshot: Snapshot) -> tuple[Observations, Infos]:
        """Return this environment to a snapshot, any number of times.

        The current simulation ends. This also works if the current episode has ended or broken off.

        Returns:
            Observations and infos by agent, as from `reset()`.

        Raises:
            InvalidSnapshot: The snapshot was released, or belongs to another environment; nothing
                has changed.
            SnapshotLost: Its process has ended.
            SimulationError: The restored simulation failed.
        """
        self._return_to(snapshot)
        received = self._episodes.round
        assert received is not None  # the snapshot's round
        return self._views(received)

    def _advance(self, actions: dict[str, Any]) -> Round:
        current = self._episodes.round
        assert current is not None  # there are agents, so there was a round
        if current.over:
            self._episodes.launcher.require_open()
            return Round(current.time_ns, (), (), (), over=True)
        if not isinstance(actions, Mapping):
            raise InvalidAction(f"{actions!r} is not a dict of the agents' actions")
        for group in current.groups:
            for agent in group.names:
                if agent in actions:
                    self._episodes.decide(agent, actions[agent])
        try:
            return self._episodes.advance()
        except InvalidAction:
            raise
        except BaseException:
            self.agents = []  # the episode broke off; only reset() continues from here
            raise

    def _views(self, received: Round) -> tuple[Observations, Infos]:
        """Return the last observation of each agent, and the infos of a round."""
        known, news = self._observations, Infos()
        for end in received.ended:
            if end.observation is not None:
                known[end.agent] = end.observation
            news[end.agent] = {**end.info, "deciding": False, "sim_time_ns": end.time_ns}
        now = received.time_ns
        for step in received.steps:
            known[step.agent] = step.observation
            news[step.agent] = {**step.info, "deciding": True, "sim_time_ns": now}
        observations, infos = Observations(), Infos()
        for agent in self.agents:
            if agent not in known:
                known[agent] = self._episodes.placeholder(agent)
            observations[agent] = copy_containers(known[agent])
            infos[agent] = news.get(agent) or {"deciding": False, "sim_time_ns": now}
        return observations, infos
