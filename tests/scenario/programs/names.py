# SPDX-License-Identifier: GPL-2.0-only
"""A scenario with names of nodes and of elements of observations and actions."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("names", duration="1s")
sim.parameter("flat", False, help="Observe the queue alone.")
sim.parameter("delayed", False, help="Observe a delay that is out of bounds after an action.")


@sim.episode
def build(p):
    client, server = sc.nodes(2, internet=True, names=["client", "wrong"])
    server.name = "server"
    sc.nodes(1)
    assert repr(client) == "<node 0 ('client')>"
    assert client.name == "client"
    queue = sc.Box(0, [10, 1], (2,), element_names=["packets", "delay"])
    flags = sc.MultiBinary(2, element_names=["red", "blue"])
    seen = queue if p.flat else sc.Dict({"queue": queue, "flags": flags})
    actions = sc.MultiDiscrete([3, 2], element_names=["rate", "burst"])
    agent = sc.Agent(client, seen, actions, StepInterval="100ms")
    last = {"kind": "", "doubled": [0.0]}
    delay = [0.5]

    @agent.observe
    def observe():
        agent.reward = 1
        now = [0, delay[0]]
        return now if p.flat else {"queue": now, "flags": [0, 1]}

    @agent.info
    def info():
        return last

    actor = sc.Action(server)
    sc.point_to_point(client, server)
    sc.connect(agent, actor, over="udp")

    @actor.on_action
    def act(sender, action):
        last["kind"] = f"{type(action).__name__} {action.dtype} {action.shape}"
        last["doubled"] = 2 * action
        if p.delayed:
            delay[0] = 5


if __name__ == "__main__":
    sim.main()
