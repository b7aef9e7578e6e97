# SPDX-License-Identifier: GPL-2.0-only
"""Downloads over one link; prints the server, the bytes and the end in s of each."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("downloads", duration="500s")
sim.parameter("sizes", "1000000", help="Bytes of each download, with commas between them.")
sim.parameter("rate", sc.DataRate("5Mbps"), range=("1kbps", "1Gbps"))
sim.parameter("delay", sc.Time("20ms"), range=("0s", "1s"))
sim.parameter("capacity", "", help="A file in Mahimahi's format; empty: the rate.")
sim.parameter("persistent", True)
sim.parameter("chained", False, help="Each download is ordered when the one before is done.")
sim.parameter("lost", False, help="No packet arrives.")


@sim.episode
def build(p):
    sc.set_default("ns3::TcpSocket::SegmentSize", 1448)
    server, client = sc.nodes(2, internet=True)
    link = {"rate": p.rate, "delay": p.delay, "loss": float(p.lost)}
    sc.point_to_point(server, client, capacity=p.capacity or None, **link)
    sizes = [int(each) for each in p.sizes.split(",")]

    def order(number):
        def done():
            print(number, sizes[number], sc.now().seconds)
            if p.chained and number + 1 < len(sizes):
                order(number + 1)

        sc.download(server, client, sizes[number], done, persistent=p.persistent)

    for number in range(1 if p.chained else len(sizes)):
        order(number)
