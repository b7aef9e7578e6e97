# SPDX-License-Identifier: GPL-2.0-only
"""Gymnasium's vector interface, and simulations of many agents each with a row for each agent."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from defiance_zoo.bridge.simulation import Agent
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.plain_values import whole_number
from defiance_zoo.environments.shared_methods import join_batch, joint_space
from defiance_zoo.environments.vector.batches import AgentRows
from defiance_zoo.environments.vector.forms import MultiAgentForm, SingleAgentForm
from defiance_zoo.environments.vector.interface import VectorInterface, closed_on_failure
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.errors import NotHomogeneous, NotSingleAgent, ParameterError


class SimulationVectorEnv(VectorInterface, VectorEnv[Any, Any, Any]):
    """Simulations of one agent each, side by side, in one Python process.

    `step()` steps them all. `send()` and `recv()` step simulations as soon as they are ready,
    without waiting for the slowest. Do not mix `step()` with `send()` and `recv()` within an
    episode.

    Observations are written into one batch, in Gymnasium's batched form; `infos["sim_time_ns"]` is
    the simulated time of each simulation in nanoseconds, int64 of shape (num_envs,).

    Attributes:
        num_envs: Number of simulations.
        single_observation_space: Observation space of one simulation.
        single_action_space: Action space of one simulation.
        observation_space: Batched space of all simulations.
        action_space: Batched space of all simulations.
    """

    def __init__(self, pool: SimulationPool, **options: Any) -> None:
        """Take over simulations; a short-lived one reports the spaces.

        Args:
            pool: The simulations.
            **options: See `VectorOptions`.

        Raises:
            NotSingleAgent: The scenario, with these parameters, does not have exactly one agent.
            ParameterError: An argument is not allowed.
        """
        self._note(pool, options)
        with closed_on_failure(pool):
            self._open(_only(pool.episodes[0].agents))

    def _open(self, agent: Agent) -> None:
        count = self.num_envs
        self.single_observation_space = agent.observation_space
        self.single_action_space = agent.action_space
        self.observation_space = batch_space(agent.observation_space, count)
        self.action_space = batch_space(agent.action_space, count)
        rows = AgentRows(agent, [agent.name], count, 1, single=True)
        self._start_engine(SingleAgentForm(rows, agent))

    @property
    def agent(self) -> str:
        """Name of the agent."""
        return self._engine.form.rows.names[0]

    def close_extras(self, **kwargs: Any) -> None:
        """End all simulations and release everything."""
        if hasattr(self, "_pool"):  # Gymnasium also closes environments whose construction failed
            self._close_pool()

    @exclusive
    def _close_pool(self) -> None:
        self._pool.close()


def _only(agents: dict[str, Agent]) -> Agent:
    if len(agents) != 1:
        raise NotSingleAgent(
            f"the scenario has the agents {list(agents)} with these parameters; the environments "
            "of a Gymnasium vector have exactly one"
        )
    (agent,) = agents.values()
    return agent


class MultiAgentVectorEnv(VectorInterface):
    """Simulations of agents with equal spaces, side by side, in one Python process.

    The values of PettingZoo's parallel interface are in arrays instead of dicts: observations of
    shape (num_envs, agents, ...), in Gymnasium's batched form, rewards, terminations and
    truncations of shape (num_envs, agents). A step is one round of decisions in each simulation. In
    every step `infos` holds `deciding` and `alive`, bool of shape (num_envs, agents), and
    `sim_time_ns`, int64 of shape (num_envs,). An agent that does not decide keeps its last
    observation and has reward 0; its action is ignored.

    Attributes:
        num_envs: Number of simulations.
        max_agents: Number of rows.
        single_observation_space: Observation space of one agent.
        single_action_space: Action space of one agent.
        observation_space: Batched space of all agents of all simulations.
        action_space: Batched space of all agents of all simulations.
        state_space: Space of the global state of one simulation; see `state()`.
    """

    def __init__(
        self, pool: SimulationPool, *, max_agents: int | None = None, **options: Any
    ) -> None:
        """Take over simulations; a short-lived one reports the agents and their spaces.

        Args:
            pool: The simulations.
            max_agents: Number of rows; None for one row for each agent at the beginning. Agents
                that join late take the rows after them.
            **options: See `VectorOptions`; an episode ends with its last agent.

        Raises:
            NotHomogeneous: The agents have different spaces, or spaces with texts.
            ParameterError: An argument is not allowed.
        """
        self._note(pool, options, max_agents=max_agents)
        with closed_on_failure(pool):
            self._open(pool.episodes[0].agents, max_agents)

    def _open(self, agents: dict[str, Agent], max_agents: int | None) -> None:
        rows = len(agents) if max_agents is None else whole_number("max_agents", max_agents)
        if rows < max(len(agents), 1):
            raise ParameterError(f"max_agents={max_agents}, but there are {len(agents)} agents")
        first = next(iter(agents.values()))
        if first.actions.sizes is None or first.observations.sizes is None:
            raise NotHomogeneous(f"the spaces of {first.name} hold texts, which arrays cannot")
        for agent in agents.values():
            _require_equal(first, agent)
        self.max_agents = rows
        self.single_observation_space = first.observation_space
        self.single_action_space = first.action_space
        self.observation_space = batch_space(
            batch_space(first.observation_space, rows), self.num_envs
        )
        self.action_space = batch_space(batch_space(first.action_space, rows), self.num_envs)
        self.state_space: spaces.Box = joint_space([first.observation_space] * rows)
        books = AgentRows(first, agents, self.num_envs, rows, single=False)
        self._start_engine(MultiAgentForm(books))

    @property
    def possible_agents(self) -> list[str]:
        """Names of the agents, in the order of their rows."""
        return list(self._engine.form.rows.names)

    def state(self) -> NDArray[Any]:
        """Return the global state of each simulation, as the parallel interface's `state()`.

        Rows without an agent have the value closest to zero. After an autoreset, the state belongs
        to the new episode; `final_obs` holds the last observations of the old one.

        Returns:
            A new array of shape (num_envs, numbers), each row in `state_space`.
        """
        observations = self._engine.form.rows.observations
        space = self.single_observation_space
        return join_batch(space, observations, self.num_envs, self.max_agents)

    @property
    def placeholder(self) -> Any:
        """Zeros, or the closest value in `single_observation_space`."""
        return self._engine.form.rows.placeholder

    @exclusive
    def close(self) -> None:
        """End all simulations and release everything; may be called again."""
        self._pool.close()


def _require_equal(first: Agent, agent: Agent) -> None:
    spaces = agent.observation_space, agent.action_space
    if spaces != (first.observation_space, first.action_space):
        raise NotHomogeneous(
            f"{first.name} and {agent.name} have different spaces, which cannot be batched; use "
            "the parallel environment, or a training with library='rllib' and policies='individual'"
        )
