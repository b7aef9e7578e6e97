# SPDX-License-Identifier: GPL-2.0-only
"""Playing episodes with fixed seeds."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from defiance_zoo.bridge.codec import Space
from defiance_zoo.bridge.process.simulation_process import Losses
from defiance_zoo.bridge.simulation import CommunicationReport
from defiance_zoo.environments import (
    EnvironmentSpec,
    Policy,
    SimulationAECEnv,
    prefer_local_link,
)
from defiance_zoo.errors import NotCounted, ParameterError, SimulationError
from defiance_zoo.experiments.workbench.events import EventCallback, ignore

Spaces = tuple[Space, Space]
"""The observation and the action space of an agent."""


@dataclass(frozen=True)
class PlayedEpisode:
    """A complete episode.

    Attributes:
        seed: Seed of the simulation.
        returns: Sum of rewards by agent, also of agents that never decided.
        decisions: Number of decisions of all agents.
        sim_time_s: Simulated time at the last reported decision or end, in seconds.
        wall_time_s: Duration in seconds.
        infos: The last info of each agent.
        info_series: All values of each watched info, by agent.
        communication: Traffic, if it was counted.
        failures: Number of simulations that were lost and replaced before this episode.
        failure: The message of the first of these simulations.
    """

    seed: int
    returns: dict[str, float]
    decisions: int
    sim_time_s: float
    wall_time_s: float
    infos: dict[str, dict[str, Any]] = field(default_factory=dict)
    communication: CommunicationReport | None = None
    failures: int = 0
    failure: str = ""
    info_series: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    @property
    def mean_return(self) -> float:
        """The mean return of the agents."""
        return statistics.fmean(self.returns.values())


def open_env(spec: EnvironmentSpec, parameters: dict[str, Any]) -> SimulationAECEnv:
    """Return an environment; its link is local if the arguments allow that.

    Raises:
        ParameterError: An argument is unknown or not allowed.
        ScenarioNotFound: The scenario's program is missing.
    """
    return spec.raw_env(**prefer_local_link(parameters))


def agent_spaces(spec: EnvironmentSpec, parameters: dict[str, Any]) -> dict[str, Spaces]:
    """Return the spaces of an environment's first agents, from a short-lived simulation.

    Raises:
        ParameterError: An argument is unknown or not allowed, or arguments contradict each other.
        SimulationError: The simulation failed.
    """
    with contextlib.closing(open_env(spec, parameters)) as env:
        return spaces_of(env)


def spaces_of(env: SimulationAECEnv) -> dict[str, Spaces]:
    """Return the spaces of the first agents of an open environment."""
    agents = env.possible_agents
    return {agent: (env.observation_space(agent), env.action_space(agent)) for agent in agents}


def play(
    env: SimulationAECEnv,
    policy: Policy,
    *,
    episodes: int,
    seed: int,
    attempts: int = 1,
    watch: Collection[str] = (),
    options: dict[str, Any] | None = None,
    name: str = "",
    report: EventCallback = ignore,
) -> Iterator[PlayedEpisode]:
    """Play episodes, and yield each at its end.

    Args:
        env: The environment.
        policy: The policy of every agent.
        episodes: Number of episodes.
        seed: Episode i is played with `seed + i`.
        attempts: Number of attempts to begin an episode with its seed.
        watch: Names of numeric infos that `info_series` keeps.
        options: Options of `reset()` for each episode.
        name: Name of the policy in events.
        report: Called with an event after each episode, and after each lost simulation.

    Raises:
        SimulationError: A simulation failed in the last attempt, or with an error that lasts.
        InvalidAction: The policy returned an action that is not in its agent's space.
        ParameterError: A watched info is not a number.
    """
    began, losses = time.monotonic(), Losses()
    for number in range(episodes):
        lost: list[str] = []
        for attempt in range(attempts):
            try:
                played = _play_one(env, policy, seed + number, watch, options)
                break
            except SimulationError as error:
                if attempt == attempts - 1 or not losses.forgives(error):
                    raise
                lost += losses.take()
                first = losses.count == 1
                report({"event": "simulation_failed", "message": lost[-1], "first": first})
        left = (time.monotonic() - began) / (number + 1) * (episodes - number - 1)
        event = {"policy": name, "episode": number + 1, "episodes": episodes}
        report({"event": "played", **event, "remaining_s": left})
        yield replace(played, failures=len(lost), failure=lost[0] if lost else "")


def number_of(info: Mapping[str, Any], name: str) -> float:
    """Return the number that an info has under a name; another value raises `ParameterError`."""
    try:
        return float(info[name])
    except (TypeError, ValueError):
        raise ParameterError(f"the info {name!r} is {info[name]!r}, not a number") from None


def _play_one(
    env: SimulationAECEnv,
    policy: Policy,
    seed: int,
    watch: Collection[str],
    options: dict[str, Any] | None,
) -> PlayedEpisode:
    began = time.perf_counter()
    env.reset(seed=seed, options=options)
    policy.reset()
    returns = dict.fromkeys(env.agents, 0.0)
    infos: dict[str, dict[str, Any]] = {}
    watched: dict[str, dict[str, list[float]]] = {}
    decisions, time_ns = 0, 0
    while env.agents:
        agent = env.agent_selection
        observation, reward, terminated, truncated, info = env.last()
        returns[agent] = returns.get(agent, 0.0) + float(reward)
        time_ns, infos[agent] = info["sim_time_ns"], dict(info)
        for name in watch:
            if name in info:
                watched.setdefault(agent, {}).setdefault(name, []).append(number_of(info, name))
        if terminated or truncated:
            env.step(None)
        else:
            decisions += 1
            env.step(policy.act(agent, observation, info))
    took = time.perf_counter() - began
    communication = None
    with contextlib.suppress(NotCounted):
        communication = env.communication_report()
    return PlayedEpisode(
        seed,
        returns,
        decisions,
        time_ns / 1e9,
        took,
        infos,
        communication,
        info_series=watched,
    )
