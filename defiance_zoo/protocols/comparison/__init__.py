# SPDX-License-Identifier: GPL-2.0-only
"""Comparisons of explorers: policies, systems and seeds, with statistics and a report."""

from defiance_zoo.experiments.workbench.runner import Outcome
from defiance_zoo.protocols.comparison.configuration import (
    Comparison,
    ComparisonConfig,
    ExplorerConfig,
    SystemConfig,
    read_comparison,
)
from defiance_zoo.protocols.comparison.running import compare_explorers

__all__ = [
    "Comparison",
    "ComparisonConfig",
    "ExplorerConfig",
    "Outcome",
    "SystemConfig",
    "compare_explorers",
    "read_comparison",
]
