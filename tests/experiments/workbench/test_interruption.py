# SPDX-License-Identifier: GPL-2.0-only
"""The files that a run writes when a signal ends it immediately."""

from __future__ import annotations

import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import defiance_zoo
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import RunConfig, loop, run
from defiance_zoo.experiments.training.checkpoints import LAST, find_checkpoint, read_status
from defiance_zoo.experiments.training.configuration import Evaluation
from defiance_zoo.experiments.training.metrics import read_metrics
from defiance_zoo.experiments.workbench.interruption import (
    Aborted,
    Interruption,
    stopped_at_once,
)


def test_a_learning_curve_that_cannot_be_drawn_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no room")

    monkeypatch.setattr(loop, "_draw_curve", fail)
    hyperparameters = {"n_steps": 16, "batch_size": 16, "n_epochs": 1}
    config = RunConfig(env="cart_pole_v0", hyperparameters=hyperparameters, steps=16, simulations=1)
    config = config.model_copy(update={"evaluation": Evaluation(episodes=1)})
    events: list[dict[str, Any]] = []
    run.train(config, tmp_path / "run", report=events.append)
    (undrawn,) = [event for event in events if event["event"] == "not_drawn"]
    assert (undrawn["picture"], undrawn["message"]) == ("learning_curve.png", "no room")
    assert (tmp_path / "run" / "evaluation.json").is_file()


CONFIG = RunConfig(
    env="cart_pole_v0",
    parameters={"duration": "300ms"},
    hyperparameters={"n_steps": 128, "batch_size": 128, "n_epochs": 1},
    steps=512,
    simulations=1,
    evaluation=Evaluation(every=256, episodes=2),
)


def results(folder: Path) -> Any:
    """Return the metrics, without times, and the final evaluation of a run."""
    timeless = [
        {name: value for name, value in row.items() if "second" not in name and "_s" not in name}
        for row in read_metrics(folder / "metrics.csv")
    ]
    return timeless, json.loads((folder / "evaluation.json").read_text())


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The results of a run without interruption."""
    folder = tmp_path_factory.mktemp("runs") / "whole"
    run.train(CONFIG, folder)
    return results(folder)


@pytest.mark.parametrize("function", ["play", "evaluate"])
def test_a_signal_ends_an_evaluation_at_once_and_does_not_change_the_result(
    function: str, uninterrupted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checkpoint is written first; the evaluation is repeated when the run is resumed."""

    def evaluate(*_: object, **__: object) -> None:
        assert read_status(tmp_path)["state"] == "evaluating"
        signal.raise_signal(signal.SIGTERM)
        raise AssertionError("the evaluation continues")

    with monkeypatch.context() as patch:
        patch.setattr(loop if function == "play" else run, function, evaluate)
        events: list[dict[str, Any]] = []
        with pytest.raises(Aborted) as ended:
            run.train(CONFIG, tmp_path, report=events.append)
    steps = 256 if function == "play" else 512
    assert ended.value.signal == signal.SIGTERM
    assert find_checkpoint(tmp_path, LAST).counters.steps == steps
    assert read_status(tmp_path) == {"state": "interrupted", "steps": steps, "until": 512}
    *_, last = (tmp_path / "events.jsonl").read_text().splitlines()
    noted = json.loads(last)
    assert (noted["event"], noted["signal"]) == ("interrupted", signal.SIGTERM)
    assert events[-1]["event"] == "interrupted"
    run.resume(tmp_path)
    assert results(tmp_path) == uninterrupted
    with pytest.raises(ParameterError, match="choose a later stop"):
        run.resume(tmp_path)


class Finalized:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_in_a_finalizer_is_not_lost() -> None:
    """Python ignores exceptions of finalizers, and of callbacks of weak references."""
    before = sys.unraisablehook
    with pytest.raises(Aborted), Interruption() as interruption:  # noqa: PT012
        Finalized()
        threading.Event().wait(30)
    assert (interruption.signal, interruption.repeated) == (signal.SIGTERM, False)
    assert sys.unraisablehook is before


def test_a_held_block_delays_the_first_signal_only() -> None:
    done = []
    with Interruption() as interruption:
        with pytest.raises(Aborted) as caught, interruption.held():  # noqa: PT012
            signal.raise_signal(signal.SIGTERM)
            done.append("held")
        with pytest.raises(Aborted), interruption.held():  # noqa: PT012
            signal.raise_signal(signal.SIGINT)
            done.append("not held")
    assert (done, caught.value.signal, interruption.repeated) == (["held"], signal.SIGTERM, True)


def test_a_held_block_that_does_not_end_is_left() -> None:
    with Interruption() as interruption, pytest.raises(Aborted):  # noqa: PT012, SIM117
        with interruption.held(0.01):
            signal.raise_signal(signal.SIGTERM)
            threading.Event().wait()
    assert interruption.repeated


def test_only_trainings_delay_signals() -> None:
    """All other work obeys a signal at once: its finished parts are on disk."""
    package = Path(defiance_zoo.__file__).parent
    held = {path for path in package.rglob("*.py") if ".held(" in path.read_text()}
    training = package / "experiments" / "training"
    assert held == {training / "loop.py", training / "run.py"}


def test_an_error_of_the_cleanup_does_not_hide_the_signal(tmp_path: Path) -> None:
    """The cause may be far back: an error in Python's own library, described by ours."""
    events: list[dict[str, Any]] = []
    with pytest.raises(Aborted), stopped_at_once(events.append):  # noqa: PT012 (what is tested)
        try:
            try:
                signal.raise_signal(signal.SIGTERM)
            finally:
                (tmp_path / "missing").unlink()
        except OSError as error:
            raise RuntimeError("no simulation could be started") from error
    assert events == [{"event": "interrupted", "signal": signal.SIGTERM}]
