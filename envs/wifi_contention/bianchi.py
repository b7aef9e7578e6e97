# SPDX-License-Identifier: GPL-2.0-only
"""Bianchi's model of the cell: the throughput of saturated stations, in closed form.

G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", IEEE
Journal on Selected Areas in Communications 18(3), 2000. In each slot a station transmits with
probability tau; a slot is idle, or holds one successful exchange, or a collision.

The two times are fitted to the expected values of ns-3's example `wifi-bianchi` for 802.11ax
(HeMcs11, 20 MHz, guard interval 800 ns, frames of 1500 bytes, no aggregation) with stations that
wait for DIFS after a collision. All ten values for 5 to 50 stations are reproduced within 0.0005
Mb/s. They agree with the standard's timing: a frame of 139.2 us, SIFS 16 us, an acknowledgement of
28 us and AIFS 43 us; after a collision, the frame and DIFS 34 us.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

SLOT_US = 9.0
SUCCESS_US = 226.20
COLLISION_US = 173.20
PAYLOAD = 1500
"""Bytes of payload; 1422 to 1665 bytes have the same duration, as symbols are padded."""

STANDARD_WINDOW, STANDARD_STAGES = 16, 6
"""Slots of the standard's first back-off (CWmin + 1), and number of doublings up to 1024."""

WINDOWS = tuple(2**exponent for exponent in range(4, 11))
"""Slots (CW + 1) of agents' windows, in the order of actions."""

MOST_STATIONS, LEAST_SLOTS = 64, 2.5
"""Largest number of stations, and least slots of a window per station, of an accurate model."""

MAXIMUM = 8 * PAYLOAD / SUCCESS_US
"""Mb/s of a single station without back-off, by which rewards are normalised."""


def fixed_throughput(stations: int, window: float, payload: int = PAYLOAD) -> float:
    """Return the throughput of stations that draw back-offs from one window.

    ns-3's throughput is within 2 % of this model for up to 64 stations and windows of at least 2.5
    slots per station. With smaller windows, most frames collide, and effects that the model omits
    matter: 12 stations and 16 slots have 6 % more throughput, and 50 stations and 16 slots less
    than half. 100 stations and 250 slots have 4 % less. In these cases a UserWarning says so.

    Args:
        stations: Number of stations, at least one.
        window: Slots to draw from, CW + 1; a station transmits with probability 2 / (window + 1).
        payload: Bytes in a frame, within the range with the duration of 1500.

    Returns:
        Total throughput of payload in Mb/s.

    Raises:
        ValueError: There is no station, or no slot.
    """
    if stations < 1 or window < 1:
        raise ValueError(f"{stations} stations, {window} slots: at least one of each is required")
    if stations > MOST_STATIONS or (stations > 1 and window < LEAST_SLOTS * stations):
        warnings.warn(
            f"{stations} stations, {window} slots: ns-3's throughput can differ from Bianchi's "
            f"model by more than 2 %, as there are more than {MOST_STATIONS} stations, or fewer "
            f"than {LEAST_SLOTS} slots per station",
            stacklevel=2,
        )
    return _throughput(stations, 2 / (window + 1), payload)


def standard_throughput(
    stations: int,
    payload: int = PAYLOAD,
    window: int = STANDARD_WINDOW,
    stages: int = STANDARD_STAGES,
) -> float:
    """Return the throughput of binary exponential back-off.

    Args:
        stations: Number of stations, at least one.
        payload: Bytes in a frame, within the range with the duration of 1500.
        window: Slots of the first back-off, CWmin + 1.
        stages: Number of doublings of the window in consecutive collisions.

    Returns:
        Total throughput of payload in Mb/s.

    Raises:
        ValueError: There is no station.
    """
    if stations < 1:
        raise ValueError(f"{stations} stations: at least one is required")

    def excess(tau: float) -> float:
        """Return the difference between tau and the value that follows from its collisions."""
        collided = 1 - (1 - tau) ** (stations - 1)
        doubled = sum((2 * collided) ** stage for stage in range(stages))
        return tau - 2 / (1 + window + collided * window * doubled)

    return _throughput(stations, _root(excess), payload)


def best_window(stations: int, windows: Sequence[float] = WINDOWS) -> float:
    """Return the window, in slots, with the maximum throughput.

    Args:
        stations: Number of stations.
        windows: Windows to choose from.

    Raises:
        ValueError: There is no station.
    """
    if stations < 1:
        raise ValueError(f"{stations} stations: at least one is required")
    return max(windows, key=lambda window: _throughput(stations, 2 / (window + 1), PAYLOAD))


def _throughput(stations: int, tau: float, payload: int) -> float:
    idle = (1 - tau) ** stations
    success = stations * tau * (1 - tau) ** (stations - 1)
    mean_us = idle * SLOT_US + success * SUCCESS_US + (1 - idle - success) * COLLISION_US
    return 8 * payload * success / mean_us


def _root(function: Callable[[float], float]) -> float:
    """Return the zero of a function that grows from below 0 at 0 to above 0 at 1, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return low
