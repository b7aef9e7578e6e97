# SPDX-License-Identifier: GPL-2.0-only
"""Predicates of Tendermint replicas, and hierarchies of them."""

from __future__ import annotations

from collections.abc import Sequence

from defiance_zoo.envs.partition.states import Step, TendermintState
from defiance_zoo.protocols.predicates.predicate import (
    Hierarchies,
    Predicate,
    pending_requests,
)

States = Sequence[TendermintState]


def any_round(least: int) -> Predicate:
    """Return a predicate: some replica has reached the round, at any height."""
    return Predicate(f"any in round {least}", lambda s: any(each.round >= least for each in s))


def all_rounds(least: int) -> Predicate:
    """Return a predicate: every replica has reached the round."""
    return Predicate(f"all in round {least}", lambda s: all(each.round >= least for each in s))


def any_commit(height: int) -> Predicate:
    """Return a predicate: some replica has decided the height."""
    return Predicate(f"any committed {height}", lambda s: any(each.height > height for each in s))


def any_step(step: Step) -> Predicate:
    """Return a predicate: some running replica is in the step."""
    name = step.name.lower()
    return Predicate(f"any in {name}", lambda s: any(e.active and e.step == step for e in s))


def _any_round_after_commit(states: States) -> bool:
    return any(each.height > 1 and each.round >= 1 for each in states)


def _same_locked(states: States) -> bool:
    locked = _locked(states)
    return len(set(locked)) < len(locked)


def _quorum_commit(states: States) -> bool:
    return 3 * sum(each.height > 1 for each in states) > 2 * len(states)


def _commit_with_precommit(states: States) -> bool:
    last = max(each.height for each in states)
    return any(each.height < last and each.step == Step.PRECOMMIT for each in states)


ANY_ROUND_AFTER_COMMIT = Predicate("any in round 1 after a commit", _any_round_after_commit)
ANY_LOCKED = Predicate("any locked", lambda s: bool(_locked(s)))
ALL_LOCKED = Predicate("all locked", lambda s: len(_locked(s)) == len(s))
DIFFERENT_LOCKED = Predicate("locked on different values", lambda s: len(set(_locked(s))) > 1)
SAME_LOCKED = Predicate("two locked on one value", _same_locked)
QUORUM_COMMIT = Predicate("a quorum has committed", _quorum_commit)
COMMIT_WITH_PRECOMMIT = Predicate("one committed what another precommits", _commit_with_precommit)


def _stale_valid(states: States) -> list[TendermintState]:
    """Return replicas with a valid value older than the lock of another one on another value."""
    return [
        each
        for each in states
        if each.active and each.valid and any(_locked_later(other, each) for other in states)
    ]


def _locked_later(state: TendermintState, than: TendermintState) -> bool:
    same_height = state.height == than.height
    return same_height and state.locked_round > than.valid_round and state.locked != than.valid


ANY_VALID = Predicate("any valid", lambda s: any(each.valid for each in s))
STALE_VALID = Predicate(
    "a valid value is older than a lock on another value", lambda s: bool(_stale_valid(s))
)
STALE_VALID_PROPOSER = Predicate(
    "the proposer has a valid value older than a lock on another value",
    lambda s: any(each.proposer == each.id for each in _stale_valid(s)),
)

TENDERMINT_HIERARCHIES: Hierarchies = {
    "AnyRound1AfterCommit": (any_commit(1), ANY_ROUND_AFTER_COMMIT),
    "AnyRound1": (any_step(Step.PREVOTE), any_step(Step.PRECOMMIT), any_round(1)),
    "AllRound1": (any_round(1), all_rounds(1)),
    "AnyLocked": (any_step(Step.PREVOTE), ANY_LOCKED),
    "AllLocked": (ANY_LOCKED, SAME_LOCKED, ALL_LOCKED),
    "DifferentLocked": (ANY_LOCKED, ANY_LOCKED & any_round(1), DIFFERENT_LOCKED),
    "SameLocked": (ANY_LOCKED, SAME_LOCKED),
    "StaleValid": (ANY_VALID, ANY_VALID & any_round(1), STALE_VALID, STALE_VALID_PROPOSER),
    "Round1NoLocked": (any_round(1), any_round(1) & ~ANY_LOCKED),
    "Round1Locked": (ANY_LOCKED, any_round(1) & ANY_LOCKED),
    "Commit1": (any_step(Step.PRECOMMIT), any_commit(1)),
    "StepPreCommit": (any_step(Step.PREVOTE), any_step(Step.PRECOMMIT)),
    "StepPrevote": (any_step(Step.PREVOTE),),
    "KeepQuorumCommit": (any_commit(1), QUORUM_COMMIT),
    "CommitWithPreCommit": (any_step(Step.PRECOMMIT), COMMIT_WITH_PRECOMMIT),
    "Commit1WithRemainingRequests": (any_commit(1), any_commit(1) & pending_requests(1)),
}
"""Hierarchies of predicates, by the name of the last predicate."""


def _locked(states: States) -> list[int]:
    return [each.locked for each in states if each.locked]
