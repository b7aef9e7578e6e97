# SPDX-License-Identifier: GPL-2.0-only
"""Raft with changes of one member at a time, as in chapter 4 of Ongaro's thesis (2014).

At first all replicas are members. Each even request removes a member, or adds it again; a replica
that is no member receives the log, but does not vote for itself and is not counted.

With `bug=unready`, a leader changes members before it has committed an entry of its own term, as in
the thesis. Then two majorities need not overlap; Ongaro reported and corrected this error in 2015.
"""

from raft import CANDIDATE, FOLLOWER, LEADER, Raft, RaftReplica, declare

LEAST_MEMBERS = 2


class MemberReplica(RaftReplica):
    def is_change(self, request):
        return request > 0 and request % 2 == 0

    def members(self):
        found = set(range(1, self.size + 1))
        for entry in self.log:  # a change is valid as soon as it is in the log
            if self.is_change(entry.request):
                changed = found ^ {(entry.request // 2 - 1) % self.size + 1}
                found = changed if len(changed) >= LEAST_MEMBERS else found
        return found

    def have_majority(self, replicas):
        members = self.members()
        return 2 * len(members & set(replicas)) > len(members)

    def campaign(self):
        if self.id in self.members():
            super().campaign()
        else:
            self.draw_timeout()

    def on_vote(self, sender, term, granted):
        if self.role == CANDIDATE and term == self.term and granted:
            self.votes.add(sender)
            if self.have_majority(self.votes):
                self.lead()

    def append(self, request):
        if request == 0 and self.bug == "unready":
            self.send_entries(*self.others)  # leaders begin without an entry
        else:
            super().append(request)

    def submit(self, request):
        if self.role == LEADER and self.is_change(request) and not self.is_ready():
            return False
        return super().submit(request)

    def is_ready(self):
        pending = any(self.is_change(entry.request) for entry in self.log[self.commit :])
        return not pending and (self.bug == "unready" or self.term_at(self.commit) == self.term)

    def advance(self):
        for index in range(self.commit + 1, len(self.log) + 1):
            holders = {id for id, match in self.match.items() if match >= index} | {self.id}
            if self.have_majority(holders) and self.may_commit(index):
                self.commit_up_to(index)
        if self.commit == len(self.log) and self.id not in self.members():
            self.role, self.leader = FOLLOWER, 0  # a removed leader


class Membership(Raft):
    replica = MemberReplica
    bugs = ("unready",)
    rotates = True  # leaders are removed

    def check(self, group):
        for name, text in super().check(group):
            if name != "commit_durability":  # its majority is one of all replicas
                yield name, text


sim = declare(Membership)

if __name__ == "__main__":
    sim.main()
