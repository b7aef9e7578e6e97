# SPDX-License-Identifier: GPL-2.0-only
"""Two hosts with real programs, whose outputs and statuses are infos."""

import defiance_zoo.scenario as sc

sim = sc.Simulation("hosts", duration="2s", realtime=True)
sim.parameter("delay", sc.Time("10ms"), range=("0s", "1s"), help="One-way delay of the link.")
sim.parameter("rate", sc.DataRate("10Mbps"), range=("1kbps", "1Gbps"), help="Of the link.")
sim.parameter("service", "", help="Runs in the server; empty: nothing does.")
sim.parameter("command", "", help="Runs in the client; {server} is the server's address.")
sim.parameter("check", True, help="Whether the command must succeed.")
sim.parameter("kill_at", 0.0, range=(0.0, 100.0), help="Kill the command then; 0: never.")


@sim.episode
def build(p):
    a, b = sc.nodes(2, internet=True)
    sc.point_to_point(a, b, rate=p.rate, delay=p.delay)
    client, server = sc.host(a, "client"), sc.host(b, "server")
    sc.route_globally()
    if p.service:
        server.run(p.service)
    program = client.run(p.command.format(server=server.address), check=p.check)
    if p.kill_at:
        sc.at(p.kill_at, program.kill)
    agent = sc.Agent(a, sc.Box(0, 1, (1,)), sc.Discrete(2), StepInterval="100ms")

    @agent.observe
    def observe():
        agent.reward = 1
        return [0.5]

    @agent.info
    def info():
        status = program.status
        return {"output": program.output, "status": "running" if status is None else str(status)}


if __name__ == "__main__":
    sim.main()
