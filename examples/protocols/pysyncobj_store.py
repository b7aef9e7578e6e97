# SPDX-License-Identifier: GPL-2.0-only
"""Replicas of PySyncObj, a Raft library on PyPI, for testers that partition and crash.

A file in this folder can test a version that `pip install --target` put into a folder:

    import defiance_zoo.scenario.replicas as rp
    rp.patched("pysyncobj", path="pysyncobj-0.3.15")
    import pysyncobj_store
"""

import functools
import logging
import pickle

import defiance_zoo.scenario.replicas as rp

rp.patched("pysyncobj")
import pysyncobj  # noqa: E402 (after it is patched)
from pysyncobj.node import Node  # noqa: E402
from pysyncobj.transport import Transport  # noqa: E402

logging.getLogger("pysyncobj").addHandler(logging.NullHandler())  # its words are not the test's
FOLLOWER, CANDIDATE, LEADER = range(3)
HELLO, SILENCE = 4, 70  # ticks between heartbeats; ticks until a silent link is closed


class Link(Transport):
    """Connections to the other nodes; a node that has sent a message recently is connected."""

    ready = True

    def __init__(self, replica):
        super().__init__(None, None, [])
        self.replica = replica
        self.nodes = {id: Node(id, address=str(id)) for id in replica.others}
        self.starts = dict.fromkeys(self.nodes, 0)  # the connected process of each peer
        self.silence = dict.fromkeys(self.nodes, SILENCE)

    def send(self, node, message):
        self.replica.send(node.id, pickle.dumps((self.replica.disk["starts"], message)))
        return True

    def tick(self, ticks):
        for id, node in self.nodes.items():
            self.silence[id] += 1
            if self.silence[id] == SILENCE:
                self._onNodeDisconnected(node)
            if ticks % HELLO == 1:
                self.send(node, None)

    def receive(self, sender, data):
        start, message = pickle.loads(data)
        node = self.nodes[sender]
        if start < self.starts[sender]:
            return  # the sending process has crashed since
        if start > self.starts[sender] and self.silence[sender] < SILENCE:
            self._onNodeDisconnected(node)
        if start > self.starts[sender] or self.silence[sender] >= SILENCE:
            self._onNodeConnected(node)
        self.starts[sender], self.silence[sender] = start, 0
        if message is not None:
            self._onMessageReceived(node, message)

    def destroy(self):
        pass


class Server(pysyncobj.SyncObj):
    """The library's object that applies requests."""

    def __init__(self, replica, link):
        self.replica, self.registers, self.applied = replica, rp.Registers(), []
        conf = pysyncobj.SyncObjConf(
            autoTick=False, journalFile="/disk/journal", leaderFallbackTimeout=2.0
        )
        me = Node(replica.id, address=str(replica.id))
        super().__init__(me, link.nodes.values(), conf=conf, transport=link)

    @pysyncobj.replicated
    def put(self, request):
        self.applied.append(request)
        self.replica.note("applies", len(self.applied), request)
        return self.registers.apply(request)


class StoreReplica(rp.Replica):
    def __init__(self):
        self.server = self.link = None
        self.ticks = self.led = 0

    def recover(self, disk):
        disk["starts"] = disk.get("starts", 0) + 1
        self.link = Link(self)
        self.server = Server(self, self.link)

    def read(self, name):
        return getattr(self.server, f"_SyncObj__{name}")

    def tick(self, now):
        self.ticks += 1
        self.link.tick(self.ticks)
        self.server.doTick(0.0)
        self.note_term()

    def message(self, sender, data):
        self.link.receive(sender, data)
        self.note_term()

    def note_term(self):
        if self.read("raftState") == LEADER and self.read("raftCurrentTerm") > self.led:
            self.led = self.read("raftCurrentTerm")
            self.note("leads", self.led)

    def submit(self, request):
        def answer(result, error):
            if not error:
                self.answer(request, int(result))

        self.server.put(request, callback=answer)
        return True

    def state(self):
        if self.server is None:
            return rp.State([0, 0, 0, 0, 0, 0, 0])
        leader = self.read("raftLeader")
        log = [
            rp.Entry(term, read_request(command)) for command, _, term in self.read("raftLog")[:]
        ]
        term, vote = self.read("raftCurrentTerm"), self.read("votedForNodeId") or 0
        commit, applied = self.read("raftCommitIndex"), self.server.applied
        role, led = self.read("raftState"), leader.id if leader else 0
        fields = [role, term, vote, led, commit, len(log), len(applied)]
        return rp.State(fields, log, [applied, self.ticks, self.led, self.read_hidden_state()])

    def read_hidden_state(self):
        """Return the rest of the library's state: deadlines, votes, connections."""
        names = ["votesCount", "raftElectionDeadline", "newAppendEntriesTime", "raftLastApplied"]
        maps = ["raftNextIndex", "raftMatchIndex", "lastResponseTime"]
        by_node = [{node.id: value for node, value in self.read(name).items()} for name in maps]
        connected = {node.id for node in self.read("connectedNodes")}
        return [*(self.read(name) for name in names), by_node, connected, self.link.silence]


@functools.cache
def read_request(command):
    """Return the request in a logged command; 0 for the library's own entries."""
    if command[0] != 0:
        return 0
    _, (request,) = pickle.loads(command[1:])
    return request


class Store(rp.Protocol):
    fields = (
        rp.choice("state", LEADER),
        rp.number("term"),
        rp.replica_number("vote"),
        rp.replica_number("leader"),
        rp.number("commit"),
        rp.number("index"),
        rp.number("applied"),
    )
    painter = "state,term:6,leader,vote,commit:6,index:6"
    replica = StoreReplica
    traffic = (4000, 8)
    answers_clients = True

    def __init__(self):
        self.leaders, self.chosen = {}, {}  # leaders by term; the first applied entry, by position

    def takers(self, states):
        leaders = [state for state in states if state.active and state.state == LEADER]
        return [max(leaders, key=lambda state: state.term).id] if leaders else []

    def check(self, group):
        for replica, kind, at, request in group.events:
            if kind == "leads":
                first = self.leaders.setdefault(at, replica)
                if first != replica:
                    yield "election_safety", f"{first} and {replica} lead in term {at}"
            else:
                first = self.chosen.setdefault(at, request)
                if first != request:
                    yield "agreement", f"{replica} applies {request} at {at}, not {first}"

    def progress(self, group):
        return sum(state.commit for state in group.states)


sim = rp.Simulation(Store)

if __name__ == "__main__":
    sim.main()
