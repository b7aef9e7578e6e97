# SPDX-License-Identifier: GPL-2.0-only
"""The zoo, with a folder for each environment; an environment's modules load when it is used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from defiance_zoo.envs.cart_pole import cart_pole_v0
    from defiance_zoo.envs.cell_power import cell_power_v0
    from defiance_zoo.envs.cell_sleep import cell_sleep_v0, cell_sleep_v1
    from defiance_zoo.envs.channel_access import channel_access_v0, channel_sharing_v0
    from defiance_zoo.envs.channel_rps import channel_rps_v0
    from defiance_zoo.envs.edge_cart_pole import edge_cart_pole_v0
    from defiance_zoo.envs.handover import handover_v0, handover_v1
    from defiance_zoo.envs.jamming import jamming_v0
    from defiance_zoo.envs.multi_access import multi_access_v0
    from defiance_zoo.envs.networked import (
        networked_cheetah_v0,
        networked_control_v0,
        networked_spread_v0,
    )
    from defiance_zoo.envs.packet_routing import packet_routing_v0
    from defiance_zoo.envs.partition import partition_v0
    from defiance_zoo.envs.tcp_congestion import tcp_congestion_v0, tcp_congestion_v1
    from defiance_zoo.envs.video_streaming import video_streaming_v0
    from defiance_zoo.envs.wifi_contention import wifi_contention_v0
    from defiance_zoo.envs.wifi_rate_control import wifi_rate_control_v0

__all__ = [
    "cart_pole_v0",
    "cell_power_v0",
    "cell_sleep_v0",
    "cell_sleep_v1",
    "channel_access_v0",
    "channel_rps_v0",
    "channel_sharing_v0",
    "edge_cart_pole_v0",
    "handover_v0",
    "handover_v1",
    "jamming_v0",
    "multi_access_v0",
    "networked_cheetah_v0",
    "networked_control_v0",
    "networked_spread_v0",
    "packet_routing_v0",
    "partition_v0",
    "tcp_congestion_v0",
    "tcp_congestion_v1",
    "video_streaming_v0",
    "wifi_contention_v0",
    "wifi_rate_control_v0",
]


def __getattr__(name: str) -> ModuleType:
    """Import the module of an environment."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    (file,) = Path(__file__).parent.glob(f"*/{name}.py")
    return import_module(f"{__name__}.{file.parent.name}.{name}")
