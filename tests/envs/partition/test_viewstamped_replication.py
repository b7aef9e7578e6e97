# SPDX-License-Identifier: GPL-2.0-only
"""Viewstamped Replication: the lost promise of a recovered replica, and silence without it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from typing import Any

import pytest
from conftest import ROOT

from defiance_zoo.environments import lookup
from defiance_zoo.protocols.explorers.registry import make_explorer
from defiance_zoo.wrappers.gymnasium import GymnasiumEnv

FILE = ROOT / "examples" / "protocols" / "viewstamped_replication.py"

SCHEDULE = """
import sys
import viewstamped_replication as vr
from defiance_zoo.scenario.replicas.binding import Binding

binding = Binding("vr", vr.ViewstampedReplication)
wire = []  # messages in flight: sender, receiver, data


class Port:
    def __init__(self, id):
        self.id = id

    def send(self, to, data):
        wire.append((self.id, to, data))


def start(id, disk=None):
    node = binding.make_process(Port(id), id, 3, sys.argv[1], False, disk or binding.make_disk())
    node.recover(node.disk)
    return node


def deliver(*links):
    '''Deliver messages on links until none is left there; all others stay in flight.'''
    while due := [each for each in wire if each[:2] in links]:
        for each in due:
            wire.remove(each)
            nodes[each[1]].message(each[0], each[2])


def restart(id):
    '''Crash a replica, whose sent messages stay in flight; it recovers from the others.'''
    before = wire[:]
    wire.clear()
    nodes[id] = start(id, nodes[id].disk)
    nodes[id].tick(0)
    deliver(*((a, b) for a in (1, 2, 3) for b in (1, 2, 3) if id in (a, b)))
    wire[:0] = before


nodes = {id: start(id) for id in (1, 2, 3)}
nodes[2].change_view(1)            # the next primary begins view 1, and crashes
restart(2)
deliver((2, 3))                    # only now, replica 3 hears of view 1: it promises, and crashes
restart(3)
wire[:] = [each for each in wire if each[:2] == (3, 2)]
held, wire[:] = wire[:], []
nodes[1].submit(7)                 # the primary of view 0 and replica 3 commit a request
for _ in range(2):
    nodes[1].tick(0)
    deliver((1, 3), (3, 1))
print("committed", nodes[1].commit)
wire[:] = held
deliver((3, 2), (2, 2))            # replica 2 receives the old messages
print("view", nodes[2].view, "leads", nodes[2].state().fields[2], "log", len(nodes[2].log))
"""


@pytest.mark.parametrize(("bug", "said"), [
    ("forgets", "committed 1\nview 1 leads 1 log 0\n"),
    ("", "committed 0\nview 1 leads 1 log 0\n"),
])  # fmt: skip
def test_a_forgotten_promise_loses_a_committed_request(bug: str, said: str) -> None:
    """With the promise on disk, replica 3 commits nothing in the old view."""
    command = [sys.executable, "-c", SCHEDULE, bug]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=FILE.parent)
    assert done.stdout == said


def violations(steps: int, **arguments: Any) -> set[str]:
    with closing(GymnasiumEnv(lookup(str(FILE)), link="local", **arguments)) as env:
        visits = make_explorer("random", 1, {}).explore(env, steps=steps, seed=1)
        return {visit.info["violations"] for visit in visits} - {""}


@pytest.mark.parametrize("drop_rule", ["every_tick", "hold"])
def test_random_tests_of_the_correct_protocol_are_silent(drop_rule: str) -> None:
    crashes = {"max_inactive": 1, "crash_limit": 1000, "horizon": 100, "num_requests": 1000}
    assert violations(1000, drop_rule=drop_rule, **crashes) == set()
