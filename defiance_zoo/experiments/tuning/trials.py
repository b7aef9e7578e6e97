# SPDX-License-Identifier: GPL-2.0-only
"""The folder of a tuning, with its trials in Optuna's storage; several processes may use both."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import optuna
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.exc import OperationalError

from defiance_zoo.bridge.process.simulation_process import ATTEMPTS
from defiance_zoo.bridge.system.reading import naming, open_regular
from defiance_zoo.bridge.system.whole_files import write_json, write_whole
from defiance_zoo.errors import NotWritten, ParameterError
from defiance_zoo.experiments.training.provenance import VERSIONS, require_same_program, versions
from defiance_zoo.experiments.tuning.configuration import TuningConfig
from defiance_zoo.experiments.workbench.descriptions import build_model, model_to_yaml, read_yaml
from defiance_zoo.experiments.workbench.results_folder import LockedFolder

DESCRIPTION, STORAGE = "tuning.yaml", "optuna.db"
_JOURNAL = "journal.log"  # of earlier versions
_PATIENCE_S = 60.0  # for another process's transaction

STATES = {
    TrialState.COMPLETE: "complete",
    TrialState.PRUNED: "pruned",
    TrialState.RUNNING: "running",
    TrialState.FAIL: "failed",
}


class TuningFolder(LockedFolder):
    """A folder that a tuning's processes share; each process locks it briefly, see `locked()`."""

    kind: ClassVar[str] = "tuning"
    described_by: ClassVar[str] = DESCRIPTION


class TrialFolder(LockedFolder):
    """A folder that a trial's process locks until the trial ends.

    The kernel releases the lock whenever the process ends, so a trial that has not ended, and whose
    folder is not locked, is interrupted. Optuna's heartbeat would need a minute to find that out.
    """

    kind: ClassVar[str] = "trial"
    described_by: ClassVar[str] = "trial.json"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the folder of a tuning, after other processes have unlocked it."""
    with contextlib.closing(TuningFolder(path, new=True, overwrite=True, wait=True)):
        yield


def trial_folder(tuning: Path, number: int) -> Path:
    """Return the folder of a trial."""
    return tuning / "trials" / f"{number:04}"


def begin(path: Path, config: TuningConfig) -> None:
    """Write a tuning's description, or compare it with the description in its folder."""
    with locked(path):
        if (path / _JOURNAL).exists() and not (path / STORAGE).exists():
            raise ParameterError(
                f"{path} holds a tuning of an earlier version, which kept its trials in {_JOURNAL}:"
                " choose another folder, or continue it with that version"
            )
        if not (path / DESCRIPTION).is_file():
            write_whole(path / DESCRIPTION, model_to_yaml(config))
        if not (path / VERSIONS).is_file():
            write_json(path / VERSIONS, versions(config.env, config.parameters, config.library), 2)
        there = _comparable(build_model(TuningConfig, read_yaml(path / DESCRIPTION)))
        given = _comparable(config)
        different = [key for key in sorted(given) if given[key] != there.get(key)]
        if different:
            raise ParameterError(
                f"{path} holds a tuning with other values of {', '.join(different)}: choose "
                "another folder, or continue it with the same description"
            )
        remedy = "restore the file, or choose another folder"
        require_same_program(path, config.env, config.parameters, remedy=remedy)


def _comparable(config: TuningConfig) -> dict[str, Any]:
    """Return the keys that distinguish two tunings: all but the number of trials."""
    described = config.model_dump()
    tuning = described.pop("tuning")
    del tuning["trials"]
    return {**described, **{f"tuning.{key}": value for key, value in tuning.items()}}


@dataclass(frozen=True)
class Trial:
    """A trial of a tuning.

    Attributes:
        number: Number of the trial, from 0.
        state: `complete`, `pruned`, `failed`, `running`, or `interrupted`: the next command
            continues it.
        value: Mean over seeds of the best evaluation's mean return (of the last evaluation's for a
            pruned trial); None if missing.
        values: The value of each searched key.
        returns: The best mean return of each finished seed.
        evaluations: Number of evaluations.
        duration_s: Duration in seconds, interruptions included; None before the end.
        reason: Reason of a failure; empty without one.
    """

    number: int
    state: str
    value: float | None
    values: Mapping[str, Any]
    returns: tuple[float, ...]
    evaluations: int
    duration_s: float | None
    reason: str


