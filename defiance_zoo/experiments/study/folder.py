# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a study, which one process at a time writes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from defiance_zoo.bridge.system.reading import naming, read_json
from defiance_zoo.experiments.study.cells import Training
from defiance_zoo.experiments.study.jobs import TrainingJob
from defiance_zoo.experiments.workbench.descriptions import build_dataclass
from defiance_zoo.experiments.workbench.files import remove_incomplete, to_json, write_whole
from defiance_zoo.experiments.workbench.locked_folder import LockedFolder

Record = dict[str, Any]
"""What is known of a cell: `episodes`, a list of measures; or `error` and `message`."""


@dataclass
class Failure:
    """The record of a cell that failed."""

    error: str
    message: str


@dataclass
class Episodes:
    """The record of a cell of a study that was played.

    Attributes:
        episodes: The measures of each episode, by name.
        wall_time_s: The duration of each episode, in seconds.
    """

    episodes: list[dict[str, float | None]]
    wall_time_s: list[float]


class KeptCell(Protocol):
    """A cell, as far as its record is kept here."""

    @property
    def key(self) -> str:
        """Of everything that determines its results."""

    @property
    def place(self) -> Mapping[str, Any]:
        """Where it stands in the tables."""


class StudyFolder(LockedFolder):
    """A study's folder; see `LockedFolder`.

    Attributes:
        folders: What is in it from the beginning.
        results: The dataclass for the record of a cell that was played.
    """

    kind: ClassVar[str] = "study"
    described_by: ClassVar[str] = "study.yaml"
    folders: ClassVar[tuple[str, ...]] = ("cells", "plots", "trainings")
    results: ClassVar[type] = Episodes

    def __init__(self, path: Path) -> None:
        """Make or reopen it.

        Raises:
            ParameterError: It holds something else, or is in use.
        """
        created = self.prepare(path)
        super().__init__(path)
        self.created = created

    def begin(self, text: str, versions: Mapping[str, Any]) -> None:
        """Write what describes it, and delete what a process that was killed left incomplete."""
        remove_incomplete(self.path)
        write_whole(self.path / self.described_by, text)  # first: it marks the folder
        for name in self.folders:
            (self.path / name).mkdir(exist_ok=True)
        write_whole(self.path / "versions.json", to_json(versions, 2) + "\n")

    def record(self, cell: KeptCell) -> Record | None:
        """Return what is known of a cell."""
        return read_record(self.path, cell, self.results)

    def write_record(self, cell: KeptCell, record: Record) -> None:
        """Write down what is known of a cell."""
        failed = self.path / "cells" / f"{cell.key}.failed.json"
        path = failed if "error" in record else failed.with_name(f"{cell.key}.json")
        write_whole(path, to_json({"cell": cell.place, **record}, 1) + "\n")
        if path != failed:
            failed.unlink(missing_ok=True)


def read_record(folder: Path, cell: KeptCell, results: type = Episodes) -> Record | None:
    """Return what a folder, which need not exist, knows of a cell.

    Raises:
        ParameterError: The file of the cell is damaged.
    """
    for name in (f"{cell.key}.json", f"{cell.key}.failed.json"):
        if (folder / "cells" / name).is_file():
            return _read_record(folder / "cells" / name, results)
    return None


def _read_record(path: Path, results: type) -> Record:
    damage = "is damaged; delete it, and its cell is played again"
    with naming(path, damage, also=(AttributeError, KeyError, TypeError)):
        known: Record = read_json(path)
        kind = Failure if "error" in known else results
        known.pop("cell")
        build_dataclass(kind, known, more=True)
        return known


def is_finished(folder: Path, cell: KeptCell) -> bool:
    """Tell whether a folder, which need not exist, has the results of a cell."""
    return (folder / "cells" / f"{cell.key}.json").is_file()


def training_job(folder: Path, training: Training, *, trust: bool = False) -> TrainingJob:
    """Return what trains a run in a study's folder, which need not exist."""
    return TrainingJob(training.config, folder / "trainings" / training.key, trust)
