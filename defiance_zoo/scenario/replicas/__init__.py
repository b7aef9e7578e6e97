# SPDX-License-Identifier: GPL-2.0-only
"""Protocols in Python for testers that partition and crash replicas, as in `partition_v0`."""

from typing import TYPE_CHECKING, Any

from defiance_zoo.scenario.replicas.clients import (
    COMPARE_AND_SWAP,
    READ,
    WRITE,
    Operation,
    Registers,
    operation,
)
from defiance_zoo.scenario.replicas.companion import Companion
from defiance_zoo.scenario.replicas.protocol import (
    Field,
    Group,
    Protocol,
    choice,
    number,
    replica_number,
)
from defiance_zoo.scenario.replicas.replica import Disk, Entry, Event, Replica, State
from defiance_zoo.scenario.replicas.simulation import Simulation
from defiance_zoo.scenario.replicas.virtual_library import patched

if TYPE_CHECKING:
    from defiance_zoo.scenario.replicas.async_replica import AsyncReplica

__all__ = [
    "Simulation",
    "Protocol",
    "Replica",
    "AsyncReplica",
    "Disk",
    "State",
    "Entry",
    "Group",
    "Event",
    "Field",
    "number",
    "choice",
    "replica_number",
    "Registers",
    "Operation",
    "operation",
    "READ",
    "WRITE",
    "COMPARE_AND_SWAP",
    "patched",
    "Companion",
]


def __getattr__(name: str) -> Any:
    """Return `AsyncReplica`, which loads asyncio; few protocols need it."""
    if name == "AsyncReplica":
        from defiance_zoo.scenario.replicas.async_replica import AsyncReplica

        return AsyncReplica
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
