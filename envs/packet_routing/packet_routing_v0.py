# SPDX-License-Identifier: GPL-2.0-only
"""`packet_routing_v0`: agents of routers forward packets.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.bridge.simulation.scenario import Command
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.packet_routing.baselines import BASELINES
from defiance_zoo.envs.packet_routing.graph_files import is_graph_file, read_graph_file
from defiance_zoo.envs.packet_routing.rendering import PacketRoutingRenderer


class RoutingScenario(Scenario):
    """Reads the parameter `topology` if it names a graph file; see `read_graph_file()`."""

    def command(self, parameters: Mapping[str, Any]) -> Command:
        """Return the command, with the text of a graph file instead of its path."""
        given = parameters.get("topology")
        if isinstance(given, str) and is_graph_file(given):
            parameters = {**parameters, "topology": read_graph_file(given).text}
        return super().command(parameters)


SPEC = EnvironmentSpec(
    name="packet_routing_v0",
    scenario=RoutingScenario.of_environment("packet_routing_v0", "packet_routing"),
    baselines=BASELINES,
    renderer=PacketRoutingRenderer(),
    description="Routers of a wide-area network, each with an agent that forwards packets",
    leaderboard=Path(__file__).with_name("leaderboard.yaml"),
    trained=Path(__file__).with_name("trained.onnx"),
)

env, raw_env, parallel_env = SPEC.env, SPEC.raw_env, SPEC.parallel_env
