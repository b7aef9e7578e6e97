# SPDX-License-Identifier: GPL-2.0-only
"""The work of a tuning's processes: each job runs the next trial."""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from defiance_zoo.errors import NotWritten, ProgramChanged
from defiance_zoo.experiments.training.run import complete
from defiance_zoo.experiments.tuning.configuration import TuningConfig
from defiance_zoo.experiments.tuning.folder import TrialFolder, locked, trial_folder
from defiance_zoo.experiments.tuning.trials import State, Trial, Trials
from defiance_zoo.experiments.workbench.events import Event, EventCallback
from defiance_zoo.experiments.workbench.files import write_json
from defiance_zoo.experiments.workbench.interruption import unmasked
from defiance_zoo.experiments.workbench.workers import Job


@dataclass(frozen=True)
class TrialJob:
    """Runs the next trial, unless there are enough trials.

    Attributes:
        config: The tuning.
        folder: The folder of the tuning.
        trials: Number of trials of the tuning.
        session: See `Trials.claim()`.
        trust: See `train()`.
    """

    config: TuningConfig
    folder: Path
    trials: int
    session: str
    trust: bool = False

    def run(self, report: EventCallback) -> dict[str, Any]:
        """See `Job`; return `trial`, `state`, `value` and `reason`, or an empty result."""
        with locked(self.folder):
            trials = Trials(self.folder, self.config)
            trial = trials.claim(self.trials, self.session)
            if trial is None:
                return {}
            path = trial_folder(self.folder, trial.number)
            held = TrialFolder(path, new=True, overwrite=True)
        with contextlib.closing(held):
            known = {"trial": trial.number, "values": dict(trial.values)}
            write_json(path / TrialFolder.described_by, known)
            report({"event": "began", **known})
            running = _RunningTrial(self, path, trial, trials, report)
            end = running.run()
            trials.end(trial.number, returns=tuple(running.returns), **end)
        return {"trial": trial.number, "value": None, "reason": "", **end}

    def portable(self) -> Job:
        """See `Job`: trials run only on the machine of their folder."""
        return self


@dataclass
class _RunningTrial:
    """The runs of a trial: one for each seed, in sequence."""

    job: TrialJob
    path: Path
    trial: Trial
    trials: Trials
    report: EventCallback
    returns: list[float] = field(default_factory=list)

    def run(self) -> dict[str, Any]:
        """Train, and return the end of the trial; see `Trials.end()`.

        Raises:
            Aborted: A signal arrived; another process continues the trial.
            NotWritten: The disk is full; another process continues the trial.
        """
        state: State = "failed"
        try:
            with unmasked():
                state = self._train()
        except (NotWritten, ProgramChanged):  # these end the tuning
            raise
        except Exception as error:  # libraries raise any error for values that they cannot use
            return {"state": state, "reason": f"{type(error).__name__}: {error}"}
        value = sum(self.returns) / len(self.returns) if state == "complete" else None
        return {"state": state, "value": value}

    def _train(self) -> State:
        config = self.job.config
        for seed in range(config.seed, config.seed + config.tuning.seeds):
            outcome = complete(
                config.run(self.trial.values, seed),
                self.path / f"seed-{seed}",
                trust=self.job.trust,
                prune=self._prune,
                report=self._follow,
            )
            if outcome.pruned:
                return "pruned"
            assert outcome.counters.best is not None  # `check()` requires evaluations
            self.returns.append(outcome.counters.best)
        return "complete"

    def _prune(self, steps: int, value: float) -> bool:
        """Report an evaluation to Optuna; return whether it prunes the trial.

        Trials are compared at the same evaluation of the same seed; the length of iterations does
        not matter. The reported value is the mean over this seed and earlier seeds.
        """
        if math.isnan(value):
            raise FloatingPointError(f"the mean return is NaN after {steps:,} decisions")
        every, planned = self.job.config.evaluation.every or 1, self.job.config.steps
        of_a_seed = math.ceil(planned / every)
        number = len(self.returns) * of_a_seed + min(steps // every, of_a_seed)
        values = [*self.returns, value]
        return self.trials.report(self.trial.number, number, sum(values) / len(values))

    def _follow(self, event: Event) -> None:
        if event["event"] != "iteration":
            return
        for name, value in event["metrics"].items():
            if name.startswith("loss/") and name.endswith("loss") and math.isnan(value):
                raise FloatingPointError(f"{name} is NaN after {event['steps']:,} decisions")
        names = ("steps", "until", "return", "remaining_s")
        known = {name: event[name] for name in names}
        self.report({"event": "training", "trial": self.trial.number, **known})
