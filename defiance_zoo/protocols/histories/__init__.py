# SPDX-License-Identifier: GPL-2.0-only
"""Histories of clients, and checks of their linearizability."""

from defiance_zoo.protocols.histories.checking import Anomaly, Verdict, check_history
from defiance_zoo.protocols.histories.operation import Operation, read_history

__all__ = ["Anomaly", "Operation", "Verdict", "check_history", "read_history"]
