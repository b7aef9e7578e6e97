# SPDX-License-Identifier: GPL-2.0-only
"""Running of a tuning from its first trial to its results; finished trials are kept."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from optuna.trial import TrialState

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.bridge.system.whole_files import write_json, write_whole
from defiance_zoo.environments import lookup
from defiance_zoo.errors import DefianceZooError, NotWritten, ProgramChanged
from defiance_zoo.experiments.training.run import complete
from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.tuning.configuration import TuningConfig, check
from defiance_zoo.experiments.tuning.trials import (
    STATES,
    Trial,
    TrialFolder,
    Trials,
    begin,
    locked,
    trial_folder,
)
from defiance_zoo.experiments.workbench.events import Event, EventCallback
from defiance_zoo.experiments.workbench.interruption import stopped_at_once, unmasked
from defiance_zoo.experiments.workbench.progress import TUNING, followed
from defiance_zoo.experiments.workbench.signing_key import require_key
from defiance_zoo.experiments.workbench.table_files import write_csv
from defiance_zoo.experiments.workbench.workers import Job, LocalWorkers

TABLE, BEST = "trials.csv", "best.yaml"
_ORDER = ("complete", "pruned", "running", "interrupted", "failed")


@dataclass(frozen=True)
class Outcome:
    """The end of a tuning.

    Attributes:
        tuning: Folder of the tuning.
        trials: All trials, the best one first.
        best: The best trial; None if no trial is complete.
    """

    tuning: Path
    trials: Sequence[Trial]
    best: Trial | None


def tune(
    config: TuningConfig,
    out: Path | str,
    *,
    workers: int = 1,
    trust: bool = False,
    report: EventCallback | None = None,
) -> Outcome:
    """Run the missing trials, and write the table and the best run.

    Several processes may call this for one folder at the same time; they share the trials.

    Args:
        config: The tuning.
        out: Folder of the tuning; see `docs/training/tuning.md` for its files.
        workers: Processes that run trials. With one process, equal seeds give equal trials.
        trust: See `train()`.
        report: Called with each event; None: notebooks show progress.

    Raises:
        ParameterError: A value is not allowed, or the folder holds other files; nothing was
            started.
        ProgramChanged: The scenario's program has changed since the tuning began.
        DependencyMissing: The library of the run is not installed.
        DefianceZooError: A file could not be written while trials ran; the same call continues.
        Aborted: SIGINT or SIGTERM arrived; the same call continues the interrupted trials.
    """
    out = Path(out)
    report = followed(report, TUNING)
    with (
        stopped_at_once(report, tuning=str(out)),
        keep_programs(lookup(config.env).scenario.digests(config.parameters)),
    ):
        check(config)
        require_key(trust=trust)
        begin(out, config)
        wanted = config.tuning.trials
        known = _write_results(out, config)
        report({"event": "planned", "tuning": str(out), "trials": wanted, "known": len(known)})
        left = wanted - sum(trial.state not in ("running", "interrupted") for trial in known)
        try:
            _run(TrialJob(config, out, uuid4().hex, trust), left, workers, report)
        finally:
            trials = _write_results(out, config)
        best = trials[0] if trials and trials[0].state == "complete" else None
        finished: Event = {"event": "finished", "tuning": str(out), "trials": len(trials)}
        for state in ("pruned", "failed"):
            finished[state] = sum(trial.state == state for trial in trials)
        facts = best and {"trial": best.number, "value": best.value, "values": dict(best.values)}
        report({**finished, "best": facts})
        return Outcome(out, trials, best)


def _run(job: TrialJob, count: int, workers: int, report: EventCallback) -> None:
    """Do a job several times, each time with the next trial."""

    def forward(event: Event) -> None:
        del event["job"]
        report(event)

    with contextlib.closing(LocalWorkers(workers)) as local:
        for done in local.run(((number, job) for number in range(count)), forward):
            if done.result:
                report({"event": "trial", **done.result})
            elif done.error == "WorkerDied":
                report({"event": "lost", "message": done.message})
            elif done.error == ProgramChanged.__name__:
                raise ProgramChanged(done.message or "")
            elif done.error is not None:
                raise DefianceZooError(f"{done.error}: {done.message}")


def _write_results(out: Path, config: TuningConfig) -> list[Trial]:
    """Write `trials.csv` and, after a complete trial, `best.yaml`; return the best trial first."""

    def place(trial: Trial) -> tuple[int, float, int]:
        value = -math.inf if trial.value is None else trial.value
        return _ORDER.index(trial.state), -value, trial.number

    with locked(out):
        trials = sorted(Trials(out, config).all(), key=place)
        if trials:
            write_csv(out / TABLE, [_row(trial) for trial in trials])
        complete = sum(trial.state == "complete" for trial in trials)
        if complete:
            heading = (
                f"# Trial {trials[0].number}, the best of {complete} complete trials: "
                f"mean return {trials[0].value:.6g}.\n"
            )
            write_whole(out / BEST, heading + to_yaml(config.run(trials[0].values)))
        return trials


def _row(trial: Trial) -> dict[str, Any]:
    """Return a trial as a row of a table: lists, mappings and truth values as JSON."""
    values = {
        key: json.dumps(value) if isinstance(value, list | dict | bool) else value
        for key, value in trial.values.items()
    }
    return {
        "trial": trial.number,
        "state": trial.state,
        "value": trial.value,
        **values,
        "returns": " ".join(map(repr, trial.returns)),
        "evaluations": trial.evaluations,
        "duration_s": trial.duration_s,
        "reason": trial.reason,
    }


@dataclass(frozen=True)
class TrialJob(Job):
    """Runs the next trial, unless there are enough trials; `session` names the call of `tune()`."""

    config: TuningConfig
    folder: Path
    session: str
    trust: bool = False

    def run(self, report: EventCallback) -> dict[str, Any]:
        """See `Job`; return `trial`, `state`, `value` and `reason`, or an empty result."""
        with locked(self.folder):
            trials = Trials(self.folder, self.config)
            trial = trials.claim(self.session)
            if trial is None:
                return {}
            path = trial_folder(self.folder, trial.number)
            held = TrialFolder(path, new=True, overwrite=True)
        with contextlib.closing(held):
            known = {"trial": trial.number, "values": dict(trial.values)}
            write_json(path / TrialFolder.described_by, known)
            report({"event": "began", **known})
            returns: list[float] = []
            state, value, reason = TrialState.FAIL, None, ""
            try:
                with unmasked():
                    state = self._train(trial, trials, returns, report)
            except (NotWritten, ProgramChanged):  # these end the tuning; it continues the trial
                raise
            except Exception as error:  # libraries raise any error for values they cannot use
                reason = f"{type(error).__name__}: {error}"
            if state == TrialState.COMPLETE:
                value = _mean(returns)
            trials.end(trial.number, state, value, returns=returns, reason=reason)
        return {"trial": trial.number, "state": STATES[state], "value": value, "reason": reason}

    def _train(
        self, trial: Trial, trials: Trials, returns: list[float], report: EventCallback
    ) -> TrialState:
        """Train with each seed in turn, and add the best mean return of each; return the end."""
        config, every = self.config, self.config.evaluation.every or 1
        of_a_seed = math.ceil(config.steps / every)

        def prune(steps: int, value: float) -> bool:
            """Report the mean over this seed and earlier seeds; return whether Optuna prunes.

            Trials are compared at the same evaluation of the same seed; the length of iterations
            does not matter.
            """
            if math.isnan(value):
                raise FloatingPointError(f"the mean return is NaN after {steps:,} decisions")
            number = len(returns) * of_a_seed + min(steps // every, of_a_seed)
            return trials.report(trial.number, number, _mean([*returns, value]))

        def follow(event: Event) -> None:
            if event["event"] != "iteration":
                return
            for name, value in event["metrics"].items():
                if name.startswith("loss/") and name.endswith("loss") and math.isnan(value):
                    raise FloatingPointError(f"{name} is NaN after {event['steps']:,} decisions")
            known = {name: event[name] for name in ("steps", "until", "return", "remaining_s")}
            report({"event": "training", "trial": trial.number, **known})

        for seed in range(config.seed, config.seed + config.tuning.seeds):
            outcome = complete(
                config.run(trial.values, seed),
                trial_folder(self.folder, trial.number) / f"seed-{seed}",
                trust=self.trust,
                prune=prune,
                report=follow,
            )
            if outcome.pruned:
                return TrialState.PRUNED
            assert outcome.counters.best is not None  # `check()` requires evaluations
            returns.append(outcome.counters.best)
        return TrialState.COMPLETE


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
