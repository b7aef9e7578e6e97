# SPDX-License-Identifier: GPL-2.0-only
"""Two LTE cells with users between them; prints all their measurements as JSON."""

import json

import defiance_zoo.scenario as sc

sim = sc.Simulation("lte", duration="4s")
sim.parameter("users", "60,400", help="How far each user is to the east of cell 0, in m.")
sim.parameter("distance", 500.0, range=(100.0, 1e6), help="Between the cells in m.")
sim.parameter("blocks", 25, range=(1, 100))
sim.parameter("exponent", 2.0, range=(2.0, 6.0))
sim.parameter("report_filter", 4, range=(0, 19))
sim.parameter("rate", sc.DataRate("1Mbps"), range=("1kbps", "50Mbps"), help="To each user.")
sim.parameter("algorithm", "ns3::A3RsrpHandoverAlgorithm")
sim.parameter("scheduler", "ns3::PfFfMacScheduler")
sim.parameter("guaranteed", sc.DataRate("0bps"), range=("0bps", "50Mbps"), help="To user 0.")
sim.parameter("orders", "", help="Calls by time in s: '1:cells[0].sleep();2:...'.")


@sim.episode
def build(p):
    places = [float(each) for each in p.users.split(",")]
    cells, users = sc.nodes(2), sc.nodes(len(places), internet=True)
    sc.place(cells, [(0, 0), (p.distance, 0)])
    sc.place(users, [(each, 0) for each in places])
    lte = sc.lte(
        cells,
        users,
        resource_blocks=p.blocks,
        path_loss_exponent=p.exponent,
        algorithm=p.algorithm,
        scheduler=p.scheduler,
        report_filter=p.report_filter,
    )
    if p.guaranteed.bps:
        lte.add_bearer(lte.users[0], 9, rate=p.guaranteed)
    received = []
    reports = [0] * len(users)

    @lte.on_report
    def count(user, report):
        reports[user.number] += 1
        assert report == user.report

    for user in users:
        sink = user.add("ns3::PacketSink", Protocol="ns3::UdpSocketFactory", Local=("0.0.0.0", 9))
        received.append(sink.count("Rx"))
        lte.gateway.add(
            "ns3::UdpClient",
            Remote=(user.address(), 9),
            Interval=sc.Time(4000 / p.rate.bps),
            PacketSize=500,
            MaxPackets=0,
        )
    for order in filter(None, p.orders.split(";")):
        time, _, act = order.partition(":")
        sc.at(float(time), lambda act=act: exec(act, {"sc": sc, **vars(lte), "lte": lte}))

    @sc.every("100ms")
    def tell():
        print(
            json.dumps(
                {
                    "time": sc.now().seconds,
                    "cells": [
                        {"energy": c.energy, "busy": c.busy, "users": len(c.users)}
                        for c in lte.cells
                    ],
                    "users": [
                        {
                            "cell": None if u.cell is None else u.cell.number,
                            "sinr": u.sinr,
                            "rsrp": u.rsrp,
                            "report": u.report,
                            "reports": reports[u.number],
                            "handovers": u.handovers,
                            "failures": u.failures,
                            "bytes": each.bytes,
                        }
                        for u, each in zip(lte.users, received, strict=True)
                    ],
                }
            )
        )
