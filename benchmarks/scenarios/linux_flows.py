# SPDX-License-Identifier: GPL-2.0-only
"""The dumbbell of tcp_congestion_v0 with Linux's TCP: iperf3 in a host at each end."""

from pathlib import Path

import defiance_zoo.scenario as sc

OFFERED = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()

sim = sc.Simulation("linux_flows", duration="120s", realtime=True)
sim.parameter(
    "algorithm",
    OFFERED[0],
    choices=OFFERED,
    help="The senders' congestion control, one of this machine's kernel.",
)
sim.parameter("flows", 1, range=(1, 10), help="Number of flows.")
sim.parameter("bottleneck_rate", sc.DataRate("10Mbps"), range=("64kbps", "1Gbps"), help="Capacity.")
sim.parameter("bottleneck_delay", sc.Time("10ms"), range=("0s", "1s"), help="Its one-way delay.")
sim.parameter("buffer", 33, range=(1, 100_000), help="Size of the bottleneck's queue, in packets.")
sim.parameter("seconds", 20.0, range=(0.5, 100.0), help="Duration of flows.")
sim.parameter("runner", "", help="Command that runs iperf3, such as `chrt --rr 1`.")


@sim.episode
def build(p):
    left, right = sc.nodes(2, internet=True)
    bottleneck = sc.point_to_point(
        left, right, rate=p.bottleneck_rate, delay=p.bottleneck_delay, queue="100p"
    )
    bottleneck[0]["TxQueue"]["MaxSize"] = "1p"
    sc.queue_disc(bottleneck[0], "ns3::FifoQueueDisc", MaxSize=f"{p.buffer}p")
    pairs = [
        (add_host(left, f"sender_{i}"), add_host(right, f"receiver_{i}")) for i in range(p.flows)
    ]
    sc.route_globally()
    servers = [receiver.run(f"{p.runner} iperf3 --server --forceflush") for _, receiver in pairs]
    clients = []

    @sc.every("100ms")
    def proceed():
        if not clients and all("listening" in each.output for each in servers):
            clients.extend(sender.run(command(receiver)) for sender, receiver in pairs)
        if clients and all(each.status == 0 for each in clients):
            sc.stop()

    def command(receiver):
        return (
            f"{p.runner} iperf3 --json --interval 0.1 --time {p.seconds} "
            f"--congestion {p.algorithm} --client {receiver.address}"
        )

    agent = sc.Agent(left, sc.Box(0, 1, (1,)), sc.Discrete(1), StepInterval="100ms")
    agent.observe(lambda: [0])
    agent.on_action(lambda _: None)

    @agent.info
    def info():
        return {f"report_{i}": each.output for i, each in enumerate(clients)}


def add_host(router, name):
    """Add a host that is linked like senders and receivers of tcp_congestion_v0."""
    (node,) = sc.nodes(1, internet=True)
    sc.point_to_point(node, router, rate="100Mbps", delay="5ms")
    return sc.host(node, name)


if __name__ == "__main__":
    sim.main()
