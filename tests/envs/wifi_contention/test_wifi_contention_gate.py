# SPDX-License-Identifier: GPL-2.0-only
"""The gate of wifi_contention_v0: the cell's throughput equals Bianchi's model."""

from __future__ import annotations

import pytest

from benchmarks.zoo.wifi_gate import STANDARD_SETTLING_S, mean_throughput
from benchmarks.zoo.wifi_slots import BIANCHI, Rules, throughput
from defiance_zoo.envs.wifi_contention.bianchi import (
    MAXIMUM,
    WINDOWS,
    best_window,
    fixed_throughput,
    standard_throughput,
)

PUBLISHED = {
    5: 43.0043,
    10: 41.0039,
    15: 39.6294,
    20: 38.5865,
    25: 37.7358,
    30: 37.0116,
    35: 36.3756,
    40: 35.8076,
    45: 35.2909,
    50: 34.8154,
}
"""Mb/s by number of stations that ns-3's wifi-bianchi expects (HeMcs11, 20 MHz, 1500 B, DIFS)."""


def test_the_model_reproduces_published_values() -> None:
    for stations, mbps in PUBLISHED.items():
        assert standard_throughput(stations) == pytest.approx(mbps, abs=0.0005)


def test_the_model_of_one_window_has_its_known_limits() -> None:
    """A single station has no collisions; each number of stations has its best window."""
    assert fixed_throughput(1, 1) == pytest.approx(MAXIMUM)
    assert fixed_throughput(1, 16) == pytest.approx(8 * 1500 / (226.2 + 9 * 15 / 2))
    assert standard_throughput(1) == pytest.approx(fixed_throughput(1, 16))
    assert standard_throughput(7, window=64, stages=0) == pytest.approx(fixed_throughput(7, 64))
    assert [best_window(n) for n in (5, 15, 30, 50)] == [32, 128, 256, 256]
    smaller = fixed_throughput(30, 256, payload=1464)
    assert smaller == pytest.approx(fixed_throughput(30, 256) * 1464 / 1500)
    for refused in (lambda: fixed_throughput(0, 16), lambda: fixed_throughput(5, 0)):
        with pytest.raises(ValueError, match="at least one of each"):
            refused()


@pytest.mark.parametrize(("stations", "window"), [(12, 16), (50, 64), (100, 256)])
def test_the_model_warns_outside_of_its_range(stations: int, window: int) -> None:
    with pytest.warns(UserWarning, match="differ from Bianchi's model by more than 2 %"):
        fixed_throughput(stations, window)


def test_five_stations_with_the_standards_back_off_equal_the_model() -> None:
    assert mean_throughput(5, None, 2.5) == pytest.approx(43.00, rel=0.015)


def test_five_stations_with_one_window_equal_the_model() -> None:
    assert mean_throughput(5, 128, 2) == pytest.approx(fixed_throughput(5, 128), rel=0.02)


@pytest.mark.thorough
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("stations", "mbps", "tolerance", "seconds"),
    [(15, 39.63, 0.015, 4), (50, 34.82, 0.025, 2)],
)
def test_the_standards_back_off_equals_the_model(
    stations: int, mbps: float, tolerance: float, seconds: float
) -> None:
    measured = mean_throughput(stations, None, seconds, settling=STANDARD_SETTLING_S)
    assert measured == pytest.approx(mbps, rel=tolerance)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("stations", "window", "seconds"),
    [
        *(pytest.param(5, window, 2, marks=pytest.mark.long) for window in WINDOWS),
        *(pytest.param(15, window, 1.5, marks=pytest.mark.thorough) for window in (32, 128, 512)),
        pytest.param(50, 256, 1, marks=pytest.mark.thorough),
    ],
)
@pytest.mark.filterwarnings("ignore:.* slots. ns-3's throughput can differ")
def test_fixed_windows_equal_the_model(stations: int, window: int, seconds: float) -> None:
    model = fixed_throughput(stations, window)
    assert mean_throughput(stations, window, seconds) == pytest.approx(model, rel=0.02)


# ---------------------------------------------------------------- effects outside of the model


@pytest.mark.filterwarnings("ignore:.* slots. ns-3's throughput can differ")
@pytest.mark.parametrize(("stations", "window"), [(5, 32), (15, 16), (50, 64)])
def test_a_slotted_cell_equals_the_model(stations: int, window: int) -> None:
    carried = throughput(stations, window, BIANCHI, settling_s=0.1, seconds=4)
    assert carried == pytest.approx(fixed_throughput(stations, window), rel=0.02)


@pytest.mark.filterwarnings("ignore:.* slots. ns-3's throughput can differ")
def test_two_causes_explain_why_small_windows_depart_from_the_model() -> None:
    """The delay after a collision raises throughput; unanswered requests do not."""
    model = fixed_throughput(15, 16)
    late = throughput(15, 16, Rules(agreements=False), settling_s=0.1, seconds=4)
    assert 1.05 * model < late < 1.12 * model
    assert throughput(15, 16, Rules(), settling_s=0.2, seconds=4) == pytest.approx(late, rel=0.03)
    asking = throughput(50, 32, Rules(), settling_s=0.2, seconds=4)
    assert asking < 0.92 * fixed_throughput(50, 32)
    assert asking < 0.85 * throughput(50, 32, Rules(agreements=False), settling_s=0.2, seconds=4)


@pytest.mark.thorough
@pytest.mark.timeout(300)
def test_a_slotted_cell_carries_as_much_as_ns3s() -> None:
    expected = throughput(15, 16, Rules(), settling_s=0.2, seconds=6)
    assert mean_throughput(15, 16, 2) == pytest.approx(expected, rel=0.03)
