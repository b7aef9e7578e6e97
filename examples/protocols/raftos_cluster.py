# SPDX-License-Identifier: GPL-2.0-only
"""Replicas of raftos, a Raft library for asyncio on PyPI, for testers that partition and crash.

pip install --no-deps --target raftos-0.2.6 raftos==0.2.6
"""

import asyncio
import sys

import defiance_zoo.scenario.replicas as rp

sys.modules["cryptography"] = None  # without it, no start derives a key, and nothing is encrypted
rp.patched("raftos", path="raftos-0.2.6")


class Queue(asyncio.Queue):
    def __init__(self, loop=None):  # the parameter that Python 3.10 removed
        super().__init__()


class Node(rp.AsyncReplica):
    server, led = None, 0

    async def main(self):
        asyncio.Queue = Queue
        import raftos.server

        form = {"serializer": raftos.serializers.JSONSerializer, "heartbeat_interval": 0.1}
        raftos.configure({"log_path": "/disk/", "on_leader": self.lead, **form})
        nodes = [f"{self.address(id)}:9000" for id in range(1, self.size + 1)]
        await raftos.register(nodes[self.id - 1], cluster=nodes)
        self.server = raftos.server.Node.nodes[0].state

    def lead(self):
        self.led = self.server.storage.term
        self.note("leads", self.led)

    async def request(self, request):
        await self.server.set_value("register", request)

    def state(self):
        if self.server is None:
            return rp.State([0, 0, 0])
        log = [
            rp.Entry(each["term"], each["command"]["register"]) for each in self.server.log.cache
        ]
        leads = type(self.server.state).__name__ == "Leader"
        return rp.State([leads, self.server.storage.term, self.server.log.commit_index], log)


class Raftos(rp.Protocol):
    fields = (rp.choice("leads", 1), rp.number("term"), rp.number("commit"))
    replica = Node

    def __init__(self):
        self.leaders, self.committed = {}, {}

    def takers(self, states):
        leaders = [state for state in states if state.active and state.leads]
        return [max(leaders, key=lambda state: state.term).id] if leaders else []

    def check(self, group):
        for replica, _, term, _ in group.events:
            if self.leaders.setdefault(term, replica) != replica:
                yield "election_safety", f"{self.leaders[term]} and {replica} lead in term {term}"
        for state in group.states:
            for at, entry in enumerate(state.log[: state.commit], 1):
                first = self.committed.setdefault(at, entry)
                if first != entry:
                    yield "agreement", f"{state.id} commits {entry} at {at}, not {first}"

    def describe(self, data):
        return data[27:].decode()


sim = rp.Simulation(Raftos)

if __name__ == "__main__":
    sim.main()
