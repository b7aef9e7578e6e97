# SPDX-License-Identifier: GPL-2.0-only
"""Policies for comparison that need no training."""

from __future__ import annotations

from defiance_zoo.environments import PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.packet_routing.policies import (
    EarliestArrivalOptions,
    EarliestArrivalPolicy,
    LeastDelayPolicy,
    QRoutingOptions,
    QRoutingPolicy,
    ShortestPathsPolicy,
    earliest_arrival,
    least_delay,
    q_routing,
    shortest_paths,
)


def _q_routing(_env: SimulationAECEnv, seed: int, options: QRoutingOptions) -> QRoutingPolicy:
    return QRoutingPolicy(seed, options)


BASELINES = {
    "shortest_paths": PolicyMaker(ShortestPathsPolicy, shortest_paths.__name__),
    "q_routing": PolicyMaker(_q_routing, q_routing.__name__, QRoutingOptions),
    "least_delay": PolicyMaker(LeastDelayPolicy, least_delay.__name__, costly=True),
    "earliest_arrival": PolicyMaker(
        EarliestArrivalPolicy,
        earliest_arrival.__name__,
        EarliestArrivalOptions,
        costly=True,
        kind="reference",
    ),
}
"""The policies, by name."""
