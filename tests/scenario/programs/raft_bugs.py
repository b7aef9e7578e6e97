# SPDX-License-Identifier: GPL-2.0-only
"""The Raft of the examples, with bugs that Raft in C++ can be seeded with."""

import sys
from pathlib import Path

import defiance_zoo.scenario.replicas as rp

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "protocols"))
from raft import Raft, RaftReplica, declare  # type: ignore[import-not-found]


class CachedRegisters(rp.Registers):
    """Answers reads from a cache, which a compare-and-swap does not clear."""

    def __init__(self):
        super().__init__()
        self.cache = {}

    def apply(self, request):
        answer = super().apply(request)
        if request == 0:
            return answer
        asked = rp.operation(request)
        if asked.kind == rp.READ:
            return self.cache.setdefault(asked.key, answer)
        if asked.kind == rp.WRITE:
            self.cache.pop(asked.key, None)
        return answer


class BuggyReplica(RaftReplica):
    def __init__(self):
        super().__init__()
        if self.bug == "cache":
            self.registers = CachedRegisters()

    def recover(self, disk):
        super().recover(disk)
        if self.bug == "R1":
            disk["ballot"] = (0, 0)

    def append(self, request):
        if self.bug == "R2" and request == 0:
            self.send_entries(*self.others)
        else:
            super().append(request)

    def may_commit(self, index):
        return super().may_commit(index) or self.bug == "R2"

    def is_complete(self, theirs, mine):
        return super().is_complete(theirs, mine) or self.bug == "R3"

    def fits(self, index, log_term):
        return super().fits(index, log_term) or (self.bug == "R4" and index <= len(self.log))

    def counts(self, term):
        return super().counts(term) or self.bug == "R5"

    def merge(self, index, entries):
        super().merge(index, entries)
        if self.bug == "R6":
            del self.log[index + len(entries) :]

    def on_append(self, *args, **words):
        elapsed = self.elapsed
        super().on_append(*args, **words)
        self.elapsed = elapsed if self.bug == "R10" else self.elapsed

    def is_majority(self, count):
        return super().is_majority(count) or (self.bug == "R7" and count >= self.size // 2)


class BuggyRaft(Raft):
    replica = BuggyReplica
    bugs = ("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R10", "cache")


declare(BuggyRaft)
