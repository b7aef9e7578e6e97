# SPDX-License-Identifier: GPL-2.0-only
"""`packet_routing_v0`: agents of routers forward packets.

`card.md` describes network, observations, rewards and ends.
"""

from __future__ import annotations

from pathlib import Path

from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.envs.packet_routing.baselines import BASELINES
from defiance_zoo.envs.packet_routing.rendering import PacketRoutingRenderer
from defiance_zoo.envs.packet_routing.scenario import RoutingScenario

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
