# SPDX-License-Identifier: GPL-2.0-only
"""Policies that do not learn, to compare with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Policy = Callable[[Any], Any]
"""Observation of a flow to an action of its agent's space."""


def newreno(observation: Any) -> Any:
    """Answer a call of TCP as NewReno does, with ns-3's arithmetic (`control="per_ack"`).

    Windows are those of RFC 5681: in slow start a segment more for each acknowledgement, then
    about a segment more in a round trip time; after a loss half of what is in flight.

    Args:
        observation: Shape (10,), float64; the card says what it holds.

    Returns:
        `[ssThresh, cWnd]` in bytes, shape (2,), float64.
    """
    _, _, threshold, window, segment, acknowledged, in_flight = map(int, observation[:7])
    half = max(2 * segment, in_flight // 2)
    if window < threshold and acknowledged >= 1:
        window += segment
        acknowledged -= 1
    if window >= threshold and acknowledged > 0:
        window += int(max(1.0, segment * segment / window))
    return np.array([half, window], np.float64)
