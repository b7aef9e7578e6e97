# SPDX-License-Identifier: GPL-2.0-only
"""Raft from chapter 3 of Ongaro's thesis (2014): elections, a replicated log, commits."""

import json

import defiance_zoo.scenario.replicas as rp

FOLLOWER, CANDIDATE, LEADER = range(3)
MOST_ENTRIES = 64  # in one message


class RaftReplica(rp.Replica):
    def __init__(self):
        self.role, self.leader, self.commit = FOLLOWER, 0, 0
        self.elapsed, self.timeout = 0, 0
        self.votes, self.next, self.match = set(), {}, {}
        self.registers, self.applied, self.waiting = rp.Registers(), 0, {}

    # State that survives a crash: the current term, the vote in this term, and the log.

    def recover(self, disk):
        disk.setdefault("ballot", (0, 0))
        disk.setdefault("log", [])
        self.draw_timeout()

    @property
    def term(self):
        return self.disk["ballot"][0]

    log = property(lambda self: self.disk["log"])

    def term_at(self, index):
        return self.log[index - 1].term if 0 < index <= len(self.log) else 0

    # Elections.

    def draw_timeout(self):
        least = self.p.election_ticks
        self.elapsed, self.timeout = 0, self.random.randrange(least, 2 * least)

    def is_majority(self, count):
        return 2 * count > self.size

    def tick(self, now):
        self.elapsed += 1
        if self.role == LEADER and self.elapsed >= self.p.heartbeat_ticks:
            self.elapsed = 0
            self.send_entries(*self.others)
        elif self.role != LEADER and self.elapsed >= self.timeout:
            self.campaign()

    def campaign(self):
        self.disk["ballot"] = self.term + 1, self.id
        self.role, self.leader, self.votes = CANDIDATE, 0, {self.id}
        self.draw_timeout()
        for id in self.others:
            last = len(self.log)
            self.transmit(id, "request_vote", index=last, log_term=self.term_at(last))

    def follow(self, term):
        if term > self.term:
            self.disk["ballot"] = term, 0
        self.elapsed = 0 if self.role == LEADER else self.elapsed  # since the last heartbeat
        self.role, self.votes, self.waiting = FOLLOWER, set(), {}

    def on_request_vote(self, sender, term, index, log_term):
        last = len(self.log)
        complete = self.is_complete((log_term, index), (self.term_at(last), last))
        granted = term == self.term and self.disk["ballot"][1] in (0, sender) and complete
        if granted:
            self.disk["ballot"] = self.term, sender
            self.elapsed = 0
        self.transmit(sender, "vote", granted=granted)

    def is_complete(self, theirs, mine):
        return theirs >= mine

    def on_vote(self, sender, term, granted):
        if self.role == CANDIDATE and term == self.term and granted:
            self.votes.add(sender)
            if self.is_majority(len(self.votes)):
                self.lead()

    def lead(self):
        self.role, self.leader, self.elapsed = LEADER, self.id, 0
        self.next = dict.fromkeys(self.others, len(self.log) + 1)
        self.match = dict.fromkeys(self.others, 0)
        self.note("leads", self.term)
        self.append(0)  # its own entry, which commits entries of earlier terms

    # Replication.

    def submit(self, request):
        if self.role == LEADER:
            self.waiting[len(self.log) + 1] = request
            self.append(request)
        return self.role == LEADER

    def append(self, request):
        self.log.append(rp.Entry(self.term, request))
        self.send_entries(*self.others)

    def send_entries(self, *replicas):
        for to in replicas:
            before = self.next[to] - 1
            entries = self.log[before : before + MOST_ENTRIES]
            fits = {"index": before, "log_term": self.term_at(before)}
            self.transmit(to, "append", **fits, entries=entries, commit=self.commit)

    def on_append(self, sender, term, index, log_term, entries, commit):
        if term < self.term:
            return self.transmit(sender, "appended", accepted=False, index=0)
        self.follow(term)
        self.leader, self.elapsed = sender, 0
        if not self.fits(index, log_term):
            return self.transmit(
                sender, "appended", accepted=False, index=min(index - 1, len(self.log))
            )
        self.merge(index, [rp.Entry(*entry) for entry in entries])
        self.commit_up_to(min(commit, index + len(entries)))
        return self.transmit(sender, "appended", accepted=True, index=index + len(entries))

    def fits(self, index, log_term):
        return index <= len(self.log) and self.term_at(index) == log_term

    def merge(self, index, entries):
        same = 0  # existing entries stay, as the message may be old
        while same < len(entries) and self.term_at(index + same + 1) == entries[same].term:
            same += 1
        if same < len(entries):
            self.log[index + same :] = entries[same:]

    def on_appended(self, sender, term, accepted, index):
        if self.role != LEADER or not self.counts(term):
            return
        if accepted:
            self.match[sender] = max(self.match[sender], min(index, len(self.log)))
            self.next[sender] = self.match[sender] + 1
            self.advance()
        elif index + 1 < self.next[sender]:
            self.next[sender] = max(self.match[sender], index) + 1
            self.send_entries(sender)

    def counts(self, term):
        return term == self.term

    def advance(self):
        held = sorted([*self.match.values(), len(self.log)], reverse=True)
        index = next(each for i, each in enumerate(held) if self.is_majority(i + 1))
        if self.may_commit(index):
            self.commit_up_to(index)

    def may_commit(self, index):
        return self.term_at(index) == self.term

    def commit_up_to(self, index):
        self.commit = max(self.commit, index)
        while self.applied < min(self.commit, len(self.log)):
            request = self.log[self.applied].request
            self.applied += 1
            answer = self.registers.apply(request)
            if self.waiting.pop(self.applied, 0) == request != 0:
                self.answer(request, answer)

    # Messages, and states that testers read.

    def transmit(self, to, kind, **words):
        self.send(to, json.dumps([kind, {"term": self.term, **words}]).encode())

    def message(self, sender, data):
        kind, words = json.loads(data)
        if words["term"] > self.term:
            self.follow(words["term"])
            self.leader = 0
        getattr(self, f"on_{kind}")(sender, **words)

    def state(self):
        (term, vote), log = self.disk.get("ballot", (0, 0)), self.disk.get("log", [])
        fields = [self.role, term, vote, self.leader, self.commit, len(log)]
        timers = [self.elapsed, self.timeout, self.applied]
        return rp.State(fields, log, [timers, self.votes, self.next, self.match, self.waiting])


