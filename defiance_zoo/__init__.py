# SPDX-License-Identifier: GPL-2.0-only
"""PettingZoo environments whose world is a real ns-3 network simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import defiance_zoo.bridge.system.deleted_directory  # noqa: F401 (first: PettingZoo needs it)
from defiance_zoo import errors
from defiance_zoo.bridge.simulation import Choice, CurveKeys, LogUniform, Scenario, Uniform
from defiance_zoo.environments import EnvironmentSpec, make, make_vec, register, registered

__version__ = "0.1.0"

__all__ = [
    "Choice",
    "CurveKeys",
    "EnvironmentSpec",
    "LogUniform",
    "Scenario",
    "Uniform",
    "__version__",
    "errors",
    "make",
    "make_vec",
    "pretrained",
    "register",
    "registered",
]

if TYPE_CHECKING:
    from defiance_zoo.experiments.evaluation import FilePolicy


def pretrained(env: str) -> FilePolicy:
    """Return the trained policy that comes with an environment; it decides for its agents.

    Args:
        env: Name of the environment, such as `tcp_congestion_v1`.

    Raises:
        UnknownEnvironment: There is none of this name.
        ParameterError: It comes with no trained policy.
        DependencyMissing: ONNX Runtime is not installed.
    """
    from defiance_zoo.experiments.evaluation import pretrained as find  # for policy files alone

    return find(env)


register(
    "cart_pole_v0",
    "defiance_zoo.envs.cart_pole.cart_pole_v0:SPEC",
    gymnasium_id="defiance_zoo/CartPole-v0",
)
register(
    "cell_power_v0",
    "defiance_zoo.envs.cell_power.cell_power_v0:SPEC",
    gymnasium_id="defiance_zoo/CellPower-v0",
)
register(
    "channel_access_v0",
    "defiance_zoo.envs.channel_access.channel_access_v0:SPEC",
    gymnasium_id="defiance_zoo/ChannelAccess-v0",
)
register(
    "channel_rps_v0",
    "defiance_zoo.envs.channel_rps.channel_rps_v0:SPEC",
    gymnasium_id="defiance_zoo/ChannelRps-v0",
)
register(
    "edge_cart_pole_v0",
    "defiance_zoo.envs.edge_cart_pole.edge_cart_pole_v0:SPEC",
    gymnasium_id="defiance_zoo/EdgeCartPole-v0",
)
register(
    "handover_v0",
    "defiance_zoo.envs.handover.handover_v0:SPEC",
    gymnasium_id="defiance_zoo/Handover-v0",
)
register(
    "jamming_v0",
    "defiance_zoo.envs.jamming.jamming_v0:SPEC",
    gymnasium_id="defiance_zoo/Jamming-v0",
)
register(
    "packet_routing_v0",
    "defiance_zoo.envs.packet_routing.packet_routing_v0:SPEC",
    gymnasium_id="defiance_zoo/PacketRouting-v0",
)
register(
    "partition_v0",
    "defiance_zoo.envs.partition.partition_v0:SPEC",
    gymnasium_id="defiance_zoo/PartitionRaft-v0",
)
register(
    "partition_tendermint_v0",
    "defiance_zoo.envs.partition.partition_v0:TENDERMINT_SPEC",
    gymnasium_id="defiance_zoo/PartitionTendermint-v0",
)
register(
    "tcp_congestion_v0",
    "defiance_zoo.envs.tcp_congestion.tcp_congestion_v0:SPEC",
    gymnasium_id="defiance_zoo/TcpCongestion-v0",
)
register(
    "tcp_congestion_v1",
    "defiance_zoo.envs.tcp_congestion.tcp_congestion_v1:SPEC",
    gymnasium_id="defiance_zoo/TcpCongestion-v1",
)
register(
    "video_streaming_v0",
    "defiance_zoo.envs.video_streaming.video_streaming_v0:SPEC",
    gymnasium_id="defiance_zoo/VideoStreaming-v0",
)
register(
    "wifi_contention_v0",
    "defiance_zoo.envs.wifi_contention.wifi_contention_v0:SPEC",
    gymnasium_id="defiance_zoo/WifiContention-v0",
)
register(
    "wifi_rate_control_v0",
    "defiance_zoo.envs.wifi_rate_control.wifi_rate_control_v0:SPEC",
    gymnasium_id="defiance_zoo/WifiRateControl-v0",
)
