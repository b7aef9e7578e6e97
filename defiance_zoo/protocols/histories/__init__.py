# SPDX-License-Identifier: GPL-2.0-only
"""Histories of clients, and checks of their consistency."""

from defiance_zoo.protocols.histories.checking import Anomaly, Verdict, check_history
from defiance_zoo.protocols.histories.operation import Operation, read_history
from defiance_zoo.protocols.histories.sessions import find_breach

__all__ = ["Anomaly", "Operation", "Verdict", "check_history", "find_breach", "read_history"]
