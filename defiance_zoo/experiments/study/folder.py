# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a study."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from defiance_zoo.experiments.study.cells import Training
from defiance_zoo.experiments.study.jobs import TrainingJob
from defiance_zoo.experiments.workbench.results_folder import ResultsFolder


@dataclass
class Episodes:
    """The record of a finished cell of a study.

    Attributes:
        episodes: The measures of each episode, by name.
        wall_time_s: The duration of each episode, in seconds.
    """

    episodes: list[dict[str, float | None]]
    wall_time_s: list[float]


class StudyFolder(ResultsFolder):
    """A study's folder; see `ResultsFolder`."""

    kind: ClassVar[str] = "study"
    described_by: ClassVar[str] = "study.yaml"
    folders: ClassVar[tuple[str, ...]] = ("cells", "plots", "trainings")
    results: ClassVar[type] = Episodes


def training_job(folder: Path, training: Training, *, trust: bool = False) -> TrainingJob:
    """Return the job that trains a run in a study's folder, which need not exist."""
    return TrainingJob(training.config, folder / "trainings" / training.key, trust)
