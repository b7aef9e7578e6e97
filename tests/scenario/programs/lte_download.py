# SPDX-License-Identifier: GPL-2.0-only
"""A user of LTE downloads from a server behind the gateway; prints the end in s."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("lte_download", duration="20s")


@sim.episode
def build(p):
    sc.set_default("ns3::TcpSocket::SegmentSize", 1400)
    cell, user = sc.nodes(2)
    (server,) = sc.nodes(1, internet=True)
    sc.place([cell, user], [(0, 0), (50, 0)])
    lte = sc.lte(cell, user, resource_blocks=6)
    link = sc.point_to_point(server, lte.gateway, network="10.1.1.0/24")
    sc.route(server, "7.0.0.0/8", link.addresses[1])
    sc.at(
        "1s",
        lambda: sc.download(server, user, 500_000, lambda: print(sc.now().seconds - 1)),
    )
