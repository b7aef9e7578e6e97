# SPDX-License-Identifier: GPL-2.0-only
"""Mininet's custom/topo-2sw-2host.py: a host on each of two switches."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("two_switches", duration="2s")


@sim.episode
def build(p):
    topology = sc.Topology()
    left_host, right_host = topology.add_host("h1"), topology.add_host("h2")
    left_switch, right_switch = topology.add_switch("s3"), topology.add_switch("s4")
    topology.add_link(left_host, left_switch)
    topology.add_link(left_switch, right_switch)
    topology.add_link(right_switch, right_host)
    topology.start()
