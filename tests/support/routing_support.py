# SPDX-License-Identifier: GPL-2.0-only
"""Episodes of packet_routing_v0, and the fates of their packets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from defiance_zoo.envs.packet_routing import packet_routing_v0
from defiance_zoo.envs.packet_routing.graph_files import Link, Router, Topology
from defiance_zoo.experiments.evaluation import Policy

Arguments = dict[str, Any]
TOPOLOGIES = Path(__file__).parents[2] / "envs" / "packet_routing" / "topologies"


def load_topology(name: str) -> Topology:
    """Read a shipped topology independently of the simulation."""
    routers: list[Router] = []
    links: list[Link] = []
    numbers: dict[str, int] = {}
    for line in (TOPOLOGIES / f"{name}.topology").read_text().splitlines():
        match line.partition("#")[0].split():
            case ["node", router, *place]:
                numbers[router] = len(routers)
                routers.append(Router(router, *map(float, place)))
            case ["link", first, second, *rest]:
                options = dict(zip(rest[::2], rest[1::2], strict=True))
                links.append(Link(numbers[first], numbers[second], **options))
    return Topology(tuple(routers), tuple(links))


@dataclass(frozen=True)
class PlayedEpisode:
    """An episode that was played to its end.

    Attributes:
        packets: Number, source, destination, creation (ns), delay (ns) and hops of each arrival, in
            the order of arrivals.
        info: The last info of agent_0.
        returns: The return of each agent.
        decisions: Number of decisions of all agents.
    """

    packets: np.ndarray
    info: dict[str, Any]
    returns: dict[str, float]
    decisions: int

    @property
    def delays(self) -> np.ndarray:
        """Return the delays in seconds."""
        return self.packets[:, 4] / 1e9


def play(
    policy: str | Policy | Callable[[str, Any, Any], Any] | None = None,
    *,
    seed: int = 1,
    options: Arguments | None = None,
    **arguments: Any,
) -> PlayedEpisode:
    """Play an episode.

    Args:
        policy: A baseline by name, a policy, or a function of agent, observation and info; None:
            the first port.
        seed: Seed of the episode.
        options: Options of the baseline.
        arguments: Arguments of the environment.
    """
    env = packet_routing_v0.raw_env(link="local", record_packets=True, **arguments)
    if isinstance(policy, str):
        maker = packet_routing_v0.SPEC.baselines[policy]
        policy = maker.make(env, seed, maker.read_options(options or {}))
    act = getattr(policy, "act", policy)
    env.reset(seed=seed)
    if hasattr(policy, "reset"):
        policy.reset()
    returns: dict[str, float] = {}
    infos: dict[str, Any] = {}
    decisions = 0
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        returns[agent] = returns.get(agent, 0.0) + float(reward)
        infos[agent] = info
        if terminated or truncated:
            env.step(None)
        else:
            decisions += 1
            env.step(act(agent, observation, info) if act else 0)
    env.close()
    told = infos["agent_0"]
    return PlayedEpisode(np.reshape(told["packets"], (-1, 6)), told, returns, decisions)


def draw(seed: int) -> Callable[[str, Any, Any], int]:
    """Return a policy that chooses any port with a working link; the first one if there is none."""
    rng = np.random.default_rng(seed)

    def act(_agent: str, _seen: Any, info: Any) -> int:
        ports = np.flatnonzero(info["action_mask"])
        return int(rng.choice(ports)) if len(ports) else 0

    return act
