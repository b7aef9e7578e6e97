# SPDX-License-Identifier: GPL-2.0-only
"""The value and the equilibrium mixtures of a jamming game, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Equilibrium(NamedTuple):
    """The best mixtures of both sides, and their value.

    Attributes:
        transmitter: Probability of each channel, shape (channels,).
        jammer: Probability of each channel, shape (channels,).
        value: Mean delivery in a slot, in the unit of the channels' values.
    """

    transmitter: Floats
    jammer: Floats
    value: float


def equalise(values: Sequence[float] | NDArray[Any]) -> Equilibrium:
    """Return the equilibrium of channels that deliver `values` in a slot, and nothing if jammed.

    With K channels and V = (K - 1) / sum(1 / v) at most the minimum v, the jammer is indifferent if
    the transmitter plays p_k proportional to 1 / v_k. The transmitter is indifferent if the jammer
    plays q_k = 1 - V / v_k. Neither side uses channels with a value below the V of the others. All
    values are above 0.
    """
    v = np.asarray(values, np.float64)
    order = np.argsort(-v, kind="stable")
    count = 2
    while count < len(v) and v[order[count]] > _value(v[order[:count]]):
        count += 1
    used = order[:count]
    value = _value(v[used])
    p, q = np.zeros(len(v)), np.zeros(len(v))
    p[used] = (1 / v[used]) / (1 / v[used]).sum()
    q[used] = 1 - value / v[used]
    return Equilibrium(p, q, value)


def _value(values: Floats) -> float:
    return float((len(values) - 1) / (1 / values).sum())
