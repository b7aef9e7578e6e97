# SPDX-License-Identifier: GPL-2.0-only
"""Windows, round trip times and the queue over time, drawn with NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from defiance_zoo.environments import AgentView
from defiance_zoo.environments.rendering.panels import CurveRenderer, Curves, Series
from defiance_zoo.envs.tcp_congestion.flow_state import ABSOLUTE, PER_ACK, RELATIVE


class TcpCongestionRenderer(CurveRenderer):
    """Draws windows, round trip times and the queue of the last ten seconds."""

    def curves(self, views: Mapping[str, AgentView]) -> Curves:
        """Return the series of each flow, and the queue at all bottlenecks."""
        windows: dict[str, Series] = {}
        times: dict[str, Series] = {}
        queue: Series = []
        relative = False
        for agent, view in views.items():
            actions = 1 if view.action is None else np.size(view.action)
            for past in view.past:
                if "queue_packets" in past.info:
                    queue.append((past.time_ns, float(past.info["queue_packets"])))
                if "bottleneck" in past.info:
                    continue
                size = _size(past.observation, actions)
                relative = relative or size == RELATIVE
                for number, flow in enumerate(past.observation.reshape(-1, size)):
                    name = agent if len(past.observation) == size else f"{agent}, flow {number}"
                    window, time = _read(flow)
                    windows.setdefault(name, []).append((past.time_ns, float(window)))
                    times.setdefault(name, []).append((past.time_ns, float(time)))
        return {
            "window, bdp" if relative else "window, segments": windows,
            "rtt / min" if relative else "rtt, ms": times,
            "queue, packets": {"bottlenecks": sorted(queue)} if queue else {},
        }


def _size(seen: np.ndarray[Any, Any], actions: int) -> int:
    """Return the number of elements of a flow in an observation."""
    if seen.dtype == np.float64:
        return PER_ACK
    return RELATIVE if len(seen) in (RELATIVE, RELATIVE * actions) else ABSOLUTE


def _read(flow: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    """Return the window in segments or in products, and the time in ms or as a multiple."""
    if len(flow) == PER_ACK:
        return flow[3] / max(flow[4], 1), flow[7] / 1e3
    return (flow[5], 1 + flow[0]) if len(flow) == RELATIVE else (flow[1], flow[7])
