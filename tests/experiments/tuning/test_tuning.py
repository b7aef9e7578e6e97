# SPDX-License-Identifier: GPL-2.0-only
"""Tunings with real trainings: values, determinism, pruning, failures, signals and processes."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import optuna
import psutil
import pytest
from command_calls import call, start
from tunings import built, described, read_trials, space, write

from defiance_zoo.errors import DefianceZooError, NotWritten, ParameterError
from defiance_zoo.experiments.training import Aborted
from defiance_zoo.experiments.training.checkpoints import LAST, find_checkpoint, read_status
from defiance_zoo.experiments.training.metrics import Metrics, read_metrics
from defiance_zoo.experiments.training.run_config_file import build_config
from defiance_zoo.experiments.tuning import TuningConfig, build_tuning, running, tune
from defiance_zoo.experiments.tuning.trials import Trials, TuningFolder
from defiance_zoo.experiments.workbench.descriptions import read_yaml
from defiance_zoo.experiments.workbench.workers import OwnProcess

pytestmark = pytest.mark.long

LONG = {**space(simulations={"type": "int", "low": 1, "high": 2}), "steps": 10**9}
"""A tuning whose trials do not end."""


def searching(key: str, *choices: Any, **changes: Any) -> dict[str, Any]:
    """Return the description of a tuning that searches a few values of one hyperparameter."""
    values = described(**changes)
    known = {"type": "categorical", "choices": list(choices)}
    values["tuning"]["space"] = {"hyperparameters": {key: known}}
    return values


def trial_config(folder: Path, trial: int, seed: int = 1) -> Any:
    return build_config(read_yaml(folder / f"trials/{trial:04}/seed-{seed}/config.yaml"))


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[TuningConfig, Path]:
    """A tuning of three trials with two seeds each, without interruption."""
    config = built(tuning={"seeds": 2, "trials": 3})
    out = tmp_path_factory.mktemp("tunings") / "tuned"
    tune(config, out)
    return config, out


def test_the_value_of_a_trial_is_the_mean_of_the_best_evaluations_of_its_seeds(
    tuned: tuple[TuningConfig, Path],
) -> None:
    _, out = tuned
    rows = read_trials(out)
    assert sorted(row["trial"] for row in rows) == ["0", "1", "2"]
    values = [float(row["value"]) for row in rows]
    assert values == sorted(values, reverse=True)
    for row in rows:
        returns = []
        for seed in (1, 2):
            run = out / f"trials/{int(row['trial']):04}/seed-{seed}"
            metrics = read_metrics(run / "metrics.csv")
            returns.append(max(each["evaluation/return/mean"] or 0 for each in metrics))
            config = trial_config(out, int(row["trial"]), seed)
            rate = row["hyperparameters.learning_rate"]
            assert (config.seed, config.hyperparameters["learning_rate"]) == (seed, float(rate))
            assert json.loads((run / "evaluation.json").read_text())["seed"] == 1000
            assert (run / "versions.json").is_file()
        assert row["returns"] == " ".join(map(repr, returns))
        assert float(row["value"]) == sum(returns) / 2


def test_the_best_run_is_the_run_of_the_best_trial(tuned: tuple[TuningConfig, Path]) -> None:
    _, out = tuned
    best = build_config(read_yaml(out / "best.yaml"))
    assert best == trial_config(out, int(read_trials(out)[0]["trial"]))


@pytest.mark.thorough
def test_a_continued_tuning_has_the_trials_of_an_uninterrupted_one(
    tuned: tuple[TuningConfig, Path], tmp_path: Path
) -> None:
    _, whole = tuned
    tune(built(tuning={"seeds": 2, "trials": 1}), tmp_path / "parts")
    first = (tmp_path / "parts/trials/0000/seed-1/metrics.csv").read_bytes()
    tune(built(tuning={"seeds": 2, "trials": 3}), tmp_path / "parts")
    assert read_trials(tmp_path / "parts") == read_trials(whole)
    assert (tmp_path / "parts/best.yaml").read_bytes() == (whole / "best.yaml").read_bytes()
    assert (tmp_path / "parts/trials/0000/seed-1/metrics.csv").read_bytes() == first


def test_optuna_can_read_the_storage(tuned: tuple[TuningConfig, Path]) -> None:
    _, out = tuned
    study = optuna.load_study(study_name="tuning", storage=f"sqlite:///{out / 'optuna.db'}")
    assert study.best_value == float(read_trials(out)[0]["value"])


def test_another_tuning_in_the_folder_is_refused(tuned: tuple[TuningConfig, Path]) -> None:
    config, out = tuned
    before = read_trials(out)
    other = config.model_copy(update={"steps": 128, "seed": 5})
    with pytest.raises(ParameterError, match="other values of seed, steps: choose another"):
        tune(other, out)
    with pytest.raises(ParameterError, match="is not empty, and not a tuning"):
        tune(config, out / "trials")
    assert read_trials(out) == before


def test_a_folder_in_which_another_process_begins_is_in_use(tmp_path: Path) -> None:
    """Before its description is there, it looks like a folder of other contents."""
    other = TuningFolder(tmp_path, new=True)
    (tmp_path / "versions.json").write_text("{}")
    with pytest.raises(ParameterError, match="in use: another process works there"):
        TuningFolder(tmp_path, new=True)
    with pytest.raises(ParameterError, match="is a file"):
        TuningFolder(tmp_path / "versions.json", new=True)
    (tmp_path / "tuning.yaml").write_text("env: cart_pole_v0")
    other.close()
    with pytest.raises(ParameterError, match="holds a tuning"):
        TuningFolder(tmp_path, new=True)
    TuningFolder(tmp_path, new=True, overwrite=True).close()


def test_a_damaged_storage_is_refused(tuned: tuple[TuningConfig, Path], tmp_path: Path) -> None:
    config, out = tuned
    (tmp_path / "tuning.yaml").write_bytes((out / "tuning.yaml").read_bytes())
    (tmp_path / "optuna.db").write_bytes(b"nonsense" * 1000)
    with pytest.raises(ParameterError, match=r"optuna\.db is damaged"):
        tune(config, tmp_path)
    (tmp_path / "optuna.db").unlink()
    os.mkfifo(tmp_path / "optuna.db")
    with pytest.raises(ParameterError, match="it is not a regular file"):
        tune(config, tmp_path)


def test_a_tuning_of_an_earlier_version_is_refused(
    tuned: tuple[TuningConfig, Path], tmp_path: Path
) -> None:
    config, out = tuned
    (tmp_path / "tuning.yaml").write_bytes((out / "tuning.yaml").read_bytes())
    (tmp_path / "journal.log").write_text("")
    with pytest.raises(ParameterError, match=r"journal\.log: choose another folder"):
        tune(config, tmp_path)
    assert not (tmp_path / "optuna.db").exists()


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tunings train in this process, where functions can be replaced."""
    monkeypatch.setattr(running, "LocalWorkers", lambda _count: OwnProcess())


