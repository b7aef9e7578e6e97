# SPDX-License-Identifier: GPL-2.0-only
"""Echoes across a topology; prints the round trip time in ms and the result of each."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("mininet", duration="20s")
sim.parameter("topology", "single", choices=["single", "linear", "tree"])
sim.parameter("loss", 0.0, range=(0.0, 100.0))


@sim.episode
def build(p):
    link = {"bw": 10, "delay": "5ms", "loss": p.loss}
    if p.topology == "single":
        hosts = sc.single(4, **link)
    elif p.topology == "linear":
        hosts = sc.linear(4, **link)
    else:
        hosts = sc.tree(depth=2, fanout=3, **link)
    server, client = hosts[0], hosts[-1]
    server.add("ns3::UdpEchoServer", Port=9)
    echo = client.add("ns3::UdpEchoClient", Remote=(server.address(), 9), MaxPackets=10)
    echo["Interval"] = "1s"
    echo.run("1s")
    sent = []
    echo.trace("Tx", lambda packet: sent.append(sc.now()))
    echo.trace("Rx", lambda packet: print(len(hosts), (sc.now() - sent[-1]).seconds * 1000))
