# SPDX-License-Identifier: GPL-2.0-only
"""A chain of replicas: the first one takes requests, and the last one acknowledges them.

Each replica passes its log to the next one in each tick. With the bug `early`, the last replica
acknowledges entries when it receives them, and writes them with its next tick. With the bug
`torn`, replicas store the number of entries before the entries.
"""

import json

import defiance_zoo.scenario.replicas as rp


class ChainReplica(rp.Replica):
    def __init__(self):
        self.unwritten, self.commit = [], 0

    def recover(self, disk):
        log, count = disk.setdefault("log", []), disk.setdefault("count", 0)
        disk["log"] = [log[index] for index in range(count)]  # others were not stored completely

    def store(self, entries):
        log = self.disk["log"]
        if self.bug == "torn":
            self.disk["count"] = len(log) + len(entries)
        log += entries
        self.disk["count"] = len(log)

    def tick(self, now):
        if self.unwritten:
            self.store(self.unwritten)
            self.unwritten = []
        if self.id < self.size:
            self.send(self.id + 1, json.dumps(["log", self.disk["log"]]).encode())
        if self.id > 1:
            self.send(self.id - 1, json.dumps(["commit", self.commit]).encode())

    def submit(self, request):
        self.store([rp.Entry(1, request)])
        return True

    def message(self, sender, data):
        kind, value = json.loads(data)
        if kind == "commit":
            self.commit = value
            return
        known = len(self.disk["log"]) + len(self.unwritten)
        new = [rp.Entry(*entry) for entry in value[known:]]
        if self.bug == "early":
            self.unwritten += new
        elif new:
            self.store(new)
        if self.id == self.size and new:
            self.commit = known + len(new)
            self.note("acknowledged", self.commit)

    def state(self):
        log = self.disk.get("log", [])[: self.disk.get("count", 0)]
        return rp.State([self.commit, len(log)], log, [self.unwritten])


class Chain(rp.Protocol):
    fields = (rp.number("commit"), rp.number("index"))
    replica = ChainReplica
    bugs = ("early", "torn")

    def __init__(self):
        self.acknowledged = 0

    def takers(self, states):
        return [state.id for state in states if state.id == 1 and state.active]

    def check(self, group):
        self.acknowledged = max([self.acknowledged, *(event.at for event in group.events)])
        stored = len(group.states[-1].log)
        if stored < self.acknowledged:
            yield "durability", f"{self.acknowledged} entries are acknowledged, {stored} stored"


sim = rp.Simulation(Chain)
