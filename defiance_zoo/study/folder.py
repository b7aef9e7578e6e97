# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a study, which one process at a time writes to."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from defiance_zoo.errors import ParameterError
from defiance_zoo.study.cells import Cell, Training
from defiance_zoo.study.jobs import TrainingJob
from defiance_zoo.study.study_file import Study
from defiance_zoo.training.files import remove_incomplete, to_json, write_whole
from defiance_zoo.training.folder import LOCK, lock

_STUDY = "study.yaml"
Record = dict[str, Any]
"""What is known of a cell: `episodes`, a list of measures; or `error` and `message`."""


class StudyFolder:
    """A study's folder, locked as long as this object is open.

    Attributes:
        path: Of the folder.
    """

    def __init__(self, path: Path) -> None:
        """Make or reopen it.

        Raises:
            ParameterError: It holds something else, or is in use.
        """
        self.path = path
        if path.exists() and not path.is_dir():
            raise ParameterError(f"{path} is a file")
        others = path.is_dir() and {entry.name for entry in path.iterdir()} - {LOCK}
        if others and not (path / _STUDY).is_file():
            raise ParameterError(f"{path} is not empty, and no study: choose another folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ParameterError(f"{path} cannot be made: {error.strerror}") from error
        self._lock = lock(path)

    def begin(self, study: Study, versions: dict[str, Any]) -> None:
        """Say what the study is, and delete what a process that was killed left incomplete."""
        remove_incomplete(self.path)
        for name in ("cells", "plots", "trainings"):
            (self.path / name).mkdir(exist_ok=True)
        write_whole(self.path / _STUDY, study.text)
        write_whole(self.path / "versions.json", to_json(versions, 2) + "\n")

    def record(self, cell: Cell) -> Record | None:
        """Return what is known of a cell."""
        return read_record(self.path, cell)

    def write_record(self, cell: Cell, record: Record) -> None:
        """Write down what is known of a cell."""
        failed = self.path / "cells" / f"{cell.key}.failed.json"
        path = failed if "error" in record else failed.with_name(f"{cell.key}.json")
        write_whole(path, to_json({"cell": cell.place, **record}, 1) + "\n")
        if path != failed:
            failed.unlink(missing_ok=True)

    def close(self) -> None:
        """Unlock it; may be called again."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def read_record(folder: Path, cell: Cell) -> Record | None:
    """Return what a folder, which need not exist, knows of a cell."""
    for name in (f"{cell.key}.json", f"{cell.key}.failed.json"):
        if (folder / "cells" / name).is_file():
            known: Record = json.loads((folder / "cells" / name).read_text())
            return known
    return None


def is_finished(folder: Path, cell: Cell) -> bool:
    """Tell whether a folder, which need not exist, has the results of a cell."""
    return (folder / "cells" / f"{cell.key}.json").is_file()


def training_job(folder: Path, training: Training) -> TrainingJob:
    """Return what trains a run in a study's folder, which need not exist."""
    return TrainingJob(training.config, folder / "trainings" / training.key)
