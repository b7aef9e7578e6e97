# SPDX-License-Identifier: GPL-2.0-only
"""Faults as in scripted tests of databases."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from defiance_zoo.envs.partition.actions import Actions, Meaning, find_action, find_actions
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.workbench.wording import require_choice
from defiance_zoo.protocols.explorers.explorer import Explorer, Situation

LATE_ANSWERS = "late_answers"
LEAST_PERIOD = 5
"""Minimum number of steps: two for the first part, and one for each other part."""

_REQUESTS = 3
"""Requests during the first part, so that the old leader's log is ahead of the new one's."""


class LateAnswers:
    """Divides the network so that a replica's answers to a leader wait for a later term.

    The isolated replica is the straggler; docs/protocols/exploration.md has the four parts.

    Attributes:
        straggler: Number of the isolated replica; None if there was no leader at the start.
    """

    def __init__(self, period: int) -> None:
        self.straggler: int | None = None
        self._minority = max(2, period // 4)
        self._alone = self._minority + max(1, period // 4)
        self._last = period - 1
        self._leader: int | None = None

    def requests(self, turn: int) -> int:
        """Return the maximum number of requests before a step."""
        return _REQUESTS if turn == 1 else int(turn == self._last)

    def divide(
        self,
        running: Sequence[int],
        replica_blocks: Sequence[int],
        leader: int | None,
        turn: int,
        chance: float,
    ) -> tuple[frozenset[int], ...]:
        """Return the blocks of replicas in a step.

        `replica_blocks`: block of each replica, -1 if it is stopped. `chance`: random number from 0
        to below 1, which selects the straggler.
        """
        everybody = frozenset(running)
        if turn == 0:
            others = [each for each in running if each != leader]
            self._leader = leader
            self.straggler = others[int(chance * len(others))] if leader in everybody else None
        elif turn == 1:
            self._find_straggler(replica_blocks)
        if self.straggler not in everybody:
            return (everybody,)
        apart = self._apart(running, leader, turn)
        rest = everybody.difference(*apart)
        return (*apart, *([rest] if rest else []))

    def _find_straggler(self, replica_blocks: Sequence[int]) -> None:
        """Find the replicas with the leader, as replicas of one colour are not distinguished."""
        if self._leader is not None:
            mine = replica_blocks[self._leader - 1]
            with_it = [
                n
                for n, block in enumerate(replica_blocks, 1)
                if block == mine and n != self._leader
            ]
            self.straggler = with_it[0] if len(with_it) == 1 else None

    def _apart(self, running: Sequence[int], leader: int | None, turn: int) -> list[frozenset[int]]:
        """Return the blocks without the block of all other replicas."""
        straggler = {each for each in (self.straggler,) if each is not None}
        if turn == self._last and leader is not None:
            most = len(running) // 2 + 1
            first = [*({leader} | straggler)]
            more = [each for each in running if each not in first]
            return [frozenset([*first, *more[: most - len(first)]])]
        if turn < self._minority and self._leader is not None:
            return [frozenset(straggler | {self._leader})]
        if turn == self._alone:
            self._leader = leader
        if turn >= self._alone and self._leader in set(running) - straggler:
            return [frozenset(straggler), frozenset({self._leader})]
        return [frozenset(straggler)]


Blocks = tuple[frozenset[int], ...]
"""Blocks of replicas, by number."""

_BLENDED = ("majority", "bridge", "ring", "isolated_leader", "flapping", "crash_loop")
FAULTS = (*_BLENDED, LATE_ANSWERS)
"""See `Nemesis`."""

_MIXED = "mixed"
_TERMS = ("term", "view", "epoch", "ballot")
_CRASH_LOOP = "crash_loop"
_ISOLATED_LEADER = "isolated_leader"

LEADERS = (
    "'proposer' and 'height' (the proposer), 'state' and 'term' (2: it leads), or 'leads' "
    "(1: it leads) and, if there are several, one of 'term', 'view', 'epoch', 'ballot'"
)
"""Fields of states that identify a leader."""


class Nemesis(Explorer):
    """Alternates between a fault and no fault for equal numbers of steps, and submits requests.

    docs/protocols/exploration.md has a table of the faults. `LEADERS` are the fields that identify
    leaders. If states have none of these fields, `isolated_leader` and `late_answers` are refused,
    and `mixed` does not draw `isolated_leader`. `mixed` never draws `late_answers`, because answers
    wait only with `drop_rule="hold"`.
    """

    name = "nemesis"

    def __init__(self, seed: int = 0, *, fault: str = _MIXED, period: int = 4) -> None:
        """Begin without learned values.

        Args:
            seed: Seed of its random choices.
            fault: One of `FAULTS`, or `mixed`.
            period: Length of a fault in steps, without requests; at least 1, and at least 5 for
                `late_answers`.

        Raises:
            ParameterError: An argument is not allowed.
        """
        super().__init__(seed)
        require_choice("fault", fault, [*FAULTS, _MIXED])
        least = LEAST_PERIOD if fault == LATE_ANSWERS else 1
        if period < least:
            raise ParameterError(f"period must be at least {least} with {fault=}, not {period!r}")
        self._fault, self._period = fault, period
        self._faults: tuple[str, ...] = _BLENDED
        self._step = 0
        self._handed_over = 0
        self._late = LateAnswers(period)
        self._now = fault
        self._victim = 0.0

    def begin(self, situation: Situation) -> None:
        self._step = self._handed_over = 0
        fields = {name for state in json.loads(situation.info["replicas"]) for name in state}
        if not _identifies_leader(fields):
            self._faults = tuple(fault for fault in _BLENDED if fault != _ISOLATED_LEADER)
            if self._fault in (_ISOLATED_LEADER, LATE_ANSWERS):
                raise ParameterError(
                    f"fault={self._fault!r} needs states that identify leaders, by the fields "
                    f"{LEADERS}; these states have {sorted(fields)}"
                )

    def choose(self, situation: Situation) -> int:
        info = situation.info
        actions = find_actions(info)
        request = actions.find("request")[0]
        phase, turn = divmod(self._step, self._period)
        if self._handed_over < self._requests(phase, turn) and request in situation.actions:
            self._handed_over += 1
            return situation.actions.index(request)
        self._step, self._handed_over = self._step + 1, 0
        if turn == 0:
            self._now = self.random.choice(self._faults) if self._fault == _MIXED else self._fault
            self._victim = self.random.random()
        wanted = self._wanted(info, actions, turn) if phase % 2 == 0 else _heal(info, actions)
        for action in (wanted, 0):
            if action in situation.actions:
                return situation.actions.index(action)
        return self.random.randrange(len(situation.actions))

    def _requests(self, phase: int, turn: int) -> int:
        """Return the maximum number of requests that are handed over before a step."""
        if self._now != LATE_ANSWERS:
            return 1
        return self._late.requests(turn) if phase % 2 == 0 else 0

    def _wanted(self, info: Mapping[str, Any], actions: Actions, turn: int) -> int:
        """Return the action for the fault at this turn."""
        running = _running(info)
        if self._now == _CRASH_LOOP:
            return self._crash(info, actions)
        if len(running) < 2:
            return 0
        return _divide(info, actions, self._blocks(info, running, turn))

    def _blocks(self, info: Mapping[str, Any], running: Sequence[int], turn: int) -> Blocks:
        if self._now == LATE_ANSWERS:
            blocks = [int(block) for block in info["partition"]]
            return self._late.divide(running, blocks, _leader(info), turn, self._victim)
        first = int(self._victim * len(running))
        turned = [*running[first:], *running[:first]]
        most = len(running) // 2 + 1
        if self._now == "majority":
            return frozenset(turned[:most]), frozenset(turned[most:])
        if self._now == "bridge":
            bridge, others = turned[0], turned[1:]
            halves = others[: len(others) // 2], others[len(others) // 2 :]
            mine, theirs = (halves[0], halves[1]) if turn % 2 == 0 else (halves[1], halves[0])
            return frozenset([bridge, *mine]), frozenset(theirs)
        if self._now == "ring":
            place = turn % len(turned)
            turned = [*turned[place:], *turned[:place]]
            return frozenset(turned[:most]), frozenset(turned[most:])
        if self._now == _ISOLATED_LEADER:
            alone = _leader(info) if _leader(info) in running else None
        else:
            alone = turned[0] if turn % 2 == 0 else None
        if alone is None:
            return (frozenset(running),)
        return frozenset([alone]), frozenset(running) - {alone}

    def _crash(self, info: Mapping[str, Any], actions: Actions) -> int:
        """Return the start of a stopped replica or, without one, a stop."""
        mask = info["action_mask"]
        for kind in ("start", "stop"):
            found = [number for number in actions.find(kind) if mask[number]]
            if found:
                return found[int(self._victim * len(found))]
        return 0


def _running(info: Mapping[str, Any]) -> list[int]:
    """Return the numbers of the running replicas."""
    return [number for number, block in enumerate(info["partition"], 1) if int(block) >= 0]


def _identifies_leader(fields: Collection[str]) -> bool:
    """Return whether these fields identify a leader; see `LEADERS`."""
    return "leads" in fields or any(
        pair <= set(fields) for pair in ({"proposer", "height"}, {"state", "term"})
    )


def _leader(info: Mapping[str, Any]) -> int | None:
    """Return the number of the leader of the highest term, or of the proposer."""
    found = []
    for number, state in enumerate(json.loads(info["replicas"]), 1):
        if not state["active"]:
            continue
        if {"proposer", "height"} <= state.keys():
            found.append((state["height"], state["proposer"]))
        elif state.get("leads") == 1:
            found.append((next((state[name] for name in _TERMS if name in state), 0), number))
        elif state.get("state") == 2 and "term" in state:
            found.append((state["term"], number))
    return max(found)[1] if found else None


def _heal(info: Mapping[str, Any], actions: Actions) -> int:
    """Return the action that connects all replicas, or starts a stopped one."""
    mask = info["action_mask"]
    started = [number for number in actions.find("start") if mask[number]]
    return started[0] if started else _divide(info, actions, (frozenset(_running(info)),))


def _divide(info: Mapping[str, Any], actions: Actions, blocks: Blocks) -> int:
    """Return the action that makes a partition, up to equal colours; 0 if it exists."""
    now = [int(block) for block in info["partition"]]
    block_of = {replica: number for number, block in enumerate(blocks) for replica in block}
    wanted = tuple(block_of.get(replica, -1) for replica in range(1, len(now) + 1))
    if len(set(now)) == len(set(wanted)) == len({*zip(now, wanted, strict=True)}):
        return 0
    allowed = [number for number in actions.find("create") if info["action_mask"][number]]
    return find_action(Meaning("create", blocks=wanted), actions, allowed, info) or 0
