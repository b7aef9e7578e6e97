# SPDX-License-Identifier: GPL-2.0-only
"""The results of a tuning: a table of its trials, and the best run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from defiance_zoo.experiments.training.run_config_file import to_yaml
from defiance_zoo.experiments.tuning.configuration import TuningConfig
from defiance_zoo.experiments.tuning.folder import BEST, TABLE
from defiance_zoo.experiments.tuning.trials import Trial
from defiance_zoo.experiments.workbench.files import write_whole
from defiance_zoo.experiments.workbench.table_files import Row, write_csv

_ORDER = ("complete", "pruned", "running", "interrupted", "failed")


def best_first(trials: Sequence[Trial]) -> list[Trial]:
    """Return trials sorted by state and then by value, greatest value first."""

    def place(trial: Trial) -> tuple[int, float, int]:
        value = float("-inf") if trial.value is None else trial.value
        return _ORDER.index(trial.state), -value, trial.number

    return sorted(trials, key=place)


def find_best(trials: Sequence[Trial]) -> Trial | None:
    """Return the best complete trial."""
    return next((each for each in best_first(trials) if each.state == "complete"), None)


def write_results(path: Path, config: TuningConfig, trials: Sequence[Trial]) -> None:
    """Write `trials.csv` and, if a trial is complete, `best.yaml`."""
    if trials:
        write_csv(path / TABLE, [_row(each) for each in best_first(trials)])
    best = find_best(trials)
    if best is not None:
        complete = sum(each.state == "complete" for each in trials)
        heading = (
            f"# Trial {best.number}, the best of {complete} complete trials: "
            f"mean return {best.value:.6g}.\n"
        )
        write_whole(path / BEST, heading + to_yaml(config.run(best.values)))


def _row(trial: Trial) -> Row:
    return {
        "trial": trial.number,
        "state": trial.state,
        "value": trial.value,
        **{key: write_value(value) for key, value in trial.values.items()},
        "returns": " ".join(map(repr, trial.returns)),
        "evaluations": trial.evaluations,
        "duration_s": trial.duration_s,
        "reason": trial.reason,
    }


def write_value(value: Any) -> Any:
    """Return a value for a table: lists and mappings as JSON."""
    return json.dumps(value) if isinstance(value, list | dict | bool) else value
