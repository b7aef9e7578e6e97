# SPDX-License-Identifier: GPL-2.0-only
"""Policies of routers in Python: shortest paths, least delay, earliest arrival, Q-routing."""

from defiance_zoo.envs.packet_routing.policies.earliest_arrival import (
    EarliestArrivalOptions,
    EarliestArrivalPolicy,
)
from defiance_zoo.envs.packet_routing.policies.least_delay import LeastDelayPolicy
from defiance_zoo.envs.packet_routing.policies.link_state import LinkState, next_ports
from defiance_zoo.envs.packet_routing.policies.q_routing import QRoutingOptions, QRoutingPolicy
from defiance_zoo.envs.packet_routing.policies.shortest_paths import ShortestPathsPolicy

__all__ = [
    "EarliestArrivalOptions",
    "EarliestArrivalPolicy",
    "LeastDelayPolicy",
    "LinkState",
    "QRoutingOptions",
    "QRoutingPolicy",
    "ShortestPathsPolicy",
    "next_ports",
]
