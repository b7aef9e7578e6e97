# SPDX-License-Identifier: GPL-2.0-only
"""The work of a tuning's processes: each job runs the next trial."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import optuna

from defiance_zoo.experiments.training import Aborted, train
from defiance_zoo.experiments.tuning.configuration import TuningConfig
from defiance_zoo.experiments.tuning.folder import TrialFolder, locked, trial_folder
from defiance_zoo.experiments.tuning.trials import State, Trials
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
        trust: See `train()`.
    """

    config: TuningConfig
    folder: Path
    trials: int
    trust: bool = False

    def run(self, report: EventCallback) -> dict[str, Any]:
        """See `Job`; return `trial`, `state`, `value` and `reason`, or an empty result."""
        with locked(self.folder):
            trials = Trials(self.folder, self.config)
            trials.fail_lost()
            if len(trials.all()) >= self.trials:
                return {}
            trial = trials.ask()
            path = trial_folder(self.folder, trial.number)
            held = TrialFolder(path, new=True)
        with contextlib.closing(held):
            values = trials.values(trial)
            write_json(path / TrialFolder.described_by, {"trial": trial.number, "values": values})
            report({"event": "began", "trial": trial.number, "values": values})
            running = _RunningTrial(self, path, trial, values, report)
            interrupted = running.run()
            end = running.end
            trials.end(
                trial.number,
                end.state,
                value=end.value,
                returns=tuple(running.returns),
                reason=end.reason,
            )
        if interrupted is not None:
            raise SystemExit(128 + interrupted)  # a signal ends the process
        return {
            "trial": trial.number,
            "state": end.state,
            "value": end.value,
            "reason": end.reason,
        }

    def portable(self) -> Job:
        """See `Job`: trials run only on the machine of their folder."""
        return self


@dataclass(frozen=True)
class _End:
    """The end of a trial; see `Trial`."""

    state: State
    value: float | None = None
    reason: str = ""


@dataclass
class _RunningTrial:
    """The runs of a trial: one for each seed, in sequence."""

    job: TrialJob
    path: Path
    trial: optuna.Trial
    values: Mapping[str, Any]
    report: EventCallback
    returns: list[float] = field(default_factory=list)
    end: _End = _End("failed")

    def run(self) -> int | None:
        """Train, and set `end`; return the number of a signal, if any."""
        try:
            with unmasked():
                return self._run()
        except Aborted as aborted:
            self.end = _End("failed", reason="interrupted")
            return aborted.signal
        except Exception as error:  # libraries raise any error for values that they cannot use
            self.end = _End("failed", reason=f"{type(error).__name__}: {error}")
            return None

    def _run(self) -> int | None:
        config = self.job.config
        for seed in range(config.seed, config.seed + config.tuning.seeds):
            outcome = train(
                config.run(self.values, seed),
                self.path / f"seed-{seed}",
                trust=self.job.trust,
                prune=self._prune,
                report=self._follow,
            )
            if outcome.pruned:
                self.end = _End("pruned")
                return None
            assert outcome.counters.best is not None  # `check()` requires evaluations
            self.returns.append(outcome.counters.best)
        self.end = _End("complete", sum(self.returns) / len(self.returns))
        return None

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
        self.trial.report(sum(values) / len(values), number)
        return self.trial.should_prune()

    def _follow(self, event: Event) -> None:
        if event["event"] != "iteration":
            return
        for name, value in event["metrics"].items():
            if name.startswith("loss/") and name.endswith("loss") and math.isnan(value):
                raise FloatingPointError(f"{name} is NaN after {event['steps']:,} decisions")
        names = ("steps", "until", "return", "remaining_s")
        known = {name: event[name] for name in names}
        self.report({"event": "training", "trial": self.trial.number, **known})
