# SPDX-License-Identifier: GPL-2.0-only
"""Studies: policies in a grid of deployments, with tables, plots and a report."""

from defiance_zoo.experiments.study.configuration import (
    PlotConfig,
    PolicyConfig,
    Study,
    StudyConfig,
    read_study,
)
from defiance_zoo.experiments.study.running import run_study, summary
from defiance_zoo.experiments.workbench.runner import Outcome

__all__ = [
    "Outcome",
    "PlotConfig",
    "PolicyConfig",
    "Study",
    "StudyConfig",
    "read_study",
    "run_study",
    "summary",
]
