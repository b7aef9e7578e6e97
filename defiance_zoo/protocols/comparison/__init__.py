# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of explorers: policies, systems and seeds, with statistics and a report."""

from __future__ import annotations

from defiance_zoo.protocols.comparison.configuration import read_comparison
from defiance_zoo.protocols.comparison.running import compare_explorers

__all__ = ["compare_explorers", "read_comparison"]
