# SPDX-License-Identifier: GPL-2.0-only
"""States of replicas in infos."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, make_dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple


class Role(IntEnum):
    """The role of a Raft replica."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class Step(IntEnum):
    """The step of a Tendermint replica: it waits for a height, a proposal, prevotes, precommits."""

    NEW_HEIGHT = 0
    PROPOSE = 1
    PREVOTE = 2
    PRECOMMIT = 3


class Entry(NamedTuple):
    """An entry of a log.

    Attributes:
        term: Term of its proposal; for Tendermint, the round of its decision.
        request: Number of the client's request; 0: an entry of the protocol.
    """

    term: int
    request: int


@dataclass(frozen=True, kw_only=True)
class ReplicaState:
    """The common state of replicas of all protocols.

    The state of a stopped replica is its stored state.

    Attributes:
        id: Number of the replica, from 1 on.
        active: Whether it runs.
        byzantine: Whether it may violate its protocol.
        delayed: Whether messages for it are delayed.
        log: Entries of the log.
        choices: Fields that are choices, with their maximum.
        replicas: Fields that are the number of a replica, or 0.
    """

    id: int
    active: bool
    byzantine: bool = False
    delayed: bool = False
    clock_error_ns: int = 0
    log: tuple[Entry, ...] = ()

    choices: ClassVar[Mapping[str, int]] = {}
    replicas: ClassVar[frozenset[str]] = frozenset({"id"})

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """Return the fields that are numbers, which painters can use."""
        own = (field.name for field in fields(cls))
        return tuple(name for name in own if name not in _NOT_NUMBERS)


@dataclass(frozen=True, kw_only=True)
class RaftState(ReplicaState):
    """The state of a Raft replica.

    Attributes:
        state: The state.
        term: Current term.
        vote: Number of the replica that got its vote in this term; 0: none.
        leader: Number of its known leader; 0: none.
        commit: Index of the last entry known to be committed.
        index: Index of its last entry.
        snapshot: Index of the last entry in its snapshot; `log` begins after it.
    """

    state: Role
    term: int
    vote: int
    leader: int
    commit: int
    index: int
    snapshot: int = 0

    choices: ClassVar[Mapping[str, int]] = {"state": max(Role)}
    replicas: ClassVar[frozenset[str]] = frozenset({"id", "leader", "vote"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", Role(self.state))

    @property
    def committed(self) -> tuple[Entry, ...]:
        """The entries known to be committed, without those in a snapshot."""
        return self.log[: self.commit - self.snapshot]


@dataclass(frozen=True, kw_only=True)
class TendermintState(ReplicaState):
    """The state of a Tendermint replica; its log holds its decisions, height 1 first.

    Attributes:
        height: Current height, from 1 on.
        round: Current round, from 0 on.
        step: Current step.
        have_proposal: 1 if it has the proposal of this round.
        locked: Locked value: 0 nothing, 1 the empty block, 1 + r request r.
        locked_round: 1 + the round of this value; 0: none.
        valid: The last valid value, encoded as `locked`.
        valid_round: 1 + the round of this value; 0: none.
        proposer: Number of the proposer.
        prevotes: Replicas with a received prevote of this round.
        precommits: Replicas with a received precommit of this round.
    """

    height: int
    round: int
    step: Step
    have_proposal: int
    locked: int
    locked_round: int
    valid: int
    valid_round: int
    proposer: int
    prevotes: int
    precommits: int

    choices: ClassVar[Mapping[str, int]] = {"step": max(Step), "have_proposal": 1}
    replicas: ClassVar[frozenset[str]] = frozenset({"id", "proposer"})

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", Step(self.step))

    @property
    def committed(self) -> tuple[Entry, ...]:
        """The decided values."""
        return self.log


class Replicas(tuple[Any, ...]):
    """States of all replicas, in the order of their numbers, with further facts.

    Attributes:
        pending_requests: Number of clients' requests that were not submitted yet.
        blocks: The block of each replica; -1 if it is stopped.
    """

    pending_requests: int
    blocks: tuple[int, ...]

    def __new__(
        cls, states: Iterable[Any], pending_requests: int = 0, blocks: Iterable[int] = ()
    ) -> Replicas:
        self = super().__new__(cls, states)
        self.pending_requests, self.blocks = pending_requests, tuple(blocks)
        return self


_NOT_NUMBERS = ("active", "byzantine", "delayed", "clock_error_ns", "log")
"""Fields of all states that painters cannot use."""


@lru_cache(maxsize=8)
def _kind_with(names: tuple[str, ...]) -> type[ReplicaState]:
    """Return the kind of states that has these fields, besides `id`."""
    for kind in (RaftState, TendermintState):
        own = {field.name for field in fields(kind)}
        needed = {each.name for each in fields(kind) if each.default is MISSING}
        if needed - {"id"} <= set(names) <= own:
            return kind
    common = {field.name for field in fields(ReplicaState)}
    own_fields = [(name, int) for name in names if name not in common]
    return make_dataclass("OwnState", own_fields, bases=(ReplicaState,), frozen=True, kw_only=True)


def read_replicas(info: Mapping[str, Any], kind: type[Any] | None = None) -> Replicas:
    """Return the states of all replicas.

    Args:
        info: Info of a step of `partition_v0`, with `infos="all"`.
        kind: Class of the states: a frozen dataclass like `RaftState`, for your own protocol. None:
            `RaftState` or `TendermintState`, by their fields, or a class with the fields of another
            protocol.

    Raises:
        KeyError: The info is of another environment, or lacks fields.
        TypeError: The replicas have other fields.
    """
    replicas = json.loads(info["replicas"])
    if kind is None:
        kind = _kind_with(tuple(replicas[0]))
    states = []
    for number, state_fields in enumerate(replicas, start=1):
        log = tuple(Entry(*entry) for entry in state_fields.pop("log"))
        states.append(kind(id=number, log=log, **state_fields))
    blocks = (int(block) for block in info["partition"])
    return Replicas(states, info["pending_requests"], blocks)
