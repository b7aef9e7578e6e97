# SPDX-License-Identifier: GPL-2.0-only
"""The dumbbell of `tcp_congestion` in real time, with a QUIC sender and a receiver as hosts.

The agent decides nothing. After the sender's end, its infos hold the sender's report. The receiver
is killed at the end of the episode, since the packet that closes the connection may be lost.
"""

from __future__ import annotations

import sys
from typing import Any

import defiance_zoo.scenario as sc

PROGRAMS = "defiance_zoo.experiments.real_paths"
READY = "ready"  # the sender writes it
PACKET = 1500

sim = sc.Simulation("real_path", duration="1h", realtime=True)
sim.parameter(
    "bottleneck_rate", sc.DataRate("10Mbps"), range=("100kbps", "1Gbps"), help="Its capacity."
)
sim.parameter(
    "bottleneck_delay", sc.Time("10ms"), range=("0s", "1s"), help="One-way delay of the bottleneck."
)
sim.parameter(
    "buffer", 0, range=(0, 1_000_000), help="Packets in the bottleneck's queue; 0: one product."
)
sim.parameter(
    "leaf_rate",
    sc.DataRate("100Mbps"),
    range=("100kbps", "10Gbps"),
    help="Data rate of the hosts' links.",
)
sim.parameter(
    "leaf_delay", sc.Time("5ms"), range=("0s", "1s"), help="One-way delay of the hosts' links."
)
sim.parameter("decider", "trained", help="Decider of the sender's window.")
sim.parameter("seconds", 10.0, range=(0.1, 3600.0), help="Seconds for which the sender sends.")
sim.parameter("interval", 0.1, range=(0.001, 10.0), help="Seconds between two decisions.")


@sim.episode
def build(p: Any) -> None:
    """Build the dumbbell, start the sender, and start the receiver when the sender is ready."""
    left, near, far, right = sc.nodes(4, internet=True)
    sc.point_to_point(left, near, rate=p.leaf_rate, delay=p.leaf_delay)
    bottleneck = sc.point_to_point(
        near, far, rate=p.bottleneck_rate, delay=p.bottleneck_delay, queue="1p"
    )
    round_trip = 2 * (2 * p.leaf_delay.seconds + p.bottleneck_delay.seconds)
    product = int(p.bottleneck_rate.bps * round_trip / (8 * PACKET))
    buffer = p.buffer or max(10, product)
    sc.queue_disc(bottleneck[0], "ns3::FifoQueueDisc", MaxSize=f"{buffer}p")
    sc.point_to_point(far, right, rate=p.leaf_rate, delay=p.leaf_delay)
    here, there = sc.host(left, "sender"), sc.host(right, "receiver")
    sc.route_globally()
    python = [sys.executable, "-m"]
    sender = here.run([*python, f"{PROGRAMS}.sender", p.decider, str(p.seconds), str(p.interval)])
    receivers: list[Any] = []
    agent = sc.Agent(left, sc.Box(0, 1, (1,)), sc.Discrete(1), StepInterval="100ms")

    @agent.observe
    def observe() -> list[float]:
        agent.reward = 0
        if not receivers and READY in sender.output:
            receivers.append(there.run([*python, f"{PROGRAMS}.receiver", here.address]))
        return [float(bool(receivers))]

    @agent.on_action
    def act(_nothing: int) -> None:
        pass

    @agent.info
    def info() -> dict[str, Any]:
        ended = sender.status == 0
        return {"started": bool(receivers), "sender": sender.output if ended else ""}


if __name__ == "__main__":
    sim.main()
