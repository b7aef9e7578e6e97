# SPDX-License-Identifier: GPL-2.0-only
"""The files that a run writes when a signal ends it immediately."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from defiance_zoo.experiments.training import RunConfig, learning_curve_plot, run
from defiance_zoo.experiments.training.configuration import Evaluation
from defiance_zoo.experiments.training.status import read_status
from defiance_zoo.experiments.workbench.events import ignore
from defiance_zoo.experiments.workbench.interruption import Aborted, stopped_at_once


def test_a_learning_curve_that_cannot_be_drawn_does_not_end_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no room")

    monkeypatch.setattr(learning_curve_plot, "draw_curve", fail)
    hyperparameters = {"n_steps": 16, "batch_size": 16, "n_epochs": 1}
    config = RunConfig(env="cart_pole_v0", hyperparameters=hyperparameters, steps=16, simulations=1)
    config = config.model_copy(update={"evaluation": Evaluation(episodes=1)})
    events: list[dict[str, Any]] = []
    run.train(config, tmp_path / "run", report=events.append)
    (undrawn,) = [event for event in events if event["event"] == "not_drawn"]
    assert (undrawn["picture"], undrawn["message"]) == ("learning_curve.png", "no room")
    assert (tmp_path / "run" / "evaluation.json").is_file()


def test_a_signal_during_the_evaluation_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing more is saved; viewers of the run are informed of its end."""
    hyperparameters = {"n_steps": 16, "batch_size": 16, "n_epochs": 1}
    config = RunConfig(env="cart_pole_v0", hyperparameters=hyperparameters, steps=16, simulations=1)

    def evaluate(*_: object, **__: object) -> None:
        told = read_status(tmp_path / "run")
        assert told is not None
        assert told.state == "evaluating"
        raise Aborted(signal.SIGTERM)

    monkeypatch.setattr(run, "evaluate", evaluate)
    with pytest.raises(Aborted):
        run.train(config, tmp_path / "run", report=ignore)
    told = read_status(tmp_path / "run")
    assert told is not None
    assert (told.state, told.facts) == ("interrupted", {"steps": 16, "until": 16})
    *_, last = (tmp_path / "run" / "events.jsonl").read_text().splitlines()
    noted = json.loads(last)
    assert (noted["event"], noted["signal"]) == ("interrupted", signal.SIGTERM)


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
