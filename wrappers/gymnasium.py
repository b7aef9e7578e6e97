# SPDX-License-Identifier: GPL-2.0-only
"""Gymnasium: a scenario with one agent as a `gymnasium.Env`."""

from __future__ import annotations

from typing import Any

import gymnasium

from defiance_zoo.bridge.codec.values import copy_containers
from defiance_zoo.bridge.simulation import AgentEnd, Round
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.bridge.system.plain_values import require_type
from defiance_zoo.environments import (
    EnvironmentSpec,
    Simulated,
    Snapshot,
    lookup,
)
from defiance_zoo.environments.rendering.renderer import Pictures, picture_metadata
from defiance_zoo.environments.shared_methods import JsonSpec, Snapshots
from defiance_zoo.errors import NotSingleAgent, ResetNeeded


class GymnasiumEnv(
    JsonSpec,
    Pictures,
    Simulated,
    Snapshots,
    gymnasium.Env[Any, Any],
):
    """The only agent of a scenario.

    Observations are values of `observation_space`; their arrays are read-only views of the
    message. `info["sim_time_ns"]` is the simulated time in nanoseconds (int). Copies and pickles
    keep the environment's arguments, not the running episode.
    """

    _STATE = ("_observation", "_ended_at_reset", "np_random", "_np_random_seed")

    def __init__(
        self,
        spec: EnvironmentSpec,
        *,
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        """Make the environment; a short-lived simulation reports its spaces.

        Args:
            spec: The environment to simulate.
            max_cycles: Truncate an episode after this many steps.
            render_mode: A render mode of the environment, or None.
            **arguments: `LaunchArguments`, and parameters of the scenario.

        Raises:
            NotSingleAgent: The scenario, with these parameters, does not have exactly one agent.
            ParameterError: An argument is unknown or not allowed.
            ScenarioNotFound: The program is missing.
        """
        require_type("spec", spec, EnvironmentSpec)
        self._note_arguments(
            spec.played, max_cycles=max_cycles, render_mode=render_mode, **arguments
        )
        self.render_mode, self.metadata = render_mode, picture_metadata(spec.renderer)
        self._episodes = spec.episodes(
            "sequential", max_cycles=max_cycles, render_mode=render_mode, **arguments
        )
        if len(self._episodes.agents) != 1:
            raise NotSingleAgent(
                f"{spec.name} has the agents {list(self._episodes.agents)} with these parameters; "
                "a Gymnasium environment has exactly one"
            )
        (agent,) = self._episodes.agents.values()
        self.agent = agent.name
        self.observation_space = agent.observation_space
        self.action_space = agent.action_space
        self._observation: Any = None
        self._ended_at_reset: AgentEnd | None = None

    @exclusive
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
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
        super().reset(seed=seed)
        self._ended_at_reset = None
        self._observation = self._episodes.placeholder(self.agent)
        received = self._episodes.begin(seed, options)
        if received.ended:
            # An episode that ends before the first decision ends in the first step.
            self._ended_at_reset = received.ended[0]
            observation, _, _, _, info = self._end(received.ended[0], received)
            return observation, info
        return self._begin(received)

    @exclusive
    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Act, and play to the next decision or the end.

        Raises:
            InvalidAction: The action is not in the space; try another one.
            NotSingleAgent: Another agent has joined.
            ResetNeeded: No episode is running.
            SimulationError: The simulation failed.
        """
        if self._ended_at_reset is not None:
            self._episodes.launcher.require_open()
            end, received = self._ended_at_reset, self._current()
            self._ended_at_reset = None
            return self._end(end, received)
        self._episodes.decide(self.agent, action)
        received = self._episodes.advance()
        if received.joined:
            raise NotSingleAgent(f"{list(received.joined)} joined an environment of one agent")
        if received.ended:
            return self._end(received.ended[0], received)
        self._observation, reward, info = received.solo()
        info = {**info, "sim_time_ns": received.time_ns}
        return copy_containers(self._observation), reward, False, False, info

    def _begin(self, received: Round) -> tuple[Any, dict[str, Any]]:
        self._observation, _, info = received.solo()
        return copy_containers(self._observation), {**info, "sim_time_ns": received.time_ns}

    def _end(self, end: AgentEnd, received: Round) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if end.observation is not None:
            self._observation = end.observation
        info = {**end.info, "sim_time_ns": received.time_ns}
        observation = copy_containers(self._observation)
        return observation, end.reward, end.terminated, not end.terminated, info

    @exclusive
    def restore(self, snapshot: Snapshot) -> tuple[Any, dict[str, Any]]:
        """Return this environment to a snapshot, any number of times.

        The current simulation ends. The current episode may already have ended or failed.

        Returns:
            Observation and info, as from `reset()`.

        Raises:
            InvalidSnapshot: The snapshot was released, or is another environment's; nothing has
                changed.
            SnapshotLost: Its process has ended.
            SimulationError: The restored simulation failed.
        """
        self._return_to(snapshot)
        return self._begin(self._current())

    @exclusive
    def branch(self, *, record: bool = True) -> GymnasiumEnv:
        other = super().branch(record=record)
        (agent,) = other._episodes.agents.values()
        other.observation_space, other.action_space = agent.observation_space, agent.action_space
        return other

    @exclusive
    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self._episodes.close()

    def _current(self) -> Round:
        if self._episodes.round is None:
            raise ResetNeeded("no episode has begun: call reset() first")
        return self._episodes.round


def make_gymnasium_env(name: str, **arguments: Any) -> GymnasiumEnv:
    """Make a registered environment, for `gymnasium.make("defiance_zoo/...")`."""
    return GymnasiumEnv(lookup(name), **arguments)
