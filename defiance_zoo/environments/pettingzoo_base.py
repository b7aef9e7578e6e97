# SPDX-License-Identifier: GPL-2.0-only
"""The common part of the AEC and the parallel interface."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np
from gymnasium.utils import EzPickle

from defiance_zoo.bridge.codec.spaces import Space
from defiance_zoo.bridge.codec.values import copy_containers
from defiance_zoo.bridge.simulation import RngState, Rounds, Scenario
from defiance_zoo.bridge.simulation.distributions import random_stream
from defiance_zoo.bridge.system.fork_safety import exclusive
from defiance_zoo.environments.arguments import OptionsToParameters, split_arguments
from defiance_zoo.environments.episodes.episodes import Episodes
from defiance_zoo.environments.episodes.observer import RecordOptions
from defiance_zoo.environments.rendering.renderer import (
    Pictures,
    Renderer,
    open_pictures,
    picture_metadata,
    to_render,
)
from defiance_zoo.environments.shared_methods import (
    JointState,
    Simulated,
    Snapshots,
)


def open_episodes(
    scenario: Scenario,
    rounds: Rounds,
    *,
    renderer: Renderer,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    translate_options: OptionsToParameters | None = None,
    record: RecordOptions | str | PathLike[str] | None = None,
    **arguments: Any,
) -> Episodes:
    """Return episodes after a check of all arguments of an environment; no simulation starts."""
    drawn = open_pictures(render_mode, renderer)
    settings, parameters = split_arguments(to_render(render_mode, renderer, arguments), scenario)
    return Episodes(
        scenario,
        parameters,
        rounds=rounds,
        max_cycles=max_cycles,
        settings=settings,
        record=record,
        render_mode=render_mode,
        translate_options=translate_options,
        watcher=drawn,
    )


class PettingZooBase(JointState, Pictures, Simulated, Snapshots, EzPickle):
    """Agents, spaces and pictures of the episodes that an environment plays.

    Pickling keeps the environment's arguments, not the running episode.
    """

    agents: list[str]
    metadata: dict[str, Any]

    def _open(
        self,
        scenario: Scenario,
        rounds: Rounds,
        *,
        renderer: Renderer | None = None,
        render_mode: str | None = None,
        **arguments: Any,
    ) -> None:
        """Check the arguments of the environment; no simulation starts."""
        renderer, self.render_mode = renderer or Renderer(), render_mode
        self._episodes = open_episodes(
            scenario, rounds, renderer=renderer, render_mode=render_mode, **arguments
        )
        self.metadata = {"name": scenario.name, **picture_metadata(renderer)}
        self._observations = {}
        self._np_random: np.random.Generator | None = None
        self.agents = []

    @property
    def possible_agents(self) -> list[str]:
        """All agents so far; an agent that joins late is added when it joins.

        PettingZoo declares an attribute; here only the simulation knows the agents.
        """
        return list(self._episodes.agents)

    @property
    def np_random(self) -> np.random.Generator:
        """Random numbers for wrappers; the seed and run of the episode determine them."""
        if self._np_random is None:
            rng = self._episodes.launcher.seeding.current
            self._np_random = random_stream(rng or RngState(1, 1), "np_random")
        return self._np_random

    def observation_space(self, agent: str) -> Space:
        """Return the observation space of an agent, always the same object."""
        return self._episodes.agents[agent].observation_space

    def action_space(self, agent: str) -> Space:
        """Return the action space of an agent, always the same object."""
        return self._episodes.agents[agent].action_space

    def observe(self, agent: str) -> Any:
        """Return the last observation of an agent; before the first one, zeros within its space."""
        if agent not in self._observations:
            self._observations[agent] = self._episodes.placeholder(agent)
        return copy_containers(self._observations[agent])

    @exclusive
    def close(self) -> None:
        """End the simulation and release everything; may be called again."""
        self._episodes.close()

    def _break_off(self) -> None:
        self.agents = []
