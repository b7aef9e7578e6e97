# SPDX-License-Identifier: GPL-2.0-only
"""Cross-play between runs, runs in populations, and the gains of best responses."""

from __future__ import annotations

import json
from pathlib import Path

import matrix_games
import numpy as np
import pytest
import torch
from command_calls import at_terminal, call, call_for_json
from small_populations import RAY_WARNINGS, constants, grow, population

from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import RunConfig, train
from defiance_zoo.population import (
    KnownPolicy,
    compare_runs,
    describe_population,
    exploit_population,
    read_population_file,
)
from defiance_zoo.population.payoff_table import read_table
from defiance_zoo.population.running.generations import action_mixture
from defiance_zoo.population.running.run import read_population, train_population

pytestmark = RAY_WARNINGS
torch.set_num_threads(1)
ROLES = {"transmitter": "agent_0", "jammer": "agent_1"}
GAME = {"channels": 2, "duration": "8ms"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two transmitters of different seeds with very short trainings."""
    folder = tmp_path_factory.mktemp("runs")
    config = RunConfig(
        env="jamming_v0",
        parameters={**GAME, "opponent": "random"},
        hyperparameters={"n_steps": 16, "batch_size": 16, "n_epochs": 1},
        steps=16,
        evaluation={"episodes": 1},
    )
    for seed in (1, 2):
        train(config.model_copy(update={"seed": seed}), folder / f"seed_{seed}")
    return [folder / f"seed_{seed}" for seed in (1, 2)]


@pytest.mark.long
def test_runs_play_against_each_other(runs: list[Path], tmp_path: Path) -> None:
    """The runs play transmitter and jammer; a player that stays on one channel jams itself."""
    found = compare_runs(
        runs,
        baselines=[KnownPolicy(baseline="constant", options={"action": 0})],
        parameters=GAME,
        roles=ROLES,
        payoff="per_decision",
        episodes=2,
        workers=0,
        out=tmp_path / "compared",
    )
    assert found["names"] == ["seed_1", "seed_2", "constant-0"]
    assert found["means"][2][2] == 0
    for line in found["means"]:
        assert all(0 <= each <= 1 for each in line)
    assert found["elo"] is found["transitivity"] is None  # no run plays both roles at once
    table = read_table(tmp_path / "compared" / "payoffs.json")
    assert len(table) == 9
    cell = table.get(("transmitter-seed_1", "jammer-seed_2"))
    assert cell is not None
    assert cell.payoffs["transmitter-seed_1"].mean == found["means"][0][1]
    assert {path.suffix for path in (tmp_path / "compared").iterdir()} == {
        ".json",
        ".parquet",
        ".png",
    }


@pytest.mark.long
def test_runs_are_compared_on_the_command_line(runs: list[Path]) -> None:
    """With one role for all agents, each run takes all seats, and there are ratings."""
    flags = ("-p", "opponent=agent", "--policy", "sensing", "--episodes", 2, "--workers", 0)
    found = call_for_json("population", "compare", *runs, *flags)
    assert found["names"] == ["seed_1", "seed_2", "sensing"]
    assert set(found["elo"]) == {"seed_1", "seed_2", "sensing"}
    means = found["means"]
    assert all(means[i][j] == -means[j][i] for i in range(3) for j in range(3))
    printed, shown = at_terminal("population", "compare", *runs, *flags)
    assert "Elo: " in printed
    assert "6/6 cells" in shown
    for arguments, words in (
        ((runs[0], runs[0], "-p", "opponent=agent"), "must be different"),
        ((runs[0].parent,), "is not a run"),
        (runs, "two agents or more"),
    ):
        status, _, errors = call("population", "compare", *arguments)
        assert status == 2
        assert words in errors


def test_a_population_starts_with_trained_runs(runs: list[Path], tmp_path: Path) -> None:
    """Runs are opponents, and a new policy starts with their weights."""
    text = f"""
    env: jamming_v0
    parameters: {{channels: 2, duration: 8ms}}
    roles: {{transmitter: agent_0, jammer: agent_1}}
    initial: {{transmitter: [{{run: {runs[0].name}}}], jammer: [uniform]}}
    best_response:
      library: sb3
      hyperparameters: {{n_steps: 16, batch_size: 16, n_epochs: 1}}
      simulations: 1
      initialisation: pretrained
      pretrained: {{transmitter: {runs[1].name}, jammer: {runs[0].name}}}
    stop: {{steps: 16}}
    generations: 1
    episodes: 2
    """
    file = runs[0].parent / "population.yaml"
    file.write_text(text)
    config = read_population_file(file)
    assert config.initial["transmitter"][0].run == str(runs[0])
    assert config.best_response.pretrained["jammer"] == str(runs[0])
    train_population(config, tmp_path / "population", workers=0)
    known = describe_population(tmp_path / "population")
    assert known["matrix"]["rows"] == ["transmitter-seed_1", "transmitter-1"]
    other = text.replace("sb3", "rllib").replace("n_steps: 16, batch_size: 16, n_epochs: 1", "")
    file.write_text(other)
    with pytest.raises(ParameterError, match="was trained with PPO of sb3, not PPO of rllib"):
        read_population_file(file)
    for wrong in ("run: nowhere", "run: seed_1, baseline: random", "run: seed_1, options: {a: 1}"):
        file.write_text(text.replace("{run: seed_1}", f"{{{wrong}}}"))
        with pytest.raises(ParameterError, match=r"initial\.transmitter: "):
            read_population_file(file)


@pytest.mark.long
def test_exploit_reports_the_gain_of_a_best_response(tmp_path: Path) -> None:
    """The best response finds the gain of the best pure strategy; the population stays as it is."""
    config = population(generations=1, stop={"steps": 1}, initial={"player": constants(3)[1:2]})
    grow(config.model_copy(update={"probes": {}}), tmp_path)
    before = (tmp_path / "payoffs.json").read_text()
    found = exploit_population(tmp_path, steps=5120, workers=0)
    assert found["nash_conv_lower_bound"] == pytest.approx(
        2 * found["roles"]["player"]["gain_lower_bound"]
    )
    exact = _exact(tmp_path)
    assert found["nash_conv_lower_bound"] == pytest.approx(exact, abs=1e-6)
    assert found["nash_conv_lower_bound"] > 0
    assert json.loads((tmp_path / "exploitability.json").read_text()) == found
    # No policy has joined.
    assert (tmp_path / "payoffs.json").read_text() == before
    assert read_population(tmp_path).populations["player"].names == ["constant-1", "player-1"]


def _exact(folder: Path) -> float:
    """Return NashConv against all pure strategies."""
    mixed = action_mixture(read_population(folder), "player")
    assert mixed is not None
    payoffs = np.array(matrix_games.BIASED)
    return float(2 * (payoffs @ mixed).max())


def test_exploit_prints_its_result_for_people(tmp_path: Path) -> None:
    config = population(generations=1, stop={"steps": 1})
    grow(config, tmp_path)
    status, printed, errors = call(
        "population", "exploit", tmp_path, "--steps", 640, "--workers", 0
    )
    assert (status, errors) == (0, "")
    assert "is at least" in printed
    assert "gain, at least" in printed
