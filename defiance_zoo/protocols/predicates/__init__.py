# SPDX-License-Identifier: GPL-2.0-only
"""Predicates of the states of all replicas; `raft` and `tendermint` are for one protocol."""

from defiance_zoo.protocols.predicates.predicate import (
    Hierarchies,
    Predicate,
    pending_requests,
    satisfied,
)

__all__ = ["Hierarchies", "Predicate", "pending_requests", "satisfied"]
