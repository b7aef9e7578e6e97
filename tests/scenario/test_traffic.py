# SPDX-License-Identifier: GPL-2.0-only
"""Traffic has its rate and its shares, loses and orders packets, and refuses invalid arguments."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scenario_files import RUNNER, play_file

import defiance_zoo.scenario as sc

PROGRAM = Path(__file__).with_name("programs") / "traffic.py"
ON_DEMAND = PROGRAM.with_name("on_demand.py")
SECONDS, BYTES = 19.9, 1000


def play(*arguments: str) -> tuple[sc.PathCounts, sc.PathCounts, list[float]]:
    """Return the counts of both paths, and the counts of delivered packets."""
    first, second, rest = (
        [float(each) for each in line.split()] for line in play_file(PROGRAM, *arguments)
    )
    return sc.PathCounts(*first), sc.PathCounts(*second), rest


@pytest.mark.parametrize(
    ("pattern", "bits", "within"),
    [
        ("constant", 1e6, 0.001),
        ("poisson", 1e6, 0.1),
        ("on-off", 0.25e6, 0.25),
        ("saturated", 10e6 * BYTES / (BYTES + 30), 0.001),
    ],
)
def test_traffic_has_the_configured_rate(pattern: str, bits: float, within: float) -> None:
    """On-off traffic is on for a quarter of the time; saturated traffic fills a link."""
    first, second, (delivered, size, delay, late) = play(f"--pattern={pattern}")
    assert 8 * first.arrived_bytes / SECONDS == pytest.approx(bits, rel=within)
    assert second.sent == late == first.lost == 0
    assert (delivered, size, delay) == (first.arrived, first.arrived_bytes, first.delay)


@pytest.mark.parametrize(("size", "rate"), [(100, 1e5), (12_000, 3e6)])
def test_the_smallest_and_largest_mean_sizes_keep_the_rate(size: int, rate: float) -> None:
    first, *_ = play("--pattern=poisson", f"--size={size}", f"--rate={rate:.0f}bps")
    assert 8 * first.sent_bytes / SECONDS == pytest.approx(rate, rel=0.1)
    assert first.sent_bytes / first.sent == pytest.approx(size, rel=0.1)


def test_flows_to_one_node_have_a_port_each() -> None:
    *_, first, second, third = play_file(PROGRAM, "--more=2", "--pattern=constant")
    assert float(first.split()[0]) > 2000
    assert {float(second), float(third)} == {float(first.split()[0])}


def test_saturated_traffic_keeps_a_window_on_the_path() -> None:
    first, *_ = play("--pattern=saturated")
    assert first.sent - first.arrived == 20


@pytest.mark.parametrize("share", [0.0, 0.3, 0.75, 1.0])
def test_packets_are_split_by_the_share(share: float) -> None:
    first, second, _ = play("--paths=2", f"--share={share}")
    sent = first.sent + second.sent
    assert first.sent == pytest.approx(share * sent, abs=0.5)


def test_packets_draw_their_path_by_the_share_of_a_poisson_process() -> None:
    first, second, _ = play("--paths=2", "--share=0.3", "--pattern=poisson")
    assert first.sent / (first.sent + second.sent) == pytest.approx(0.3, abs=0.03)


def test_packets_wait_for_lost_ones_until_the_timeout() -> None:
    """A fifth of the packets is lost; others wait 100 ms if one of the last hundred is."""
    first, _, (delivered, _, delay, late) = play("--loss=0.2", "--rate=8Mbps")
    assert first.lost / first.sent == pytest.approx(0.2, abs=0.01)
    assert first.sent - first.arrived - first.lost <= 3  # in flight
    assert 0.95 < delivered / first.arrived <= 1
    assert late == 0
    assert delay / delivered - first.delay / first.arrived == pytest.approx(0.1, rel=0.05)


def test_packets_that_arrive_after_the_timeout_are_late() -> None:
    """Packets alternate; over the second path they take 8.6 ms longer than over the first one."""
    given = ("--paths=2", "--share=0.5", "--rate=8Mbps")
    _, second, (delivered, *_, late) = play(*given, "--timeout=2ms")
    assert late == second.arrived == pytest.approx(delivered / 2, abs=10)
    *_, (_, _, _, late) = play(*given)
    assert late == 0


def test_packets_on_demand_are_sent_by_call_and_report_their_delivery() -> None:
    """Each packet has 30 bytes of headers, takes 1 ms, and is sent when the last one arrives."""
    counts, times = play_file(ON_DEMAND)
    assert [float(each) for each in counts.split()] == [5, 4 * 500 + 1000]
    duration = 8 * 530 / 8e6 + 0.001
    arrivals = [0.1 + number * duration for number in (1, 2, 3, 4)]
    assert [float(each) for each in times.split()] == pytest.approx(arrivals, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--size=16"], "17 to 60000 bytes, not 16"),
        (["--size=-1"], "17 to 60000 bytes, not -1"),
        (["--size=60001"], "17 to 60000 bytes, not 60001"),
        (["--pattern=constant"], "needs traffic with pattern='on-demand', not 'constant'"),
        (["--early=true"], "from the start of the simulation on"),
    ],
)
def test_packets_on_demand_that_cannot_be_sent_are_refused(
    arguments: list[str], words: str
) -> None:
    assert words in refusal(ON_DEMAND, arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pattern=poison"], "pattern='poison' is not one of"),
        (["--paths=0"], "one path or two, not paths=[]"),
        (["--paths=3"], "one path or two, not paths="),
        (["--share=0.5"], "share=0.5 of packets on the first path leaves some without a path"),
        (["--paths=2", "--share=1.5"], "Share"),
        (["--pattern=poisson", "--size=99"], "have a mean from 100 to 12,000 bytes"),
        (["--pattern=poisson", "--size=12001"], "have a mean from 100 to 12,000 bytes"),
        (["--rate=0bps"], "more than 0 bit/s"),
        (["--to=link"], "addresses of the receiver, such as link.addresses[1]"),
        (["--to=10.0.0.77"], "node 1 needs its IPv4 address, which other nodes reach, and not 10."),
        (["--to=127.0.0.1"], "node 1 needs its IPv4 address, which other nodes reach, and not 127"),
        (["--to=fe80::1"], "node 1 needs its IPv4 address, which other nodes reach, and not [fe80"),
        (["--more=2", "--port=9"], "port=9: other traffic to <node 1> uses this port"),
    ],
)
def test_invalid_arguments_are_refused(arguments: list[str], words: str) -> None:
    assert words in refusal(PROGRAM, arguments)


def refusal(program: Path, arguments: list[str]) -> str:
    """Return the error output of a program that fails."""
    done = subprocess.run(
        [sys.executable, RUNNER, program, *arguments],
        check=False,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode != 0
    return done.stderr
