# SPDX-License-Identifier: GPL-2.0-only
"""Bitrates, buffers and throughputs over time, drawn with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from defiance_zoo.environments.rendering.panels import CurveRenderer
from defiance_zoo.environments.rendering.renderer import Past
from defiance_zoo.envs.video_streaming.video import ELEMENTS, HISTORY

_SHOWN = {"bitrate, Mb/s": -1, "buffer, s": -3, "throughput, Mb/s": HISTORY - 1}
"""Indices in a client's observation."""


class VideoStreamingRenderer(CurveRenderer):
    """Draws bitrates, buffers and throughputs of the last hundred seconds."""

    titles = tuple(_SHOWN)
    unit = "client"
    span_s = 100

    def read(self, past: Past) -> np.ndarray[Any, Any]:
        seen = np.reshape(past.observation, (-1, len(ELEMENTS)))
        return seen[:, list(_SHOWN.values())]
