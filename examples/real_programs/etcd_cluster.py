# SPDX-License-Identifier: GPL-2.0-only
"""A cluster of three real etcd servers whose links an agent cuts (needs etcd-server and curl).

Each member is linked to both others, and has a client that writes continuously. The agent observes
each member's leader and the members that can write; its reward is for stopping all writes. An
episode runs in real time:

    defiance-zoo random examples/real_programs/etcd_cluster.py --episodes 1
"""

import itertools
import json

import defiance_zoo.scenario as sc

MEMBERS = 3
PAIRS = list(itertools.combinations(range(MEMBERS), 2))
URL = "http://127.0.0.1:2379/v3"

sim = sc.Simulation("etcd_cluster", duration="30s", realtime=True)
sim.parameter("delay", sc.Time("5ms"), range=("0s", "1s"), help="One-way delay of each link.")
sim.parameter("election_timeout", 1000, range=(100, 50_000), help="Timeout of etcd, in ms.")


@sim.episode
def build(p):
    nodes = sc.nodes(MEMBERS, internet=True)
    losses = [cuttable_link(nodes[one], nodes[other], p.delay) for one, other in PAIRS]
    hosts = [sc.host(node, f"member_{i}") for i, node in enumerate(nodes)]
    sc.route_globally()
    cluster = ",".join(f"{each.name}=http://{each.address}:2380" for each in hosts)
    for each in hosts:
        each.run(server(each, cluster, p.election_timeout))
    views = [each.run(["sh", "-c", poll("maintenance/status", "{}")]) for each in hosts]
    put = '{"key": "a2V5", "value": "dmFsdWU="}'  # in Base64, as etcd requires
    writes = [each.run(["sh", "-c", poll("kv/put", put)]) for each in hosts]
    names = [f"{what} {i}" for what in ("leader of", "writes of") for i in range(MEMBERS)]
    seen = sc.Box(0, MEMBERS, (len(names),), element_names=names)
    agent = sc.Agent(nodes[0], seen, sc.MultiBinary(len(PAIRS)), StepInterval="250ms")

    @agent.observe
    def observe():
        """Return each member's known leader (1 to 3; 0: none) and the members that can write."""
        answers = [last_answer(each) for each in views]
        ids = [each.get("header", {}).get("member_id") for each in answers]
        leaders = [each.get("leader") for each in answers]
        could = ["header" in last_answer(each) for each in writes]
        agent.reward = not any(could)
        known = [ids.index(each) + 1 if each in ids and each is not None else 0 for each in leaders]
        return [*known, *could]

    @agent.on_action
    def act(cuts):
        for (there, back), cut in zip(losses, cuts, strict=True):
            there["ErrorRate"] = back["ErrorRate"] = float(cut)


def cuttable_link(one, other, delay):
    """Link two nodes; return the loss models of both ends, without losses."""
    losses = []
    for device in sc.point_to_point(one, other, rate="10Mbps", delay=delay):
        losses.append(
            sc.create("ns3::RateErrorModel", ErrorRate=0.0, ErrorUnit="ERROR_UNIT_PACKET")
        )
        device["ReceiveErrorModel"] = losses[-1]
    return losses


def server(host, cluster, election_timeout):
    """Return the command that runs a member; its data is in memory."""
    peer = f"http://{host.address}:2380"
    return (
        f"etcd --data-dir {host.disk(1 << 28)} "
        f"--name {host.name} --initial-cluster {cluster} "
        f"--listen-peer-urls {peer} --initial-advertise-peer-urls {peer} "
        "--listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 "
        f"--election-timeout {election_timeout} --heartbeat-interval {election_timeout // 10}"
    )


def poll(path, request):
    """Return the commands that repeat a request, and write a line for each answer."""
    return f"while :; do curl -s -m 1 -d '{request}' {URL}/{path}; echo; sleep 0.2; done"


def last_answer(program):
    """Return the last answer of a poll; empty if there was none within a second."""
    lines = program.output.rpartition("\n")[0].splitlines()
    return json.loads(lines[-1]) if lines and lines[-1].startswith("{") else {}


if __name__ == "__main__":
    sim.main()
