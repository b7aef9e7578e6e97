# SPDX-License-Identifier: GPL-2.0-only
"""Windows, round trip times and the queue over time, drawn with NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import NDArray

from defiance_zoo.environments import AgentView
from defiance_zoo.environments.rendering.panels import CurveRenderer, Curves, Series

_FLOWS: Mapping[str, Callable[[NDArray[Any]], tuple[float, float]]] = {
    "congestion_window_segments": lambda flow: (flow[1], flow[7]),
    "congestion_window_bytes": lambda flow: (flow[3] / max(flow[4], 1), flow[7] / 1e3),
    "log2_window_segments": lambda flow: (2.0 ** flow[30], 2.0 ** (flow[1] + flow[31])),
    "window_ratio": lambda flow: (flow[5], 1 + flow[0]),
}
"""The window and round trip time (ms) of a flow, by the name of an element of its observation."""


class TcpCongestionRenderer(CurveRenderer):
    """Draws windows, round trip times and the queue of the last ten seconds."""

    def curves(self, views: Mapping[str, AgentView]) -> Curves:
        """Return the series of each flow, and the queue at all bottlenecks."""
        windows: dict[str, Series] = {}
        times: dict[str, Series] = {}
        queue: Series = []
        relative = False
        for agent, view in views.items():
            named = {n: sum(each.startswith(n) for each in view.element_names) for n in _FLOWS}
            kind = next(filter(named.get, named), None)  # None: the agent of a queue
            relative = relative or kind == "window_ratio"
            for past in view.past:
                if "queue_packets" in past.info:
                    queue.append((past.time_ns, float(past.info["queue_packets"])))
                if kind is None:
                    continue
                for number, flow in enumerate(past.observation.reshape(named[kind], -1)):
                    name = agent if named[kind] == 1 else f"{agent}, flow {number}"
                    window, time = _FLOWS[kind](flow)
                    windows.setdefault(name, []).append((past.time_ns, float(window)))
                    times.setdefault(name, []).append((past.time_ns, float(time)))
        return {
            "window, bdp" if relative else "window, segments": windows,
            "rtt / min" if relative else "rtt, ms": times,
            "queue, packets": {"bottlenecks": sorted(queue)} if queue else {},
        }
