# SPDX-License-Identifier: GPL-2.0-only
"""Shares, throughputs and delays over time, drawn with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from defiance_zoo.environments.rendering.panels import CurveRenderer
from defiance_zoo.environments.rendering.renderer import Past
from defiance_zoo.envs.multi_access.paths import ELEMENTS

_SHOWN = {
    "share of packets over Wi-Fi": ("share", 1.0),
    "delivered, Mb/s": ("delivered", 1.0),
    "Wi-Fi, Mb/s": ("wifi_throughput", 1.0),
    "LTE, Mb/s": ("lte_throughput", 1.0),
    "delay, ms": ("delay", 1000.0),
}
"""Element of a user's observation, and its factor."""


class MultiAccessRenderer(CurveRenderer):
    """Draws shares, throughputs and delays of the last ten seconds."""

    remembers = 200
    titles = tuple(_SHOWN)
    unit = "user"

    def read(self, past: Past) -> np.ndarray[Any, Any]:
        seen = np.reshape(past.observation, (-1, len(ELEMENTS))).astype(np.float64)
        columns = [factor * seen[:, ELEMENTS.index(name)] for name, factor in _SHOWN.values()]
        return np.column_stack(columns)
