# SPDX-License-Identifier: GPL-2.0-only
"""Predicates of the states of all replicas; `raft` and `tendermint` are for one protocol."""

from defiance_zoo.protocols.predicates.predicate import (
    And,
    Hierarchies,
    Not,
    Or,
    Predicate,
    pending_requests,
    satisfied,
)

__all__ = ["And", "Hierarchies", "Not", "Or", "Predicate", "pending_requests", "satisfied"]
