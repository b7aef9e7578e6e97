# SPDX-License-Identifier: GPL-2.0-only
"""Populations that grow by best responses: their results, and their continuation after a kill."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import TESTS
from small_populations import RAY_WARNINGS, constants, grow, population, quick

from defiance_zoo.command_line import main
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training.metrics import read_metrics
from defiance_zoo.population.payoff_table import read_table
from defiance_zoo.population.running import run as growth
from defiance_zoo.population.running.generations import action_mixture
from defiance_zoo.population.running.run import (
    read_population,
    resume_population,
    train_population,
)
from defiance_zoo.population.running.state import read_generations
from defiance_zoo.population.solvers.registry import SOLVERS, Solver

pytestmark = RAY_WARNINGS
Events = list[dict[str, Any]]


@pytest.mark.parametrize("library", [pytest.param("rllib", marks=pytest.mark.thorough), "sb3"])
def test_biased_rock_paper_scissors_converges(
    library: str, local_ray: None, tmp_path: Path
) -> None:
    """NashConv is below 0.05 within six generations; the mixture is (1/2, 1/3, 1/6) within 0.05."""
    events: Events = []
    config = population(library, generations=6, nash_conv=0.04)
    outcome = grow(config, tmp_path, events.append)
    assert outcome.reason == "nash_conv"
    assert outcome.generation <= 6
    state = read_population(tmp_path)
    # The probes are all pure strategies: exact.
    assert state.exploit(state.mixtures).nash_conv < 0.05
    mixed = action_mixture(state, "player")
    assert mixed is not None
    assert mixed == pytest.approx([1 / 2, 1 / 3, 1 / 6], abs=0.05)
    figures = [each["figures"] for each in read_generations(tmp_path)]
    assert figures[0]["nash_conv"] == 6  # scissors earn 3 against paper, in either seat
    assert figures[-1]["nash_conv"] < 0.05
    assert figures[1]["response_gain"] == 6  # found by the first best response
    assert [each["event"] for each in events if each["event"] == "generation"]


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Events]:
    """A population of three generations, and its events."""
    events: Events = []
    out = tmp_path_factory.mktemp("grown")
    grow(quick(generations=3), out, events.append)
    return out, events


@pytest.mark.essential
def test_only_missing_cells_are_played(grown: tuple[Path, Events]) -> None:
    """A generation adds its policy's cells with all others, and the probes as deviations."""
    out, events = grown
    cells = [(each["missing"], each["known"]) for each in events if each["event"] == "cells"]
    # One policy and two probes against it; then one more policy each time.
    assert cells == [(3, 0), (4, 3), (5, 7), (6, 12)]
    played = [each["cells"]["played"] for each in read_generations(out)]
    assert played == [3, 4, 5, 6]
    assert len(read_table(out / "payoffs.json")) == 18
    lines = (out / "cells.jsonl").read_text().splitlines()
    profiles = [tuple(json.loads(line)["profile"]) for line in lines]
    assert len(profiles) == len(set(profiles)) == 18


def test_the_folder_of_a_population_has_the_documented_files(grown: tuple[Path, Events]) -> None:
    out, _ = grown
    names = {entry.name for entry in out.iterdir()}
    assert names == {
        ".lock",
        ".signatures",
        "cells.jsonl",
        "events.jsonl",
        "generations",
        "metrics.csv",
        "payoffs.json",
        "payoffs.parquet",
        "payoffs.png",
        "policies",
        "population.yaml",
        "tensorboard",
        "trainings",
        "versions.json",
    }
    assert len(list((out / "policies").iterdir())) == 3
    rows = read_metrics(out / "metrics.csv")
    assert [row["generation"] for row in rows] == [0, 1, 2, 3]
    assert {"nash_conv", "seconds/train", "seconds/play", "memory_mb"} <= rows[-1].keys()
    assert read_metrics(out / "trainings" / "player-3" / "metrics.csv")[-1]["steps"] == 640
    board = b"".join(path.read_bytes() for path in (out / "tensorboard").iterdir())
    assert b"payoffs" in board
    assert b"\x89PNG" in board


