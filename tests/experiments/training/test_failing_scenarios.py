# SPDX-License-Identifier: GPL-2.0-only
"""Trainings whose simulations fail: errors in a scenario's code end them, and crashes do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rllib_support import RAY_WARNINGS, SMALL

from defiance_zoo.environments import lookup
from defiance_zoo.errors import ScenarioError, SimulationCrashed
from defiance_zoo.experiments.evaluation import RandomPolicy, open_env, play
from defiance_zoo.experiments.training import RunConfig, train
from defiance_zoo.experiments.workbench.progress import TRAINING

MISTAKES = str(Path(__file__).parents[2] / "scenario/programs/mistakes.py")
pytestmark = RAY_WARNINGS
PPO = {"n_steps": 8, "batch_size": 8, "n_epochs": 1}


@pytest.mark.long
@pytest.mark.parametrize("where", ["event", "observation"])  # the second one during the reset
@pytest.mark.parametrize(
    "arguments",
    [
        {"hyperparameters": PPO},
        {"library": "rllib", "hyperparameters": SMALL["PPO"]},
        pytest.param(
            {"library": "rllib", "hyperparameters": SMALL["PPO"], "runners": 1},
            marks=pytest.mark.thorough,
        ),
    ],
    ids=["sb3", "rllib", "rllib runners"],
)
def test_an_error_in_a_scenario_ends_a_training_with_its_traceback(
    arguments: dict[str, Any], where: str, tmp_path: Path
) -> None:
    parameters = {"where": where}
    config = RunConfig(env=MISTAKES, parameters=parameters, steps=100_000, **arguments)
    with pytest.raises(ScenarioError, match=f"a mistake in {where}"):
        train(config, tmp_path / "run", report=lambda _event: None)
    *_, last = events(tmp_path)
    assert (last["event"], last["error"]) == ("failed", "ScenarioError")


@pytest.mark.long
def test_crashes_are_events_of_a_training_and_the_first_one_is_shown(tmp_path: Path) -> None:
    crashing = tmp_path / "crashing.py"
    mistake = 'raise ArithmeticError(f"a mistake in {where}")'
    crashing.write_text(Path(MISTAKES).read_text().replace(mistake, "os.abort()"))
    parameters = {"where": "event", "duration": "10s"}
    config = RunConfig(
        env=str(crashing), parameters=parameters, steps=16, hyperparameters=PPO, simulations=1
    )
    shown: list[str] = []
    with pytest.raises(SimulationCrashed):  # the evaluation at the end
        train(config, tmp_path / "run", report=lambda event: shown.append(TRAINING.describe(event)))
    lost = [each for each in events(tmp_path) if each["event"] == "simulation_failed"]
    assert len(lost) > 3
    assert all("SIGABRT" in each["message"] for each in lost)
    assert sum("SIGABRT" in line for line in shown) == 2  # of the training and the evaluation


def test_an_error_in_a_scenario_is_not_played_again() -> None:
    env = open_env(lookup(MISTAKES), {"where": "event"})
    reported: list[Any] = []
    with pytest.raises(ScenarioError, match="a mistake in event"):
        list(
            play(
                env,
                RandomPolicy(env.action_space, 1),
                episodes=1,
                seed=1,
                attempts=3,
                report=reported.append,
            )
        )
    env.close()
    assert not reported


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "run/events.jsonl").read_text().splitlines()]
