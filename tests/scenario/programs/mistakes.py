# SPDX-License-Identifier: GPL-2.0-only
"""Mistakes of scenarios, one at a time."""

import os
import sys

import numpy as np

import defiance_zoo.scenario as sc

WHERE = ["nowhere", "build", "observation", "action", "event", "info", "trace", "shape"]
WHERE += ["attribute", "value", "type", "source", "signature", "parameter", "past"]
WHERE += ["refuse", "exit", "abort", "returned"]
WHERE += ["text", "arguments", "leave"]

sim = sc.Simulation("mistakes", duration="1s")
sim.parameter(
    "where",
    "nowhere",
    choices=WHERE,
    help="Where the mistake is.",
)


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    link = sc.point_to_point(a, b)
    observer, actor = sc.Observation(a), sc.Action(a)
    agent = sc.Agent(b, sc.Box(0, 1, (2,)), sc.Discrete(2))

    @observer.every("0.1s")
    def observe():
        wrong = {"shape": [0.5], "text": ["a", "b"]}
        if p.where == "leave":
            sys.exit(3)
        return wrong.get(p.where, [0.5, 0.25])

    @agent.on_observation
    def decide(sender, message):
        fail_if("observation")
        agent.decide(message["observation"])

    @agent.info
    def info():
        fail_if("info")
        return ["pid"] if p.where == "returned" else {"pid": os.getpid(), "number": np.int64(7)}

    @actor.on_action
    def act(sender, action):
        fail_if("action")

    def fail_if(where):
        if p.where == where:
            raise ArithmeticError(f"a mistake in {where}")

    fail_if("build")
    sc.after("0.35s", lambda: fail_if("event"))
    link[0].trace("MacTx", lambda packet: fail_if("trace"))
    sc.connect(observer, agent, over="udp")
    sc.connect(agent, actor, over="udp")
    mistakes = {
        "attribute": lambda: link[0]["DataRata"],
        "value": lambda: link[0].__setitem__("Mtu", "many"),
        "type": lambda: a.add("ns3::OnOfApplication"),
        "source": lambda: link[0].trace("MacTxx"),
        "signature": lambda: link.channel.trace("TxRxPointToPoint"),
        "parameter": lambda: p.were,
        "refuse": lambda: sc.refuse("where=refuse is refused"),
        "exit": lambda: os._exit(3),
        "abort": lambda: sc.pcap("/proc/none", link),
        "arguments": lambda: sc.after("0.1s", lambda when: None),
        "past": lambda: sc.at("-1s", print),
    }
    mistakes.get(p.where, lambda: None)()
