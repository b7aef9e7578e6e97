# SPDX-License-Identifier: GPL-2.0-only
"""Functions that take folders and files also take their paths as texts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.study import read_study, run_study
from defiance_zoo.experiments.training import RunConfig, evaluate, resume, train
from defiance_zoo.population import (
    compare_runs,
    describe_population,
    exploit_population,
    read_population,
    resume_population,
)

RUN = {"env": "cart_pole_v0", "library": "sb3", "algorithm": "PPO", "steps": 32, "simulations": 1}
SETTINGS = {
    "parameters": {"duration": "300ms"},
    "hyperparameters": {"n_steps": 32, "batch_size": 32},
}
STUDY = "env: cart_pole_v0\nepisodes: 1\npolicies: {random: {baseline: random}}\n"


def test_a_run_and_a_study_are_named_by_texts(tmp_path: Path) -> None:
    run, study, out = str(tmp_path / "run"), tmp_path / "study.yaml", str(tmp_path / "out")
    train(RunConfig(**RUN, **SETTINGS), run)
    assert resume(run, until=64).run == Path(run)
    assert "random" in evaluate(run, episodes=1)["policies"]
    study.write_text(STUDY + "grid: {duration: [300ms]}\n")
    assert not run_study(read_study(str(study)), out, workers=1).failed


@pytest.mark.parametrize(
    "call",
    [
        *(resume, evaluate, read_study, describe_population, exploit_population),
        *(read_population, resume_population, lambda path: compare_runs([path])),
    ],
)
def test_a_text_that_names_nothing_is_refused(call: Callable[[Any], Any]) -> None:
    with pytest.raises(ParameterError, match="nothing-here"):
        call("nothing-here")
