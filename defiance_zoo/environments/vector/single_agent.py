# SPDX-License-Identifier: GPL-2.0-only
"""Gymnasium's vector interface: several simulations of one agent each, stepped together."""

from __future__ import annotations

from typing import Any

from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from defiance_zoo.bridge.simulation import Agent
from defiance_zoo.bridge.system.exclusive import exclusive
from defiance_zoo.environments.vector.forms import SingleAgentForm
from defiance_zoo.environments.vector.interface import VectorInterface, closed_on_failure
from defiance_zoo.environments.vector.pool import SimulationPool
from defiance_zoo.environments.vector.rows import AgentRows
from defiance_zoo.errors import NotSingleAgent


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

    def __init__(
        self,
        pool: SimulationPool,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        batch_size: int | None = None,
        copy: bool = True,
        restart_on_failure: bool = False,
        resumable: bool = False,
    ) -> None:
        """Take over simulations; a short-lived one reports the spaces.

        Args:
            pool: The simulations.
            autoreset_mode: Start of the next episode: `NEXT_STEP` with the next step, whose action
                is ignored; `SAME_STEP` at once, with the last observation and info as `final_obs`
                and `final_info`; `DISABLED` by `reset(options={"reset_mask": ...})`.
            batch_size: Number of simulations that `recv()` waits for; None for all.
            copy: Return copies of the batches; otherwise read-only views, which change with the
                next step.
            restart_on_failure: Treat a failed simulation as a truncated episode, with the reason in
                its info `failure`; otherwise the error is raised.
            resumable: Keep the actions of the running episodes, for `state_dict()`.

        Raises:
            NotSingleAgent: The scenario, with these parameters, does not have exactly one agent.
            ParameterError: An argument is not allowed.
        """
        self._note(
            pool,
            autoreset_mode=autoreset_mode,
            batch_size=batch_size,
            copy=copy,
            restart_on_failure=restart_on_failure,
            resumable=resumable,
        )
        with closed_on_failure(pool):
            self._open(_only(pool.episodes[0].agents))

    def _open(self, agent: Agent) -> None:
        count = self.num_envs
        self.single_observation_space = agent.observation_space
        self.single_action_space = agent.action_space
        self.observation_space = batch_space(agent.observation_space, count)
        self.action_space = batch_space(agent.action_space, count)
        rows = AgentRows(agent, [agent.name], count, 1, single=True)
        self._start_engine(SingleAgentForm(rows, agent), agent)

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
