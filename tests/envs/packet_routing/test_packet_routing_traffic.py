# SPDX-License-Identifier: GPL-2.0-only
"""The traffic of packet_routing: when packets enter, their destinations, their sizes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from routing_support import PlayedEpisode, play

from defiance_zoo.envs.packet_routing import packet_routing_v0
from defiance_zoo.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:no agent decided")

# No decision matters: the only agent decides once in an epoch longer than the episode.
QUIET: dict[str, Any] = {
    "topology": "grid:2x2",
    "controlled": "r0",
    "decisions": "epoch",
    "interval": "100s",
    "link_rate": "1Gbps",
    "link_delay": "0ms",
    "duration": "20s",
    "packet_rate": 500,
}


def entered(**arguments: Any) -> PlayedEpisode:
    return play("shortest_paths", **{**QUIET, **arguments})


def counts(played: PlayedEpisode, *, window: float, duration: float = 20) -> np.ndarray:
    """Return the number of packets that entered in each window."""
    times = played.packets[:, 3] / 1e9
    return np.histogram(times, bins=round(duration / window), range=(0, duration))[0]


def test_packets_enter_as_a_poisson_process() -> None:
    played = entered()
    gaps = np.diff(np.sort(played.packets[:, 3])) / 1e9
    assert gaps.mean() == pytest.approx(1 / 500, rel=0.05)
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.05)
    per_window = counts(played, window=0.1)
    assert per_window.var() == pytest.approx(per_window.mean(), rel=0.3)


def test_on_off_traffic_has_the_same_mean_and_comes_in_bursts() -> None:
    played = entered(traffic="on-off", on_time="100ms", off_time="300ms", matrix="r0>r1:1")
    assert len(played.packets) == pytest.approx(500 * 20, rel=0.2)
    assert counts(played, window=0.02).var() > 5 * 500 * 0.02


def test_traffic_changes_over_the_day() -> None:
    played = entered(day="20s", day_amplitude=0.8)
    per_window = counts(played, window=1.0)
    expected = 500 * (1 + 0.8 * np.sin(2 * math.pi * (np.arange(20) + 0.5) / 20))
    assert np.abs(per_window - expected).max() < 6 * math.sqrt(900)
    assert len(played.packets) == pytest.approx(500 * 20, rel=0.05)


def test_noon_is_earlier_in_the_east() -> None:
    text = "node w -90 0; node e 90 0; link w e"
    played = entered(topology=text, controlled="w", day="20s", day_amplitude=1.0)
    west = played.packets[played.packets[:, 1] == 0, 3].mean() / 1e9
    east = played.packets[played.packets[:, 1] == 1, 3].mean() / 1e9
    # 1 - cos(x) and 1 + cos(x) over one period: both have their mean in the middle of the day,
    # where one has its maximum, and the other its minimum.
    spread = [played.packets[played.packets[:, 1] == r, 3].std() / 1e9 for r in (0, 1)]
    assert west == pytest.approx(east, abs=0.5)
    assert spread[0] < 4.5 < 6.5 < spread[1]


def pairs(played: PlayedEpisode) -> dict[tuple[int, int], float]:
    found, numbers = np.unique(played.packets[:, 1:3].astype(int), axis=0, return_counts=True)
    return {
        (int(a), int(b)): float(share)
        for (a, b), share in zip(found, numbers / numbers.sum(), strict=True)
    }


def test_matrices_of_traffic_are_read(tmp_path: Path) -> None:
    assert pairs(entered()) == pytest.approx(
        {(a, b): 1 / 12 for a in range(4) for b in range(4) if a != b}, abs=0.02
    )
    given = pairs(entered(matrix="r0>r1:3,r2>r3:1"))
    assert given == pytest.approx({(0, 1): 0.75, (2, 3): 0.25}, abs=0.02)
    path = tmp_path / "matrix.txt"
    path.write_text("# of four\n9 3 0 0\n0 0 0 0\n0 0 0 1\n\n0 0 0 0\n")
    assert pairs(entered(matrix=str(path))) == given


def test_gravity_is_a_product_of_weights() -> None:
    one, again, other = (pairs(entered(matrix="gravity", matrix_seed=s)) for s in (1, 1, 2))
    assert one == again != other
    ratio = [one[0, 2] / one[0, 3], one[1, 2] / one[1, 3]]
    assert ratio[0] == pytest.approx(ratio[1], rel=0.25)
    assert max(one.values()) > 1.5 / 12


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2\n3 4\n", "has 2 weights in its line 1, where there are 4 routers"),
        ("0 1 1 1\n1 0 1 1\n", "has 2 lines, but there are 4 routers"),
        ("0 1 x 1\n", "has a word that is not a number"),
        ("0 0 0 0\n" * 4, "has no weight above 0 between two routers"),
    ],
)
def test_bad_matrices_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "matrix.txt"
    path.write_text(text)
    env = packet_routing_v0.raw_env(topology="grid:2x2", matrix=str(path))
    with pytest.raises(ParameterError, match=message):
        env.reset(seed=1)
    env.close()


def test_generated_packets_do_not_depend_on_routing() -> None:
    given = {"topology": "grid:2x2", "packet_rate": 100, "duration": "1s", "hop_limit": 4}
    one = play("shortest_paths", **given)
    other = play(lambda *_: 1, **given)
    by_number = {packet[0]: tuple(packet[1:4]) for packet in one.packets}
    assert len(other.packets) > 10
    assert all(by_number[packet[0]] == tuple(packet[1:4]) for packet in other.packets)


def test_packet_sizes_have_the_configured_distribution() -> None:
    """At 1 Mb/s a byte takes 8 us."""
    given = {
        "topology": "grid:1x2",
        "matrix": "r0>r1:1",
        "link_rate": "1Mbps",
        "packet_rate": 2,
        "duration": "500s",
        "interval": "100s",
    }
    constant = entered(packet_sizes="constant", packet_size=500, **given)
    assert np.median(constant.delays) == pytest.approx(0.004, abs=1e-9)
    drawn = entered(**given)
    sizes = drawn.delays / 8e-6  # hardly any packet waits
    assert sizes.mean() == pytest.approx(1000, rel=0.1)
    assert np.quantile(sizes, 0.9) == pytest.approx(2303, rel=0.15)