class Trials:
    """The trials of a tuning; the caller has locked its folder, or writes only to its own trial."""

    def __init__(self, path: Path, config: TuningConfig) -> None:
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._path, self._rules, self._file = path, config.tuning, path / STORAGE
        self._ranges = config.tuning.space.ranges
        pruner: optuna.pruners.BasePruner = optuna.pruners.NopPruner()
        if self._rules.pruner == "median":
            pruner = optuna.pruners.MedianPruner(
                self._rules.startup_trials, self._rules.warmup_evaluations
            )
        if self._file.exists() or self._file.is_symlink():
            with naming(self._file):
                os.close(open_regular(self._file))
        try:
            with self._storing():
                self._storage = optuna.storages.RDBStorage(
                    "sqlite:///", engine_kwargs={"creator": self._connect}
                )
                self._study = optuna.create_study(
                    study_name="tuning",
                    storage=self._storage,
                    direction="maximize",
                    pruner=pruner,
                    load_if_exists=True,
                )
                self.all()
        except NotWritten:
            raise
        except Exception as error:  # SQLAlchemy and Optuna raise any error for other contents
            raise ParameterError(
                f"{self._file} is damaged: choose another folder: {error}"
            ) from error

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_PATIENCE_S, check_same_thread=False)

    def all(self) -> list[Trial]:
        """Return all trials, in the order in which they began."""
        return [self._read(trial) for trial in self._study.get_trials(deepcopy=False)]

    def claim(self, session: str) -> Trial | None:
        """Return the first interrupted trial, or else a new one; None if there are enough trials.

        A trial that has lost several processes of one session, a call of `tune()`, fails.
        """
        stored = self._study.get_trials(deepcopy=False)
        for trial in stored:
            if self._read(trial).state != "interrupted":
                continue
            last, attempts = trial.user_attrs["attempts"]
            attempts = attempts + 1 if last == session else 1
            if attempts <= ATTEMPTS:
                self._note(trial.number, attempts=[session, attempts])
                return self._read(trial)
            reason = f"its process has ended early in {ATTEMPTS} attempts"
            self.end(trial.number, TrialState.FAIL, reason=reason)
        if len(stored) >= self._rules.trials:
            return None
        with self._storing():
            self._study.add_trial(self._sample(stored, session))  # at once: no trial lacks a value
        return self.all()[-1]

    def _sample(self, stored: list[FrozenTrial], session: str) -> FrozenTrial:
        """Return a new trial; its values depend only on the seed, its number and earlier trials.

        A sampler keeps its generator's state in memory. Each trial has a sampler with a seed
        derived from the trial's number, so a continued tuning does not repeat values.
        """
        seed = np.random.SeedSequence([self._rules.seed, len(stored)]).generate_state(1)
        sampler = optuna.samplers.TPESampler(seed=int(seed[0]))
        draft = optuna.create_study(direction="maximize", sampler=sampler)
        draft.add_trials(stored)
        trial = draft.ask({key: searched.distribution for key, searched in self._ranges.items()})
        trial.set_user_attr("attempts", [session, 1])
        return draft.trials[-1]

    def report(self, number: int, evaluation: int, value: float) -> bool:
        """Write the value of an evaluation; return whether Optuna prunes the trial.

        A continued trial may report an evaluation again.
        """
        with self._storing():
            trial = self._find(number)
            self._storage.set_trial_intermediate_value(trial, evaluation, value)
            return self._study.pruner.prune(self._study, self._storage.get_trial(trial))

    def end(self, number: int, state: TrialState, value: float | None = None, **facts: Any) -> None:
        """Write the end of a trial, with its `returns` and `reason`; see `Trial`."""
        self._note(number, **facts)
        with self._storing():
            self._study.tell(number, value, state)

    def _note(self, number: int, **facts: Any) -> None:
        """Write attributes of a trial."""
        with self._storing():
            for name, fact in facts.items():
                self._storage.set_trial_user_attr(self._find(number), name, fact)

    def _find(self, number: int) -> int:
        """Return Optuna's identifier of a trial."""
        return self._storage.get_trial_id_from_study_id_trial_number(self._study._study_id, number)

    @contextlib.contextmanager
    def _storing(self) -> Iterator[None]:
        """Name the file, and this package's class, of an error such as a full disk."""
        try:
            yield
        except (OperationalError, optuna.exceptions.StorageInternalError) as error:
            cause = error if isinstance(error, OperationalError) else error.__cause__
            reason = getattr(cause, "orig", error)
            raise NotWritten(f"{self._file} cannot be written: {reason}") from error

    def _read(self, trial: FrozenTrial) -> Trial:
        state, duration = STATES[trial.state], trial.duration
        if state == "running" and not _is_locked(trial_folder(self._path, trial.number)):
            state = "interrupted"
        values = {
            key: searched.by_label.get(trial.params[key], trial.params[key])
            for key, searched in self._ranges.items()
        }
        return Trial(
            trial.number,
            state,
            trial.value,
            values,
            tuple(trial.user_attrs.get("returns", ())),
            len(trial.intermediate_values),
            None if duration is None else duration.total_seconds(),
            trial.user_attrs.get("reason", ""),
        )


def _is_locked(folder: Path) -> bool:
    """Return whether the process of a trial is alive."""
    if not folder.is_dir():
        return False
    try:
        TrialFolder(folder).close()
    except ParameterError:
        return True
    return False
