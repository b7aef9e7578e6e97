# SPDX-License-Identifier: GPL-2.0-only
"""A lock with leases whose clocks may jump, and storage behind it.

Replica 1 grants the lock for a time, and stores what its holders write. Two designs are correct:

    guard=lease   times are counted in ticks, and holders end earlier by more than clocks may drift
    guard=term    times may be wrong, but storage refuses writes of earlier grants

With bug=wall, times are those of the clock, which trusts that it does not jump.
"""

import json

import defiance_zoo.scenario.replicas as rp

LEASE, HELD, TICK = 40, 20, 0.01  # ticks of the server and of holders; seconds of a tick


class Replica(rp.Replica):
    def __init__(self):
        self.ticks, self.clock, self.until, self.asked, self.term = 0, 0.0, 0.0, None, 0

    def recover(self, disk):
        if self.id == 1:
            disk.update({"until": 0.0, "term": 0, "stored": 0, **disk})
            if disk["term"] and self.bug != "wall":
                disk["until"] = LEASE  # it may have been granted at the last tick

    def tick(self, now):
        self.ticks, self.clock = self.ticks + 1, now / TICK
        if self.id > 1 and self.works():
            self.send(1, json.dumps(["write", self.term]).encode())
        elif self.id > 1 and self.ticks % 5 == 0:
            self.asked = self.time()
            self.send(1, json.dumps(["acquire", self.asked]).encode())

    def time(self):
        return self.clock if self.bug == "wall" else self.ticks

    def works(self):
        return self.time() < self.until

    def message(self, sender, data):
        kind, value, *more = json.loads(data)
        if kind == "acquire" and self.time() >= self.disk["until"]:
            self.disk.update(until=self.time() + LEASE, term=self.disk["term"] + 1)
            self.send(sender, json.dumps(["granted", self.disk["term"], value]).encode())
        elif kind == "granted" and more[0] == self.asked:
            self.term, self.until = value, more[0] + HELD
        elif kind == "write" and (self.p.guard == "lease" or value >= self.disk["stored"]):
            self.disk["stored"] = value
            self.note("stores", value)  # after it, or a crash in between forgets the grant

    def submit(self, request):
        return False

    def state(self):
        timers = [self.ticks, self.clock, self.until, self.asked, self.term]
        return rp.State(
            [int(self.id > 1 and self.works())], (), [timers, sorted(self.disk.items())]
        )


class JumpingLeases(rp.Protocol):
    fields = (rp.choice("works", 1),)
    replica = Replica
    bugs = ("wall",)

    def __init__(self):
        self.stored = 0

    def takers(self, states):
        return []

    def check(self, group):
        working = [state.id for state in group.states if state.active and state.works]
        if self.p.guard == "lease" and len(working) > 1:
            yield "mutual_exclusion", f"{working} work with the lock"
        for event in group.events:
            if self.p.guard == "term" and event.at < self.stored:
                yield "order", f"a write of grant {event.at} is stored after one of {self.stored}"
            self.stored = max(self.stored, event.at)


sim = rp.Simulation(JumpingLeases)
sim.parameter("guard", "lease", choices=("lease", "term"), help="Guard of the storage.")

if __name__ == "__main__":
    sim.main()
