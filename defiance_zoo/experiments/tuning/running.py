# SPDX-License-Identifier: GPL-2.0-only
"""Running of a tuning from its first trial to its results; finished trials are kept."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from defiance_zoo.bridge.simulation import keep_programs
from defiance_zoo.environments import lookup
from defiance_zoo.errors import DefianceZooError
from defiance_zoo.experiments.tuning.configuration import TuningConfig
from defiance_zoo.experiments.tuning.folder import begin, locked
from defiance_zoo.experiments.tuning.jobs import TrialJob
from defiance_zoo.experiments.tuning.results import best_first, find_best, write_results
from defiance_zoo.experiments.tuning.trials import Trial, Trials
from defiance_zoo.experiments.tuning.tuning_file import check
from defiance_zoo.experiments.workbench.events import Event, EventCallback, ignore
from defiance_zoo.experiments.workbench.interruption import stopped_at_once
from defiance_zoo.experiments.workbench.signing_key import require_key
from defiance_zoo.experiments.workbench.workers import LocalWorkers

_WORKER_DIED = "WorkerDied"


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
    out: Path,
    *,
    workers: int = 1,
    trust: bool = False,
    report: EventCallback = ignore,
) -> Outcome:
    """Run the missing trials, and write the table and the best run.

    Several processes may call this for one folder at the same time; they share the trials.

    Args:
        config: The tuning.
        out: Folder of the tuning; see `docs/training/tuning.md` for its files.
        workers: Processes that run trials. With one process, equal seeds give equal trials.
        trust: See `train()`.
        report: Called with each event.

    Raises:
        ParameterError: A value is not allowed, or the folder holds other files; nothing was
            started.
        ProgramChanged: The scenario's program has changed since the tuning began.
        DependencyMissing: The library of the run is not installed.
        DefianceZooError: A file could not be written while trials ran; the same call continues.
        Aborted: SIGINT or SIGTERM arrived; the same call continues the interrupted trials.
    """
    with (
        stopped_at_once(report, tuning=str(out)),
        keep_programs(lookup(config.env).scenario.digests()),
    ):
        check(config)
        require_key(trust=trust)
        begin(out, config)
        wanted = config.tuning.trials
        known = _end(out, config)
        report({"event": "planned", "tuning": str(out), "trials": wanted, "known": len(known)})
        left = wanted - sum(each.state not in ("running", "interrupted") for each in known)
        try:
            _run(TrialJob(config, out, wanted, uuid4().hex, trust), left, workers, report)
        finally:
            known = _end(out, config)
        found = best_first(known)
        best = find_best(found)
        report(_finished(out, found, best))
        return Outcome(out, found, best)


def _run(job: TrialJob, count: int, workers: int, report: EventCallback) -> None:
    """Do a job several times, each time with the next trial."""

    def forward(event: Event) -> None:
        del event["job"]
        report(event)

    with contextlib.closing(LocalWorkers(workers)) as local:
        for done in local.run(((number, job) for number in range(count)), forward):
            if done.result:
                report({"event": "trial", **done.result})
            elif done.error == _WORKER_DIED:
                report({"event": "lost", "message": done.message})
            elif done.error is not None:
                raise DefianceZooError(f"{done.error}: {done.message}")


def _end(out: Path, config: TuningConfig) -> list[Trial]:
    """Write the current results, and return all trials."""
    with locked(out):
        found = Trials(out, config).all()
        write_results(out, config, found)
        return found


def _finished(out: Path, trials: Sequence[Trial], best: Trial | None) -> Event:
    known = None
    if best is not None:
        known = {"trial": best.number, "value": best.value, "values": dict(best.values)}
    failed = sum(each.state == "failed" for each in trials)
    pruned = sum(each.state == "pruned" for each in trials)
    return {
        "event": "finished",
        "tuning": str(out),
        "trials": len(trials),
        "pruned": pruned,
        "failed": failed,
        "best": known,
    }
