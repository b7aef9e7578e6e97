# SPDX-License-Identifier: GPL-2.0-only
"""A primary sends its log to its backups: safe under crashes, unsafe under partitions.

The primary of view v is replica (v - 1) mod n + 1. In each tick, it sends its log to the others. It
commits the entries that all replicas with a recent answer have. A backup that receives nothing from
the primary begins the next view in which it is primary.
"""

import json

import defiance_zoo.scenario.replicas as rp

TIMEOUT = 4  # ticks without a message until a replica is ignored


class PrimaryBackupReplica(rp.Replica):
    def __init__(self):  # for each other replica: ticks since its last message, and its entries
        self.commit, self.silence, self.has = 0, {}, {}

    def recover(self, disk):
        disk.update({"view": 1, "log": [], **disk})
        self.begin()

    def begin(self):  # begins a view
        self.silence, self.has = dict.fromkeys(self.others, 0), dict.fromkeys(self.others, 0)

    primary = property(lambda self: (self.disk["view"] - 1) % self.size + 1)

    def tick(self, now):
        self.silence = {id: ticks + 1 for id, ticks in self.silence.items()}
        if self.primary != self.id and self.silence[self.primary] > TIMEOUT:
            self.disk["view"] += (self.id - self.primary) % self.size
            self.begin()
        if self.primary == self.id:
            near = [id for id in self.others if self.silence[id] <= TIMEOUT]
            log = self.disk["log"]
            self.commit = max(self.commit, min([len(log), *(self.has[id] for id in near)]))
            for id in self.others:
                self.send(id, json.dumps([self.disk["view"], self.commit, log]).encode())

    def submit(self, request):
        self.disk["log"].append(rp.Entry(self.disk["view"], request))
        return True  # only the primary receives requests

    def message(self, sender, data):
        view, number, *log = json.loads(data)
        if view < self.disk["view"]:
            return  # a message of an earlier view
        self.silence[sender], self.disk["view"] = 0, view
        if self.primary == self.id:
            self.has[sender] = number
            return
        self.commit, self.disk["log"] = number, [rp.Entry(*entry) for entry in log[0]]
        self.send(sender, json.dumps([view, len(self.disk["log"])]).encode())

    def state(self):
        log = self.disk.get("log", [])
        leads = bool(self.silence) and self.primary == self.id  # a stopped replica does not lead
        fields = [self.disk.get("view", 1), int(leads), self.commit, len(log)]
        return rp.State(fields, log, [self.silence, self.has])


class PrimaryBackup(rp.Protocol):
    fields = (rp.number("view"), rp.choice("leads", 1), rp.number("commit"), rp.number("index"))
    painter = "view:6,leads,commit,index"
    replica = PrimaryBackupReplica

    def __init__(self):
        self.committed = {}  # the first committed entry, by index

    def takers(self, states):
        leaders = sorted((state.view, state.id) for state in states if state.leads)
        return [id for _, id in leaders[-1:]]

    def check(self, group):
        for state in group.states:
            for index, entry in enumerate(state.log[: state.commit]):
                if self.committed.setdefault(index, entry) != entry:
                    yield "agreement", f"replica {state.id} has another entry {index}"

    def describe(self, data):
        return data.decode()  # [view, commit, log] of a primary, [view, entries] of a backup


sim = rp.Simulation(PrimaryBackup)

if __name__ == "__main__":
    sim.main()