class Raft(rp.Protocol):
    fields = (
        rp.choice("state", LEADER),
        rp.number("term"),
        rp.replica_number("vote"),
        rp.replica_number("leader"),
        rp.number("commit"),
        rp.number("index"),
    )
    painter = "state,commit,leader,vote,index,term:6,log:6"
    replica = RaftReplica
    traffic = (2000, 3)
    answers_clients = True

    def __init__(self):
        self.leaders = {}  # leaders by term
        self.agreed = []  # the first committed entry, by index
        self.committed = {}  # committed entries, by replica

    def takers(self, states):
        leaders = [state for state in states if state.active and state.state == LEADER]
        return [max(leaders, key=lambda state: state.term).id] if leaders else []

    def healing_ticks(self, group):
        return 40 * self.p.election_ticks + 2 * max(len(state.log) for state in group.states)

    def check(self, group):
        for event in group.events:
            first = self.leaders.setdefault(event.at, event.replica)
            if first != event.replica:
                yield "election_safety", f"{first} and {event.replica} lead in term {event.at}"
        for one in group.states:
            for other in group.states[one.id :]:
                yield from self.check_matching(one, other)
            yield from self.check_log(one)
        holders = [s.id for s in group.states if s.log[: len(self.agreed)] == tuple(self.agreed)]
        if 2 * len(holders) <= len(group.states):
            yield "commit_durability", f"only {holders} have {len(self.agreed)} committed entries"

    def check_matching(self, one, other):
        index = min(len(one.log), len(other.log))
        while index > 0 and one.log[index - 1].term != other.log[index - 1].term:
            index -= 1
        if one.log[:index] != other.log[:index]:
            yield "log_matching", f"{one.id} and {other.id} differ before entry {index}"

    def check_log(self, state):
        mine = self.committed.setdefault(state.id, ())
        if len(state.log) < len(mine):
            yield "reduced_log", f"{state.id} has {len(state.log)} of {len(mine)} committed entries"
        if state.log[: len(mine)] != mine[: len(state.log)]:
            yield "modified_log", f"{state.id} has changed an entry that it had committed"
        if len(state.log) >= state.commit > len(mine):
            self.committed[state.id] = state.log[: state.commit]
        for index, entry in enumerate(state.log[: state.commit]):
            if index == len(self.agreed):
                self.agreed.append(entry)
            elif entry != self.agreed[index]:
                yield "state_machine_safety", f"{state.id} has committed another entry {index + 1}"


def declare(protocol):
    """Declare the simulation of a protocol with Raft's parameters."""
    simulation = rp.Simulation(protocol)
    simulation.parameter("election_ticks", 16, range=(3, 10000), help="Least election timeout.")
    simulation.parameter("heartbeat_ticks", 4, range=(1, 10000), help="Time between heartbeats.")
    return simulation


sim = declare(Raft)

if __name__ == "__main__":
    sim.main()
