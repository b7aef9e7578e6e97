# SPDX-License-Identifier: GPL-2.0-only
"""Policies for comparison that need no training."""

from __future__ import annotations

from defiance_zoo.environments import NoOptions, PolicyMaker, SimulationAECEnv
from defiance_zoo.envs.packet_routing.policies import (
    LeastDelayPolicy,
    QRoutingOptions,
    QRoutingPolicy,
    ShortestPathsPolicy,
    least_delay,
    q_routing,
    shortest_paths,
)


def _shortest_paths(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> ShortestPathsPolicy:
    return ShortestPathsPolicy(env)


def _least_delay(env: SimulationAECEnv, _seed: int, _options: NoOptions) -> LeastDelayPolicy:
    return LeastDelayPolicy(env)


def _q_routing(_env: SimulationAECEnv, seed: int, options: QRoutingOptions) -> QRoutingPolicy:
    return QRoutingPolicy(seed, options)


BASELINES = {
    "shortest_paths": PolicyMaker(_shortest_paths, shortest_paths.__name__),
    "q_routing": PolicyMaker(_q_routing, q_routing.__name__, QRoutingOptions),
    "least_delay": PolicyMaker(_least_delay, least_delay.__name__, costly=True),
}
"""The policies, by name."""
