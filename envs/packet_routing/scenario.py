# SPDX-License-Identifier: GPL-2.0-only
"""The scenario, whose topology may be a user's graph file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.bridge.simulation.scenario import Command
from defiance_zoo.envs.packet_routing.topologies import is_graph_file, read_graph_file


class RoutingScenario(Scenario):
    """Reads the parameter `topology` if it names a graph file; see `read_graph_file()`."""

    def command(self, parameters: Mapping[str, Any]) -> Command:
        """See `Scenario.command()`.

        Raises:
            DependencyMissing: The topology is a graph file, and networkx is not installed.
        """
        given = parameters.get("topology")
        if isinstance(given, str) and is_graph_file(given):
            parameters = {**parameters, "topology": read_graph_file(given).text}
        return super().command(parameters)
