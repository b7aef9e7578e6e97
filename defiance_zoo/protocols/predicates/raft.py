# SPDX-License-Identifier: GPL-2.0-only
"""Predicates of Raft replicas, and hierarchies of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from defiance_zoo.envs.partition.states import RaftState, Role
from defiance_zoo.protocols.predicates.predicate import (
    Hierarchies,
    Predicate,
    pending_requests,
)

States = Sequence[RaftState]


def one_in_term(term: int) -> Predicate:
    """Return a predicate: some replica has reached the term."""
    return Predicate(f"one in term {term}", lambda s: any(each.term >= term for each in s))


def all_in_term(term: int) -> Predicate:
    """Return a predicate: every replica has reached the term."""
    return Predicate(f"all in term {term}", lambda s: all(each.term >= term for each in s))


def term_difference(least: int) -> Predicate:
    """Return a predicate: the terms of two replicas differ by at least this number."""
    return Predicate(f"terms differ by {least}", lambda s: _spread(s, "term") >= least)


def min_commit(index: int) -> Predicate:
    """Return a predicate: every replica has committed up to the index."""
    return Predicate(f"all committed {index}", lambda s: all(each.commit >= index for each in s))


def leader_in_term(term: int) -> Predicate:
    """Return a predicate: a running replica leads this term, or a later one."""
    return Predicate(
        f"leader in term {term}",
        lambda s: any(each.term >= term for each in _with_role(s, Role.LEADER)),
    )


def commit_in_term(term: int) -> Predicate:
    """Return a predicate: an entry of this term, or of a later one, is committed."""
    return Predicate(
        f"commit in term {term}",
        lambda s: any(entry.term >= term for each in s for entry in each.committed),
    )


def log_gap(least: int) -> Predicate:
    """Return a predicate: the lengths of two replicas' logs differ by at least this number."""
    return Predicate(f"logs differ by {least}", lambda s: _spread(s, "index") >= least)


def log_commit_gap(least: int) -> Predicate:
    """Return a predicate: a replica has at least this number of uncommitted entries."""
    return Predicate(
        f"{least} uncommitted", lambda s: any(each.index - each.commit >= least for each in s)
    )


def sync_to(index: int) -> Predicate:
    """Return a predicate: every replica's log has reached the index."""
    return Predicate(f"all have {index}", lambda s: all(each.index >= index for each in s))


ONE_LEADER = Predicate("one leader", lambda s: len(_with_role(s, Role.LEADER)) == 1)
ONE_CANDIDATE = Predicate("one candidate", lambda s: len(_with_role(s, Role.CANDIDATE)) == 1)


def _any_differs(
    states: States,
    of: States,
    entries: str,
    differs: Callable[[int, set[int]], bool],
) -> bool:
    """Return whether an entry's term differs from terms in other logs at its index.

    `entries` is the field with the compared entries, and `differs` is called with the term of an
    entry, and all terms at its index.
    """
    terms: dict[int, set[int]] = {}
    for each in states:
        for index, entry in enumerate(each.log, start=each.snapshot + 1):
            terms.setdefault(index, set()).add(entry.term)
    return any(
        differs(entry.term, terms[index])
        for each in of
        for index, entry in enumerate(getattr(each, entries), start=each.snapshot + 1)
    )


def _is_older(term: int, terms: set[int]) -> bool:
    return term < max(terms)


def _is_newer(term: int, terms: set[int]) -> bool:
    return term > min(terms)


DIFFERENT_TERMS = Predicate(
    "entries of different terms at one index", lambda s: _any_differs(s, s, "log", _is_older)
)
OLDER_ENTRY_LEADS = Predicate(
    "a leader has an older entry where another replica has a newer one",
    lambda s: _any_differs(s, _with_role(s, Role.LEADER), "log", _is_older),
)
NEWER_ENTRY_LEADS = Predicate(
    "a leader has a newer entry where another replica has an older one",
    lambda s: _any_differs(s, _with_role(s, Role.LEADER), "log", _is_newer),
)
OLDER_ENTRY_COMMITTED = Predicate(
    "an older entry is committed where another replica has a newer one",
    lambda s: _any_differs(s, s, "committed", _is_older),
)

RAFT_HIERARCHIES: Hierarchies = {
    "OneInTerm4": (one_in_term(2), one_in_term(3), one_in_term(4)),
    "AllInTerm5": (all_in_term(2), all_in_term(3), all_in_term(4), all_in_term(5)),
    "TermDiff2": (term_difference(1), term_difference(2)),
    "MinCommit2": (min_commit(1), min_commit(2)),
    "LeaderInTerm4": (leader_in_term(1), leader_in_term(2), leader_in_term(3), leader_in_term(4)),
    "OneLeaderOneCandidate": (ONE_LEADER, ONE_LEADER & ONE_CANDIDATE),
    "AtLeastOneCommitInTerm2": (one_in_term(2), leader_in_term(2), commit_in_term(2)),
    "LogGap2": (leader_in_term(1), log_gap(1), log_gap(2)),
    "LogCommitGap3": (log_commit_gap(1), log_commit_gap(2), log_commit_gap(3)),
    "EntriesDifferentTerms": (DIFFERENT_TERMS,),
    "EntriesDifferentTermsSteps": (leader_in_term(1), log_gap(1), leader_in_term(2),
                                   DIFFERENT_TERMS),
    "Figure8": (log_commit_gap(1), DIFFERENT_TERMS, OLDER_ENTRY_LEADS, OLDER_ENTRY_COMMITTED),
    "LogDifference3": (log_gap(1), log_gap(2), log_gap(3)),
    "SyncTo6WithPReq5": (sync_to(2), sync_to(4), sync_to(6) & pending_requests(5)),
    "SyncTo7WithPReq5": (sync_to(2), sync_to(4), sync_to(6), sync_to(7) & pending_requests(5)),
    "StaleAnswers": (log_commit_gap(1), log_commit_gap(2), DIFFERENT_TERMS, NEWER_ENTRY_LEADS,
                     NEWER_ENTRY_LEADS & leader_in_term(3),
                     NEWER_ENTRY_LEADS & leader_in_term(3) & log_commit_gap(2)),
    "Sync7_LogDifference3": (sync_to(3), sync_to(5), sync_to(7), sync_to(7) & log_gap(3)),
    "Sync6_LogDifference4": (sync_to(3), sync_to(6), sync_to(6) & log_gap(2),
                             sync_to(6) & log_gap(4)),
}  # fmt: skip
"""Hierarchies of predicates, by the name of the last predicate."""


def _spread(states: States, field: str) -> int:
    values = [getattr(state, field) for state in states]
    return int(max(values) - min(values))


def _with_role(states: States, role: Role) -> list[RaftState]:
    return [state for state in states if state.active and state.state == role]
