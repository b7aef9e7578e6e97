# SPDX-License-Identifier: GPL-2.0-only
"""Rates, throughput and distance of stations over time, drawn with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from defiance_zoo.environments.rendering.panels import CurveRenderer
from defiance_zoo.environments.rendering.renderer import Past

_SHOWN = {
    "data rate, Mb/s": "data_rate",
    "SNR of acknowledgements, dB": "snr",
    "distance, m": "distance",
}
"""Info of a station, or of all stations of an agent."""


class WifiRateControlRenderer(CurveRenderer):
    """Draws data rates, signal-to-noise ratios and distances of the last ten seconds."""

    titles = tuple(_SHOWN)
    unit = "station"

    def read(self, past: Past) -> np.ndarray[Any, Any]:
        if "data_rate" not in past.info:
            return np.zeros((0, len(_SHOWN)))
        return np.column_stack([np.ravel(past.info[name]) for name in _SHOWN.values()])
