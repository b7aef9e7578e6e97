# SPDX-License-Identifier: GPL-2.0-only
"""States of replicas, as infos tell them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple


class Role(IntEnum):
    """What a Raft replica is."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class Entry(NamedTuple):
    """An entry of a log.

    Attributes:
        term: In which it was proposed.
        request: Number of the client's request; 0: none, the leader's own entry.
    """

    term: int
    request: int


@dataclass(frozen=True)
class RaftState:
    """The state of a replica; that of a stopped one is what it has stored.

    Attributes:
        id: Number of the replica, from 1 on.
        active: Whether it runs.
        state: What it is.
        term: Its current term.
        vote: Number of the replica that it voted for in this term; 0: none.
        leader: Number of the leader that it knows; 0: none.
        commit: Index of the last entry that it knows to be committed.
        index: Index of its last entry.
        led_term: The last term that it became leader in since it was started.
        log: Its entries; that of index i is at i - 1.
    """

    id: int
    active: bool
    state: Role
    term: int
    vote: int
    leader: int
    commit: int
    index: int
    led_term: int
    log: tuple[Entry, ...]

    @property
    def committed(self) -> tuple[Entry, ...]:
        """The entries that it knows to be committed."""
        return self.log[: self.commit]


def read_replicas(info: Mapping[str, Any]) -> tuple[RaftState, ...]:
    """Return the states of all replicas, in the order of their numbers.

    Args:
        info: Of a step of `partition_v0`.

    Raises:
        KeyError: The info is of another environment.
    """
    states = []
    for number, told in enumerate(json.loads(info["replicas"]), start=1):
        log = tuple(Entry(*entry) for entry in told.pop("log"))
        state = Role(told.pop("state"))
        states.append(RaftState(id=number, state=state, log=log, **told))
    return tuple(states)