@pytest.mark.parametrize(
    "struck",
    [
        pytest.param(1, marks=pytest.mark.thorough),
        2,
        pytest.param(4, marks=pytest.mark.thorough),
        6,
    ],
)
@pytest.mark.usefixtures("in_this_process")
def test_an_interrupted_tuning_ends_like_an_uninterrupted_one(
    struck: int,
    tuned: tuple[TuningConfig, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A signal ends an evaluation, or the tuning ends before an evaluation is reported."""
    config, whole = tuned
    report, calls = Trials.report, itertools.count(1)

    def strike(trials: Trials, *arguments: Any) -> bool:
        if next(calls) == struck:
            signal.raise_signal(signal.SIGTERM)
        return report(trials, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Trials, "report", strike)
        with pytest.raises(Aborted):
            tune(config, tmp_path)
    assert "interrupted" in [row["state"] for row in read_trials(tmp_path)]
    tune(config, tmp_path)
    assert read_trials(tmp_path) == read_trials(whole)
    assert (tmp_path / "best.yaml").read_bytes() == (whole / "best.yaml").read_bytes()


@pytest.mark.usefixtures("in_this_process")
def test_a_full_disk_ends_the_tuning_but_fails_no_trial(
    tuned: tuple[TuningConfig, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, whole = tuned

    def fail(*_: object) -> None:
        raise NotWritten("metrics.csv cannot be written: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Metrics, "add", fail)
        with pytest.raises(DefianceZooError, match=r"metrics\.csv cannot be written: No space"):
            tune(config, tmp_path)
    tune(config, tmp_path)
    assert read_trials(tmp_path) == read_trials(whole)


@pytest.mark.thorough
def test_a_trial_below_the_median_is_pruned_and_leaves_nothing_running(tmp_path: Path) -> None:
    values = described(steps=2000, evaluation={"every": 1000})
    values["parameters"] = {}
    values["hyperparameters"] = {"n_steps": 250, "batch_size": 250, "n_epochs": 1}
    known = {"type": "categorical", "choices": ["50ms", "400ms"]}
    values["tuning"] = {
        "space": {"parameters": {"duration": known}},
        "trials": 4,
        "startup_trials": 1,
    }
    path = write(tmp_path, values)
    before = {*psutil.Process().children(recursive=True)}  # such as a cluster of other tests
    status, printed, errors = call("tune", path, "--out", tmp_path / "out")
    assert (status, errors) == (0, "")
    after = {*psutil.Process().children(recursive=True)}
    left = [each.cmdline() for each in after - before]
    assert not [each for each in left if "resource_tracker" not in " ".join(each)]
    rows = sorted(read_trials(tmp_path / "out"), key=lambda row: int(row["trial"]))
    durations = [row["parameters.duration"] for row in rows]
    assert {"50ms", "400ms"} == {*durations}
    first = durations.index("400ms")
    for number, row in enumerate(rows):
        # A short episode earns less than any longer one, whatever the policy.
        short_and_late = row["parameters.duration"] == "50ms" and number > first
        assert (row["state"] == "pruned") == short_and_late, row
    pruned = [row for row in rows if row["state"] == "pruned"]
    assert pruned
    assert f"trial {pruned[0]['trial']} pruned" in printed
    run = tmp_path / "out/trials" / f"{int(pruned[0]['trial']):04}" / "seed-1"
    status = read_status(run)
    assert (status["state"], status["steps"]) == ("pruned", 1000)
    assert find_checkpoint(run, LAST).counters.steps == 1000
    assert not (run / "evaluation.json").exists()
    assert (pruned[0]["evaluations"], pruned[0]["reason"]) == ("1", "")


@pytest.mark.thorough
def test_a_diverging_trial_fails_with_its_reason_and_others_run(tmp_path: Path) -> None:
    values = searching("learning_rate", 1e-3, 1e30, tuning={"trials": 4})
    values["steps"] = 256
    outcome = tune(build_tuning(values), tmp_path / "out")
    states = {each.values["hyperparameters.learning_rate"]: each for each in outcome.trials}
    assert states[1e-3].state == "complete"
    assert (states[1e30].state, states[1e30].value) == ("failed", None)
    assert "nan" in states[1e30].reason.lower()
    assert outcome.best == outcome.trials[0]
    run = tmp_path / f"out/trials/{states[1e30].number:04}/seed-1"
    assert json.loads((run / "status.json").read_text())["state"] == "failed"


def test_a_simulation_that_dies_fails_its_trial_and_the_tuning_if_all_fail(tmp_path: Path) -> None:
    values = space(parameters={"timeout": {"type": "float", "low": 1e-6, "high": 2e-6}})
    status, _, errors = call("tune", write(tmp_path, values), "--out", tmp_path / "out", "--quiet")
    assert status == 1
    assert "no trial is complete: trial 0 failed: SimulationTimeout" in errors
    assert [row["state"] for row in read_trials(tmp_path / "out")] == ["failed", "failed"]
    assert not (tmp_path / "out/best.yaml").exists()


@contextlib.contextmanager
def started(
    folder: Path, values: dict[str, Any]
) -> Iterator[tuple[subprocess.Popen[str], list[psutil.Process]]]:
    """Start a tuning; yield its process and its descendants when the first trial trains."""
    path = write(folder, values)
    with start("tune", path, "--trials", 2, "--out", folder / "out", "--json") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        while json.loads(line)["event"] != "training":
            line = process.stdout.readline()
        try:
            yield process, psutil.Process(process.pid).children(recursive=True)
        finally:
            process.kill()


@pytest.mark.long
def test_a_killed_tuning_is_continued(tmp_path: Path) -> None:
    with started(tmp_path, described(steps=256)) as (process, children):
        process.kill()
    assert len(children) >= 3  # the worker, its fork server and a simulation
    assert psutil.wait_procs(children, timeout=20)[1] == []
    flags = ("--trials", 2, "--out", tmp_path / "out", "--quiet")
    assert call("tune", tmp_path / "tuning.yaml", *flags) == (0, "", "")
    assert [row["state"] for row in read_trials(tmp_path / "out")] == ["complete", "complete"]


@pytest.mark.thorough
def test_a_lost_worker_is_replaced_and_sigterm_leaves_nothing_running(tmp_path: Path) -> None:
    with started(tmp_path, LONG) as (process, children):
        workers = [each for each in children if "spawn_main" in " ".join(each.cmdline())]
        assert len(workers) == 1
        workers[0].kill()
        assert process.stdout is not None
        event: dict[str, Any] = {}
        while event.get("event") != "began":
            event = json.loads(process.stdout.readline())
        assert event["trial"] == 0
        while event["event"] != "training":
            event = json.loads(process.stdout.readline())
        children += psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        events = [json.loads(line) for line in process.stdout]
        assert process.wait() == 128 + signal.SIGTERM
    assert events[-1]["event"] == "interrupted"
    assert psutil.wait_procs(children, timeout=20)[1] == []
    assert [row["state"] for row in read_trials(tmp_path / "out")] == ["interrupted"]
    assert read_status(tmp_path / "out/trials/0000/seed-1")["state"] == "interrupted"


@pytest.mark.usefixtures("in_this_process")
def test_a_trial_that_loses_its_processes_repeatedly_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that is killed leaves the trial as it is; the others are continued."""
    config = built(tuning={"trials": 2})

    class Lost(BaseException):
        """The end of a process."""

    def die(*_: object) -> None:
        raise Lost

    monkeypatch.setattr(running, "uuid4", lambda: SimpleNamespace(hex="session"))
    with monkeypatch.context() as patch:
        patch.setattr(running.TrialJob, "_train", die)
        for _ in range(3):
            with pytest.raises(Lost):
                tune(config, tmp_path)
    first, second = sorted(tune(config, tmp_path).trials, key=lambda each: each.number)
    assert (first.state, first.reason) == ("failed", "its process has ended early in 3 attempts")
    assert second.state == "complete"


@pytest.mark.thorough
def test_two_processes_share_the_trials_of_a_tuning(tmp_path: Path) -> None:
    path = write(tmp_path, described())
    flags = ("--trials", 4, "--out", tmp_path / "out", "--json")
    with start("tune", path, *flags) as one, start("tune", path, *flags) as other:
        ends = [process.communicate()[0] for process in (one, other)]
    assert (one.returncode, other.returncode) == (0, 0)
    ran = [
        [
            event["trial"]
            for event in map(json.loads, each.splitlines())
            if event["event"] == "trial"
        ]
        for each in ends
    ]
    assert sorted(ran[0] + ran[1]) == [0, 1, 2, 3]
    rows = read_trials(tmp_path / "out")
    assert [row["state"] for row in rows] == ["complete"] * 4
    assert len({row["hyperparameters.learning_rate"] for row in rows}) == 4


def test_the_command_reports_errors_before_it_writes(tmp_path: Path) -> None:
    path = write(tmp_path, searching("learning_rat", 1, 2))
    status, _, errors = call("tune", path, "--out", tmp_path / "out")
    assert status == 2
    assert "did you mean 'learning_rate'" in errors
    assert not (tmp_path / "out").exists()
