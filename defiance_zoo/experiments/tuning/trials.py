# SPDX-License-Identifier: GPL-2.0-only
"""A tuning's trials in Optuna's storage, which several processes may use."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping
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
from optuna.trial import FrozenTrial, TrialState, create_trial
from sqlalchemy.exc import OperationalError

from defiance_zoo.bridge.process.retries import ATTEMPTS
from defiance_zoo.bridge.system.reading import naming, open_regular
from defiance_zoo.errors import NotWritten
from defiance_zoo.experiments.tuning.configuration import Range, TuningConfig
from defiance_zoo.experiments.tuning.folder import STORAGE, is_running, trial_folder

State = Literal["complete", "pruned", "failed", "running", "interrupted"]
_STATES: dict[TrialState, State] = {
    TrialState.COMPLETE: "complete",
    TrialState.PRUNED: "pruned",
    TrialState.FAIL: "failed",
    TrialState.RUNNING: "running",
}
_ENDS = {state: found for found, state in _STATES.items()}
_NAME = "tuning"
_PATIENCE_S = 60.0
"""The time to wait for another process's transaction, in seconds."""


@dataclass(frozen=True)
class Trial:
    """A trial of a tuning.

    Attributes:
        number: Number of the trial, from 0.
        state: End of the trial, `running`, or `interrupted`: the next command continues it.
        value: Mean over seeds of the best evaluation's mean return (of the last evaluation's for a
            pruned trial); None if missing.
        values: The value of each searched key.
        returns: The best mean return of each finished seed.
        evaluations: Number of evaluations.
        duration_s: Duration in seconds, interruptions included; None before the end.
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
    """The trials of a tuning."""

    def __init__(self, path: Path, config: TuningConfig) -> None:
        """Open the storage, or create it.

        Args:
            path: The folder of the tuning; the caller must have locked it.
            config: The tuning.

        Raises:
            ParameterError: The storage cannot be read, or is damaged.
            NotWritten: The storage cannot be written.
        """
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._path, self._config, self._file = path, config, path / STORAGE

        def connect() -> sqlite3.Connection:
            return sqlite3.connect(self._file, timeout=_PATIENCE_S, check_same_thread=False)

        damage = "is damaged: choose another folder"
        with naming(self._file, damage, also=(Exception,)), self._storing():
            if self._file.exists() or self._file.is_symlink():
                open_regular(self._file)
            self._storage = optuna.storages.RDBStorage(
                "sqlite:///", engine_kwargs={"creator": connect}
            )
            self._study = optuna.create_study(
                study_name=_NAME,
                storage=self._storage,
                direction="maximize",
                pruner=_pruner(config),
                load_if_exists=True,
            )
            self.all()

    def all(self) -> list[Trial]:
        """Return all trials, in the order in which they began."""
        return [self._read(each) for each in self._study.get_trials(deepcopy=False)]

    def claim(self, count: int, session: str) -> Trial | None:
        """Return the next trial: the first whose process has ended early, or a new one.

        The kernel releases the lock of a trial's folder whenever the trial's process ends. A trial
        that has lost several processes of one session fails.

        Args:
            count: Number of trials of the tuning; no more begin.
            session: Name of this call of `tune()`.

        Returns:
            The trial; None if no trial is left.
        """
        known = self._study.get_trials(deepcopy=False)
        for trial in known:
            if self._read(trial).state != "interrupted":
                continue
            last, attempts = trial.user_attrs.get("attempts", (session, 0))
            attempts = attempts + 1 if last == session else 1
            if attempts > ATTEMPTS:
                reason = f"its process has ended early in {ATTEMPTS} attempts"
                self.end(trial.number, "failed", reason=reason)
                continue
            with self._storing():
                self._storage.set_trial_user_attr(trial._trial_id, "attempts", [session, attempts])
            return self._read(trial)
        return self._begin(len(known), session) if len(known) < count else None

    def report(self, number: int, evaluation: int, value: float) -> bool:
        """Write the value of an evaluation; return whether Optuna prunes the trial.

        A continued trial may report an evaluation again.
        """
        with self._storing():
            trial = self._find(number)
            self._storage.set_trial_intermediate_value(trial, evaluation, value)
            return self._study.pruner.prune(self._study, self._storage.get_trial(trial))

    def end(
        self,
        number: int,
        state: State,
        *,
        value: float | None = None,
        returns: tuple[float, ...] = (),
        reason: str = "",
    ) -> None:
        """Write the end of a trial.

        Args:
            number: The number of the trial.
            state: End of the trial.
            value: Value of a complete trial.
            returns: See `Trial`.
            reason: Reason of a failed trial.
        """
        with self._storing():
            trial = self._find(number)
            self._storage.set_trial_user_attr(trial, "returns", list(returns))
            self._storage.set_trial_user_attr(trial, "reason", reason)
            self._study.tell(number, value, _ENDS[state])

    # ------------------------------------------------------------------ inside

    def _begin(self, number: int, session: str) -> Trial:
        """Begin a trial; its values depend only on the seed, its number and earlier trials.

        A sampler keeps its generator's state in memory. Each trial has a sampler with a seed
        derived from the trial's number, so a continued tuning does not repeat values.
        """
        seed = np.random.SeedSequence([self._config.tuning.seed, number]).generate_state(1)
        sampler, blank = TPESampler(seed=int(seed[0])), create_trial(state=TrialState.RUNNING)
        ranges = self._config.tuning.space.ranges
        distributions = {key: _distribution(each) for key, each in ranges.items()}
        chosen = {
            key: each.to_external_repr(
                each.to_internal_repr(sampler.sample_independent(self._study, blank, key, each))
            )
            for key, each in distributions.items()
        }
        trial = create_trial(
            state=TrialState.RUNNING,
            params=chosen,
            distributions=distributions,
            user_attrs={"attempts": [session, 1]},
        )
        with self._storing():
            self._study.add_trial(trial)  # at once: no trial lacks a value
        return self.all()[number]

    def _find(self, number: int) -> int:
        """Return Optuna's identifier of a trial."""
        return self._storage.get_trial_id_from_study_id_trial_number(self._study._study_id, number)

    @contextlib.contextmanager
    def _storing(self) -> Iterator[None]:
        """Name the file of an error that is not this package's, such as a full disk.

        Raises:
            NotWritten: SQLite cannot write.
        """
        try:
            yield
        except (OperationalError, optuna.exceptions.StorageInternalError) as error:
            cause = error if isinstance(error, OperationalError) else error.__cause__
            reason = getattr(cause, "orig", error)
            raise NotWritten(f"{self._file} cannot be written: {reason}") from error

    def _read(self, trial: FrozenTrial) -> Trial:
        state, duration = _STATES[trial.state], trial.duration
        if state == "running" and not is_running(trial_folder(self._path, trial.number)):
            state = "interrupted"
        ranges = self._config.tuning.space.ranges
        return Trial(
            trial.number,
            state,
            trial.value,
            {key: each.value(trial.params[key]) for key, each in ranges.items()},
            tuple(trial.user_attrs.get("returns", ())),
            len(trial.intermediate_values),
            None if duration is None else duration.total_seconds(),
            trial.user_attrs.get("reason", ""),
        )


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
