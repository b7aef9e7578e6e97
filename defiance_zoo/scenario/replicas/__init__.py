# SPDX-License-Identifier: GPL-2.0-only
"""Protocols in Python for testers that partition and crash replicas, as in `partition_v0`."""

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

__all__ = [
    "Simulation",
    "Protocol",
    "Replica",
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
