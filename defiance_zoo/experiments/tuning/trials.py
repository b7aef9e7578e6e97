# SPDX-License-Identifier: GPL-2.0-only
"""A tuning's trials in Optuna's journal, to which several processes may write."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.samplers import TPESampler
from optuna.storages.journal import JournalFileBackend, JournalStorage
from optuna.storages.journal._file import BaseJournalFileLock
from optuna.trial import TrialState

from defiance_zoo.bridge.system.reading import naming, read_bytes
from defiance_zoo.experiments.tuning.configuration import Range, TuningConfig
from defiance_zoo.experiments.tuning.folder import JOURNAL, is_running, trial_folder

State = Literal["complete", "pruned", "failed", "running"]
_STATES: dict[TrialState, State] = {
    TrialState.COMPLETE: "complete",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "running",
    TrialState.WAITING: "running",
}
_ENDS = {state: found for found, state in _STATES.items()}
_NAME = "tuning"
_MOST_BYTES = 2**24
"""Maximum size of a journal in bytes; thousands of trials need less."""
_LOST = "its process ended before the trial"


@dataclass(frozen=True)
class Trial:
    """A trial of a tuning.

    Attributes:
        number: Number of the trial, from 0.
        state: End of the trial, or `running`.
        value: Mean over seeds of the best evaluation's mean return (of the last evaluation's for a
            pruned trial); None if missing.
        values: The value of each searched key.
        returns: The best mean return of each finished seed.
        evaluations: Number of evaluations.
        duration_s: Duration in seconds; None while it is running.
        reason: Reason of a failure; empty without one.
    """

    number: int
    state: State
    value: float | None
    values: Mapping[str, Any]
    returns: tuple[float, ...]
    evaluations: int
    duration_s: float | None
    reason: str


class Trials:
    """The trials in the journal of a tuning."""

    def __init__(self, path: Path, config: TuningConfig) -> None:
        """Open the journal, or create it.

        Args:
            path: The folder of the tuning; the caller must have locked it.
            config: The tuning.

        Raises:
            ParameterError: The journal cannot be read, or is damaged.
        """
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._path, self._config = path, config
        journal = path / JOURNAL
        damage = "is damaged: choose another folder"
        with naming(journal, damage, also=(Exception,)):
            if journal.exists() or journal.is_symlink():
                read_bytes(journal, _MOST_BYTES)  # refuses pipes, devices and large files
            lock = _KernelLock(journal.with_suffix(".lock"))
            self._storage = JournalStorage(JournalFileBackend(str(journal), lock))
            begun = _NAME in optuna.get_all_study_names(self._storage)
            if not begun:
                optuna.create_study(study_name=_NAME, storage=self._storage, direction="maximize")
            self._study = optuna.load_study(
                study_name=_NAME, storage=self._storage, pruner=_pruner(config)
            )
            self.all()

    def all(self) -> list[Trial]:
        """Return all trials, in the order in which they began."""
        return [self._read(each) for each in self._study.get_trials(deepcopy=False)]

    def ask(self) -> optuna.Trial:
        """Begin a trial; its values depend only on the seed, its number and earlier trials.

        A sampler keeps its generator's state in memory. Each trial has a sampler with a seed
        derived from the trial's number, so a continued tuning does not repeat values.
        """
        number = len(self._study.get_trials(deepcopy=False))
        seed = np.random.SeedSequence([self._config.tuning.seed, number]).generate_state(1)
        self._study.sampler = TPESampler(seed=int(seed[0]))
        ranges = self._config.tuning.space.ranges
        return self._study.ask({key: _distribution(each) for key, each in ranges.items()})

    def values(self, trial: optuna.Trial) -> dict[str, Any]:
        """Return the value of each key for a trial."""
        return self._values(trial.params)

    def end(
        self,
        number: int,
        state: State,
        *,
        value: float | None = None,
        returns: tuple[float, ...] = (),
        reason: str = "",
    ) -> None:
        """Write the end of a trial, unless the trial has already ended.

        Args:
            number: The number of the trial.
            state: End of the trial.
            value: Value of a complete trial.
            returns: See `Trial`.
            reason: Reason of a failed trial.
        """
        study = self._storage.get_study_id_from_name(_NAME)
        trial = self._storage.get_trial_id_from_study_id_trial_number(study, number)
        if self._storage.get_trial(trial).state.is_finished():
            return
        self._storage.set_trial_user_attr(trial, "returns", list(returns))
        self._storage.set_trial_user_attr(trial, "reason", reason)
        self._study.tell(number, value, _ENDS[state])

    def fail_lost(self) -> None:
        """Mark running trials of ended processes as failed; the caller must hold the folder's lock.

        The kernel releases the lock of a trial's folder whenever the trial's process ends.
        """
        for trial in self.all():
            if trial.state == "running" and not is_running(trial_folder(self._path, trial.number)):
                self.end(trial.number, "failed", reason=_LOST)

    def _read(self, trial: optuna.trial.FrozenTrial) -> Trial:
        duration = trial.duration
        return Trial(
            trial.number,
            _STATES[trial.state],
            trial.value,
            self._values(trial.params),
            tuple(trial.user_attrs.get("returns", ())),
            len(trial.intermediate_values),
            None if duration is None else duration.total_seconds(),
            trial.user_attrs.get("reason", ""),
        )

    def _values(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        ranges = self._config.tuning.space.ranges
        return {key: each.value(stored[key]) for key, each in ranges.items() if key in stored}


def _distribution(given: Range) -> BaseDistribution:
    if given.choices is not None:
        return CategoricalDistribution(given.labels)
    low, high = given.examples
    if given.type == "int":
        return IntDistribution(low, high, log=given.log, step=int(given.step or 1))
    return FloatDistribution(low, high, log=given.log, step=given.step)


def _pruner(config: TuningConfig) -> optuna.pruners.BasePruner:
    if config.tuning.pruner == "none":
        return optuna.pruners.NopPruner()
    return optuna.pruners.MedianPruner(
        config.tuning.startup_trials, config.tuning.warmup_evaluations
    )


class _KernelLock(BaseJournalFileLock):
    """A lock that the kernel releases when its process ends; Optuna's locks wait 30 s."""

    def __init__(self, path: Path) -> None:
        self._path, self._descriptor = path, -1

    def acquire(self) -> bool:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._descriptor = os.open(self._path, flags, 0o666)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        return True

    def release(self) -> None:
        os.close(self._descriptor)
