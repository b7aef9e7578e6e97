# SPDX-License-Identifier: GPL-2.0-only
"""Real programs: a web server, a cluster of etcd whose links are cut, and Linux's TCP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_rights import needs_rights

import defiance_zoo
from defiance_zoo.errors import ParameterError

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "real_programs"
LINUX_FLOWS = str(ROOT / "benchmarks" / "scenarios" / "linux_flows.py")
PAIRS = ((0, 1), (0, 2), (1, 2))
"""The members that each link of the cluster connects."""
ROUND_S = 0.25
pytestmark = [needs_rights, pytest.mark.timeout(120)]


class Cluster:
    """An episode of the cluster."""

    def __init__(self, **parameters: Any) -> None:
        self.env: Any = defiance_zoo.make(
            str(EXAMPLES / "etcd_cluster.py"), api="gymnasium",
            duration="100s", max_lag="10s", **parameters,
        )  # fmt: skip
        self.env.reset(seed=1)
        self.leaders, self.writes = [0, 0, 0], [False] * 3

    def is_whole(self) -> bool:
        """Return whether all members know the same leader and can write."""
        return 0 not in self.leaders and len(set(self.leaders)) == 1 and all(self.writes)

    def wait(self, condition: Callable[[], bool], seconds: float, *, alone: int = -1) -> float:
        """Play until a condition holds, with an isolated member; return how long it took in s."""
        cuts = np.array([alone in pair for pair in PAIRS], np.int8)
        for number in range(1, round(seconds / ROUND_S) + 1):
            observation = self.env.step(cuts)[0]
            self.leaders = [int(each) for each in observation[:3]]
            self.writes = [bool(each) for each in observation[3:]]
            if condition():
                return number * ROUND_S
        pytest.fail(f"not after {seconds} s: leaders {self.leaders}, writes {self.writes}")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A cluster with a leader, where all members can write."""
    made = Cluster()
    try:
        made.wait(made.is_whole, 20)
        yield made
    finally:
        made.env.close()


def test_another_member_leads_when_the_leader_is_isolated(cluster: Cluster) -> None:
    leader = cluster.leaders[0] - 1
    others = [member for member in range(3) if member != leader]

    def lead_without() -> bool:
        chosen = {cluster.leaders[each] for each in others}
        return len(chosen) == 1 and chosen <= {each + 1 for each in others}

    # A follower waits for 1 s to 2 s; once more if both become candidates; a poll takes up to 1 s.
    took = cluster.wait(lead_without, 5, alone=leader)
    assert took > 0.5  # heartbeats arrived until the isolation

    def only_others_write() -> bool:
        return cluster.writes == [member != leader for member in range(3)]

    cluster.wait(lambda: cluster.leaders[leader] == 0 and only_others_write(), 5, alone=leader)
    cluster.wait(cluster.is_whole, 10)


def test_two_members_write_while_a_follower_is_isolated(cluster: Cluster) -> None:
    leader = cluster.leaders[0]
    follower = leader % 3
    cluster.wait(lambda: not cluster.writes[follower], 5, alone=follower)
    others = [member for member in range(3) if member != follower]
    assert [cluster.leaders[each] for each in others] == [leader, leader]
    assert all(cluster.writes[each] for each in others)


def test_a_download_takes_the_time_of_the_rate() -> None:
    env: Any = defiance_zoo.make(
        str(EXAMPLES / "web_download.py"), api="gymnasium", max_lag="10s", duration="20s"
    )
    env.reset(seed=1)
    took = {}
    for level, mbps in ((0, 1.0), (3, 10.0)):
        for _ in range(8):
            took[mbps] = float(env.step(level)[0][0])
    env.close()
    assert took[1.0] > 1.0  # 125,000 bytes
    assert 0.1 < took[10.0] < 0.6


@pytest.mark.parametrize("algorithm", ["reno", "cubic"])
def test_senders_use_the_named_congestion_control(algorithm: str) -> None:
    env: Any = defiance_zoo.make(
        LINUX_FLOWS, api="gymnasium", algorithm=algorithm, flows=2, seconds=1.0, max_lag="10s"
    )
    env.reset(seed=1)
    ended, info = False, {}
    while not ended:
        *_, terminated, truncated, info = env.step(0)
        ended = terminated or truncated
    env.close()
    ends = [json.loads(info[f"report_{flow}"])["end"] for flow in range(2)]
    assert {each["sender_tcp_congestion"] for each in ends} == {algorithm}
    assert all(each["streams"][0]["sender"]["min_rtt"] >= 40_000 for each in ends)  # us
    # Data in queues and buffers arrives after the sender's second.
    assert 5e6 < sum(each["sum_received"]["bits_per_second"] for each in ends) < 10e6


def test_a_congestion_control_missing_in_the_kernel_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"algorithm='nonesuch' is not one of \[.*'reno'"):
        defiance_zoo.make(LINUX_FLOWS, api="gymnasium", algorithm="nonesuch")
