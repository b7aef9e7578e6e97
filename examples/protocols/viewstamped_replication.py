# SPDX-License-Identifier: GPL-2.0-only
"""Viewstamped Replication (Liskov and Cowling 2012): replicas recover from each other, not a disk.

The primary of view v is replica v mod n + 1. It commits an entry that a majority has. A backup that
receives nothing from it begins the next view. A replica that restarts has lost its memory, and asks
the others.

With the seeded bug `forgets`, replicas keep nothing on disk, as in the paper. So a replica may
forget that it has begun a view change: it recovers into the old view, and commits entries there
that are unknown to the majority of its own old messages (Michael, Ports, Sharma and Szekeres 2017).
Without the bug, a replica keeps the number of its view on disk, and continues the view change.
"""

import json

import defiance_zoo.scenario.replicas as rp

TIMEOUT = 5  # ticks without a message of the primary until a backup begins the next view
NORMAL, CHANGING, RECOVERING = range(3)


class ViewReplica(rp.Replica):
    def __init__(self):
        self.view = self.normal_view = self.commit = self.silence = self.nonce = 0
        self.status, self.log = NORMAL, []
        self.acknowledged = {}  # as primary: entries that each backup has
        self.starters, self.changes = set(), {}  # in a view change: its messages, by sender
        self.responses = {}  # in a recovery

    def recover(self, disk):
        if "starts" in disk:
            self.status, self.view = RECOVERING, disk["view"]
        disk["starts"] = self.nonce = disk.get("starts", 0) + 1
        disk.setdefault("view", 0)

    primary = property(lambda self: self.primary_of(self.view))
    majority = property(lambda self: self.size // 2 + 1)

    def primary_of(self, view):
        return view % self.size + 1

    def tell(self, to, kind, *values):
        data = json.dumps([kind, *values]).encode()
        for id in self.others if to is None else [to]:
            self.send(id, data)

    def tick(self, now):
        self.silence += 1
        if self.status == RECOVERING:
            self.tell(None, "recovery", self.nonce)
        elif self.status == NORMAL and self.primary == self.id:
            self.tell(None, "prepare", self.view, self.log, self.commit)
        elif self.silence > TIMEOUT:
            self.change_view(self.view + 1)
        elif self.status == CHANGING:
            self.tell(None, "start_view_change", self.view)

    def submit(self, request):
        self.log.append(rp.Entry(self.view, request))
        return True  # only the primary receives requests

    def message(self, sender, data):
        kind, *values = json.loads(data)
        if self.status == RECOVERING:
            if kind == "recovery_response":
                self.on_recovery_response(sender, *values)
        elif kind == "recovery":
            self.on_recovery(sender, *values)
        elif kind != "recovery_response":
            getattr(self, f"on_{kind}")(sender, *values)

    # Normal operation

    def on_prepare(self, sender, view, log, commit):
        if view > self.view or (view == self.view and self.status == CHANGING):
            self.on_start_view(sender, view, log, commit)  # a lost one
        elif view == self.view:
            self.silence = 0
            if len(log) >= len(self.log):
                self.log = read_log(log)
            self.commit = max(self.commit, min(commit, len(self.log)))
            self.tell(sender, "prepare_ok", view, len(self.log))

    def on_prepare_ok(self, sender, view, count):
        if view == self.view and self.status == NORMAL and self.primary == self.id:
            self.acknowledged[sender] = max(count, self.acknowledged.get(sender, 0))
            counts = sorted([len(self.log), *self.acknowledged.values()], reverse=True)
            if len(counts) >= self.majority:
                self.commit = max(self.commit, counts[self.majority - 1])

    # View changes

    def change_view(self, view):
        self.view, self.status, self.silence = view, CHANGING, 0
        self.starters, self.changes = set(), {}
        if self.bug != "forgets":
            self.disk["view"] = view  # the promise not to take part in earlier views
        self.tell(None, "start_view_change", view)

    def on_start_view_change(self, sender, view):
        if view > self.view:
            self.change_view(view)
        if view == self.view and self.status == CHANGING:
            self.starters.add(sender)
            if len(self.starters) >= self.majority - 1:
                change = [self.view, self.log, self.normal_view, self.commit]
                if self.primary == self.id:
                    self.on_do_view_change(self.id, *change)
                else:
                    self.tell(self.primary, "do_view_change", *change)

    def on_do_view_change(self, sender, view, log, normal_view, commit):
        if view > self.view:
            self.change_view(view)
        if view == self.view and self.status == CHANGING:
            mine = [self.log, self.normal_view, self.commit]
            self.changes[self.id], self.changes[sender] = mine, [log, normal_view, commit]
            if len(self.changes) >= self.majority:
                best = max(self.changes.values(), key=lambda each: (each[1], len(each[0])))
                commit = max(each[2] for each in self.changes.values())
                self.begin(view, best[0], commit)
                self.tell(None, "start_view", view, self.log, self.commit)

    def on_start_view(self, sender, view, log, commit):
        if view > self.view or (view == self.view and self.status == CHANGING):
            self.begin(view, log, commit)
            self.tell(sender, "prepare_ok", view, len(self.log))

    def begin(self, view, log, commit):
        self.view = self.normal_view = view
        self.status, self.silence = NORMAL, 0
        self.log, self.commit = read_log(log), max(self.commit, commit)
        self.acknowledged = {}
        if self.bug != "forgets":
            self.disk["view"] = view

    # Recovery

    def on_recovery(self, sender, nonce):
        if self.status == NORMAL:
            log = self.log if self.primary == self.id else None
            self.tell(sender, "recovery_response", nonce, self.view, log, self.commit)

    def on_recovery_response(self, sender, nonce, view, log, commit):
        if nonce != self.nonce:
            return
        self.responses[sender] = [view, log, commit]
        latest = max(each[0] for each in self.responses.values())
        known = self.responses.get(self.primary_of(latest))
        if len(self.responses) < self.majority or known is None or known[0] != latest:
            return
        promised = self.view
        self.responses = {}
        self.begin(latest, known[1], known[2])
        if promised > latest:
            self.change_view(promised)

    def state(self):
        leads = self.status == NORMAL and self.primary == self.id
        fields = [self.view, self.status, int(leads), self.commit]
        more = [self.normal_view, self.silence, self.nonce, self.acknowledged, self.starters]
        memory = [*more, self.changes, self.responses, list(self.disk.items())]
        return rp.State(fields, self.log, memory)


def read_log(log):
    return [rp.Entry(*each) for each in log]


class ViewstampedReplication(rp.Protocol):
    fields = (rp.number("view"), rp.choice("status", 2), rp.choice("leads", 1), rp.number("commit"))
    painter = "view:6,status,leads,commit:6"
    replica = ViewReplica
    bugs = ("forgets",)
    traffic = (2000, 8)

    def __init__(self):
        self.committed = {}  # by index: the entry, and the view in which it was first seen

    def takers(self, states):
        leaders = [state for state in states if state.active and state.leads]
        return [max(leaders, key=lambda state: state.view).id] if leaders else []

    def check(self, group):
        for state in group.states:
            for index in range(min(state.commit, len(state.log)) if state.active else 0):
                entry = state.log[index]
                first, _ = self.committed.setdefault(index, (entry, state.view))
                if first != entry:
                    yield "agreement", f"replica {state.id} commits {entry} at {index}, not {first}"
        for state in group.states:
            if state.active and state.leads:
                for index, (entry, view) in self.committed.items():
                    if view < state.view and tuple(state.log[index : index + 1]) != (entry,):
                        yield "lost_commit", f"the primary of view {state.view} lacks {entry}"

    def describe(self, data):
        return " ".join(map(str, json.loads(data)))


sim = rp.Simulation(ViewstampedReplication)

if __name__ == "__main__":
    sim.main()
