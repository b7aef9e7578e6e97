# SPDX-License-Identifier: GPL-2.0-only
"""The Raft of the examples with term, vote and log in a file, and a bug: a missing fsync."""

import sys
from pathlib import Path

import defiance_zoo.scenario.replicas as rp

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "protocols"))
from raft import Raft, RaftReplica, declare  # type: ignore[import-not-found]

journal = rp.patched("journal", path=".")


class FileReplica(RaftReplica):
    def __init__(self):
        super().__init__()
        self.disk.clear()  # the dict is memory here
        kept = journal.load()
        if kept:
            self.disk.update(ballot=tuple(kept["ballot"]))
            self.disk["log"] = [rp.Entry(*each) for each in kept["log"]]

    def save(self):
        value = {"ballot": self.disk["ballot"], "log": self.disk["log"]}
        if value != self.__dict__.get("saved"):
            journal.store(value, syncs=self.bug != "no_fsync")
            self.saved = {**value, "log": list(value["log"])}

    def transmit(self, *arguments, **words):
        self.save()
        super().transmit(*arguments, **words)

    def advance(self):
        self.save()  # a leader counts its own entries
        super().advance()


class FileRaft(Raft):
    replica = FileReplica
    bugs = ("no_fsync",)


declare(FileRaft)