def test_a_folder_that_holds_a_population_is_not_overwritten(grown: tuple[Path, Events]) -> None:
    out, _ = grown
    with pytest.raises(ParameterError, match="--overwrite"):
        grow(quick(), out)
    with pytest.raises(ParameterError, match="choose a later stop with --generations"):
        resume_population(out, workers=0)


def test_a_population_continued_later_equals_an_uninterrupted_one(
    grown: tuple[Path, Events], tmp_path: Path
) -> None:
    out, _ = grown
    grow(quick(generations=1), tmp_path)
    resume_population(tmp_path, generations=3, workers=0)
    assert_same(tmp_path, out)


def assert_same(one: Path, other: Path) -> None:
    """Compare tables, generations and policies of two populations."""
    assert (one / "payoffs.json").read_text() == (other / "payoffs.json").read_text()
    known = [read_generations(each) for each in (one, other)]
    for generation in (*known[0], *known[1]):
        del generation["seconds"], generation["figures"]["memory_mb"]
    assert known[0] == known[1]
    digests = [sorted(path.name for path in (each / "policies").iterdir()) for each in (one, other)]
    assert digests[0] == digests[1]


KILL = """
import os, signal, sys
sys.path[:0] = sys.argv[4:]
from pathlib import Path
from small_populations import grow, quick

kind, count = sys.argv[2], int(sys.argv[3])
seen = 0

def report(event):
    global seen
    seen += event["event"] == kind
    if seen == count:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    grow(quick(generations=3), Path(sys.argv[1]), report)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("event", "count", "done", "left"),
    [
        # In the second training: the first generation is complete, with seven cells.
        pytest.param("iteration", 2, 7, [5, 6], id="training", marks=pytest.mark.long),
        # When three of the last generation's six cells are known, so is its policy.
        pytest.param("cell", 15, 15, [3], id="playing"),
    ],
)
def test_a_kill_changes_nothing(
    event: str, count: int, done: int, left: list[int], grown: tuple[Path, Events], tmp_path: Path
) -> None:
    """kill -9, then resume: the same table; known cells are not played again."""
    program = tmp_path / "kill.py"
    program.write_text(KILL)
    out = tmp_path / "population"
    paths = [str(Path(TESTS) / "support"), TESTS]
    command = [sys.executable, str(program), str(out), event, str(count), *paths]
    with (tmp_path / "errors").open("w") as errors:
        ended = subprocess.run(command, stdout=errors, stderr=errors, check=False)
    assert ended.returncode == -signal.SIGKILL, (tmp_path / "errors").read_text()
    lines = (out / "cells.jsonl").read_text().splitlines()
    assert len(lines) == done
    with (out / "cells.jsonl").open("a") as file:
        file.write(lines[0][:20])  # like a write interrupted by a kill
    events: Events = []
    resume_population(out, workers=0, report=events.append)
    assert [each["missing"] for each in events if each["event"] == "cells"] == left
    assert_same(out, grown[0])


# ------------------------------------------------------- solvers and plots fail


def test_a_generation_is_kept_if_its_solver_and_its_picture_fail(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The generation's file names the failed solver, its replacement and the error."""

    def fail(*_arguments: Any, **_options: Any) -> Any:
        raise FloatingPointError("singular")

    monkeypatch.setitem(SOLVERS, "nash", Solver(fail))
    monkeypatch.setattr(growth, "draw_heat_map", fail)
    events: Events = []
    assert grow(quick(generations=1), tmp_path, events.append).generation == 1
    said = {"solver": "nash", "instead": "prd", "error": "FloatingPointError"}
    for generation in read_generations(tmp_path):
        assert generation["fallbacks"] == [{**said, "message": "singular"}]
        assert sum(generation["mixtures"]["player"]) == pytest.approx(1)
    fallbacks = [each for each in events if each["event"] == "fallback"]
    assert [each["error"] for each in fallbacks] == ["FloatingPointError"] * 2
    undrawn = [each["picture"] for each in events if each["event"] == "not_drawn"]
    assert undrawn == ["payoffs.png"] * 2
    assert not (tmp_path / "payoffs.png").exists()
    shown = CliRunner().invoke(main, ["population", "show", str(tmp_path)])
    assert "generation 1: solver nash failed (singular); prd was used" in shown.output


