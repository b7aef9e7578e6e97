# SPDX-License-Identifier: GPL-2.0-only
"""Several simulations of many agents each, stepped together, with a row for each agent."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from defiance_zoo.bridge.simulation import Agent
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.bridge.system.plain_values import whole_number
from defiance_zoo.environments.vector.forms import MultiAgentForm
from defiance_zoo.environments.vector.interface import VectorInterface, closed_on_failure
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.environments.vector.rows import AgentRows
from defiance_zoo.errors import NotHomogeneous, ParameterError


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
    """

    def __init__(
        self,
        pool: SimulationPool,
        *,
        max_agents: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        batch_size: int | None = None,
        copy: bool = True,
        restart_on_failure: bool = False,
        resumable: bool = False,
    ) -> None:
        """Take over simulations; a short-lived one reports the agents and their spaces.

        Args:
            pool: The simulations.
            max_agents: Number of rows; None for one row for each agent at the beginning. Agents
                that join late take the rows after them.
            autoreset_mode: As for `SimulationVectorEnv`; an episode ends with its last agent.
            batch_size: As for `SimulationVectorEnv`.
            copy: As for `SimulationVectorEnv`.
            restart_on_failure: As for `SimulationVectorEnv`.
            resumable: As for `SimulationVectorEnv`.

        Raises:
            NotHomogeneous: The agents have different spaces, or spaces with texts.
            ParameterError: An argument is not allowed.
        """
        self._note(
            pool,
            autoreset_mode=autoreset_mode,
            batch_size=batch_size,
            copy=copy,
            restart_on_failure=restart_on_failure,
            resumable=resumable,
            max_agents=max_agents,
        )
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
        books = AgentRows(first, agents, self.num_envs, rows, single=False)
        self._start_engine(MultiAgentForm(books), None)

    @property
    def possible_agents(self) -> list[str]:
        """Names of the agents, in the order of their rows."""
        return list(self._engine.form.rows.names)

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
            "the parallel environment"
        )
