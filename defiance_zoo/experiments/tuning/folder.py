# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a tuning, and the folders of its trials."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.provenance import VERSIONS, require_same_program, versions
from defiance_zoo.experiments.tuning.configuration import TuningConfig
from defiance_zoo.experiments.workbench.descriptions import build_model, model_to_yaml, read_yaml
from defiance_zoo.experiments.workbench.files import write_json, write_whole
from defiance_zoo.experiments.workbench.locked_folder import LockedFolder

DESCRIPTION, STORAGE, TABLE, BEST = "tuning.yaml", "optuna.db", "trials.csv", "best.yaml"
"""The files in the folder of a tuning."""

_JOURNAL = "journal.log"  # of earlier versions


class TuningFolder(LockedFolder):
    """A folder that a tuning's processes share; each process locks it briefly, see `locked()`."""

    kind: ClassVar[str] = "tuning"
    described_by: ClassVar[str] = DESCRIPTION


class TrialFolder(LockedFolder):
    """A folder that a trial's process locks until the trial ends.

    If a trial has not ended and its folder is not locked, its process has ended early.
    """

    kind: ClassVar[str] = "trial"
    described_by: ClassVar[str] = "trial.json"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[TuningFolder]:
    """Lock the folder of a tuning, after other processes have unlocked it.

    Raises:
        ParameterError: The folder holds other files, or cannot be made.
    """
    with contextlib.closing(TuningFolder(path, new=True, overwrite=True, wait=True)) as folder:
        yield folder


def trial_folder(tuning: Path, number: int) -> Path:
    """Return the folder of a trial."""
    return tuning / "trials" / f"{number:04}"


def is_running(folder: Path) -> bool:
    """Return whether the process of a trial is alive."""
    if not folder.is_dir():
        return False
    try:
        TrialFolder(folder).close()
    except ParameterError:
        return True
    return False


def begin(path: Path, config: TuningConfig) -> None:
    """Write a tuning's description, or compare it with the description in its folder.

    Raises:
        ParameterError: The folder holds other files, or another tuning.
        ProgramChanged: The scenario's program has changed since the tuning began.
    """
    with locked(path):
        if (path / _JOURNAL).exists() and not (path / STORAGE).exists():
            raise ParameterError(
                f"{path} holds a tuning of an earlier version, which kept its trials in {_JOURNAL}:"
                " choose another folder, or continue it with that version"
            )
        description = path / DESCRIPTION
        if description.is_file():
            known = build_model(TuningConfig, read_yaml(description))
            _require_equal(path, _comparable(known), _comparable(config))
            remedy = "restore the file, or choose another folder"
            require_same_program(path, config.env, config.parameters, remedy=remedy)
        else:
            found = versions(config.env, config.parameters, config.library)
            write_json(path / VERSIONS, found, 2)
            write_whole(description, model_to_yaml(config))


def _require_equal(path: Path, known: dict[str, Any], given: dict[str, Any]) -> None:
    different = sorted(
        key for key in known.keys() | given.keys() if known.get(key) != given.get(key)
    )
    if different:
        raise ParameterError(
            f"{path} holds a tuning with other values of {', '.join(different)}: choose another "
            "folder, or continue it with the same description"
        )


def _comparable(config: TuningConfig) -> dict[str, Any]:
    """Return the keys that distinguish two tunings: all but the number of trials."""
    described = config.model_dump()
    tuning = described.pop("tuning")
    del tuning["trials"]
    return {**described, **{f"tuning.{key}": value for key, value in tuning.items()}}