def test_a_solver_for_other_games_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    roles = {"one": "agent_0", "others": "agent_[12]"}
    config = quick(env="channel_access_v0", parameters={"radios": 3})
    kept = {"roles": roles, "initial": {}, "probes": {}}
    with pytest.raises(ParameterError, match=r"not of 3; 'prd' is for any"):
        grow(config.model_copy(update=kept), tmp_path / "out")
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------------ other games


def test_each_role_has_its_own_population(tmp_path: Path) -> None:
    """Biased matching pennies: each role responds to the other one's mixture."""
    roles = {"row": "agent_0", "column": "agent_1"}
    config = population(
        "sb3",
        env="matrix_games:pennies_v0",
        generations=5,
        nash_conv=0.04,
        stop={"steps": 2560},
    )
    config = config.model_copy(
        update={
            "roles": roles,
            "initial": dict.fromkeys(roles, config.initial["player"]),
            "probes": dict.fromkeys(roles, config.probes["player"][:2]),
        }
    )
    assert grow(config, tmp_path).reason == "nash_conv"
    state = read_population(tmp_path)
    assert set(state.populations) == set(roles)
    assert all("row-" in name for name in state.populations["row"].names)
    for role in roles:
        mixed = action_mixture(state, role)
        assert mixed is not None
        assert mixed == pytest.approx([0.4, 0.6], abs=0.05)
    assert state.exploit(state.mixtures).values == pytest.approx((0.2, -0.2), abs=0.02)


def test_a_general_sum_game_converges(tmp_path: Path) -> None:
    """All defect in the end, with each meta-solver for such games."""
    config = population(
        "sb3",
        env="matrix_games:dilemma_v0",
        solver="prd",
        generations=1,
        initial={"player": constants(1)},
        stop={"steps": 2560},
    )
    config = config.model_copy(update={"probes": {}})
    grow(config, tmp_path)
    state = read_population(tmp_path)
    mixed = action_mixture(state, "player")
    assert mixed is not None
    assert mixed[1] > 0.95
    assert state.exploit(state.mixtures).values[0] == pytest.approx(1, abs=0.1)


@pytest.mark.long
@pytest.mark.parametrize("initialisation", ["inherit_last", "inherit_last_best"])
def test_best_responses_inherit_weights(initialisation: str, tmp_path: Path) -> None:
    config = quick(generations=2, best_response={"initialisation": initialisation})
    grow(config, tmp_path)
    first, second = (read_population(tmp_path).populations["player"][f"player-{n}"] for n in (1, 2))
    assert first.parent == ""
    assert second.parent == "player-1"


@pytest.mark.long
def test_two_worker_processes_play_the_same_cells(tmp_path: Path) -> None:
    """Parallel processes give the results of one process, including additional measures."""
    config = quick(
        generations=1,
        initial={"player": [*constants(3), "random"]},
        episodes=3,
        measures={"rounds": {"info": "sim_time_ns"}, "nothing": {"info": "unheard of"}},
    )
    train_population(config, tmp_path / "two", workers=2)
    train_population(config, tmp_path / "own", workers=0)
    texts = [(tmp_path / name / "payoffs.json").read_text() for name in ("two", "own")]
    assert texts[0] == texts[1]
    assert np.isfinite(read_population(tmp_path / "two").normal_form().payoffs[0]).all()
    figures = read_generations(tmp_path / "two")[-1]["figures"]
    assert figures["measure/rounds"] == pytest.approx(10)
    assert "measure/nothing" not in figures
