# SPDX-License-Identifier: GPL-2.0-only
"""Replicas of etcd's Go library raft, for testers that partition and crash.

The program `etcd_raft/main.go` runs them; docs/protocols/library.md describes its build.
"""

import base64
from pathlib import Path

import defiance_zoo.scenario.replicas as rp

FOLLOWER, CANDIDATE, LEADER, PRE_CANDIDATE = range(4)
GO = rp.Companion(str(Path(__file__).with_name("etcd-raft")))


class EtcdReplica(rp.Replica):
    def __init__(self):
        self.runs, self.registers, self.applied = False, rp.Registers(), []
        self.led = 0

    def ask(self, op, **more):
        answer = GO.ask({"op": op, "id": self.id, **more})
        for message in answer["messages"]:
            self.send(message["to"], base64.b64decode(message["data"]))
        for index, request in answer["applied"]:
            self.applied.append(request)
            self.note("applies", index, request)
            self.answer(request, self.registers.apply(request))
        return answer

    def work(self, op, **more):
        answer = self.ask(op, **more)
        role, term, *_ = self.ask("state")["fields"]
        if role == LEADER and term > self.led:
            self.led = term
            self.note("leads", term)
        return answer

    def recover(self, disk):
        disk["known"] = self.runs = True
        seed = self.random.randrange(2**31)
        self.work("start", size=self.size, seed=seed, preVote=bool(self.p.pre_vote))

    def forget(self):
        self.ask("crash")

    def tick(self, now):
        self.work("tick")

    def submit(self, request):
        return self.work("propose", request=request)["taken"]

    def message(self, sender, data):
        self.work("step", data=base64.b64encode(data).decode())

    def state(self):
        if not self.disk.get("known"):
            return rp.State([0, 0, 0, 0, 0, 0, 0])
        answer = self.ask("state")
        log = [rp.Entry(*entry) for entry in answer["log"]]
        role, term, vote, leader, commit = answer["fields"]
        commit -= 1  # the first entry, common to all replicas, is in no log
        fields = [role, term, vote, leader, commit, len(log), len(self.applied)]
        return rp.State(fields, log, [answer["inside"], self.applied, self.led])


class Etcd(rp.Protocol):
    fields = (
        rp.choice("state", PRE_CANDIDATE),
        rp.number("term"),
        rp.replica_number("vote"),
        rp.replica_number("leader"),
        rp.number("commit"),
        rp.number("index"),
        rp.number("applied"),
    )
    painter = "state,term:6,leader,vote,commit:6,index:6"
    replica = EtcdReplica
    answers_clients = True

    def __init__(self):
        self.leaders, self.chosen = {}, {}  # leaders by term; the first applied entry, by index

    def takers(self, states):
        leaders = [state for state in states if state.active and state.state == LEADER]
        return [max(leaders, key=lambda state: state.term).id] if leaders else []

    def check(self, group):
        for replica, kind, at, value in group.events:
            first = (self.leaders if kind == "leads" else self.chosen).setdefault(
                at, replica if kind == "leads" else value
            )
            if kind == "leads" and first != replica:
                yield "election_safety", f"{first} and {replica} lead in term {at}"
            if kind == "applies" and first != value:
                yield "agreement", f"{replica} applies {value} at {at}, not {first}"

    def progress(self, group):
        return sum(state.commit for state in group.states)


sim = rp.Simulation(Etcd)
sim.parameter("pre_vote", False, help="Whether replicas run pre-votes before they begin a term.")

if __name__ == "__main__":
    sim.main()
