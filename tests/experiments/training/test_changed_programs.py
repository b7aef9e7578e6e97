# SPDX-License-Identifier: GPL-2.0-only
"""Runs, tunings and other work keep the program of the scenario with which they began."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_calls import call

import defiance_zoo
from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.bridge.simulation import keep_programs, program_digest
from defiance_zoo.environments import lookup
from defiance_zoo.errors import ParameterError, ProgramChanged
from defiance_zoo.experiments.study import read_study, run_study
from defiance_zoo.experiments.training import RunConfig, evaluate, resume, train
from defiance_zoo.experiments.training.provenance import find_program
from defiance_zoo.experiments.tuning import build_tuning, tune
from defiance_zoo.experiments.workbench.descriptions import build_model
from defiance_zoo.experiments.workbench.events import EventCallback
from defiance_zoo.experiments.workbench.keys import cell_key
from defiance_zoo.experiments.workbench.workers import LocalWorkers
from defiance_zoo.population.configuration import PopulationConfig
from defiance_zoo.population.running.run import train_population

SCENARIO = """
import defiance_zoo.scenario as sc
from worth import REWARD

sim = sc.Simulation("own", duration="500ms")
sim.parameter("table", "", help="A file of weights.")


@sim.episode
def build(p):
    for node in sc.nodes(AGENTS):
        play(sc.Agent(node, sc.Box(0, 1, (1,)), sc.Discrete(ACTIONS), StepInterval="20ms"))


def play(agent):
    agent.observe(lambda: [0.5])

    @agent.on_action
    def act(action):
        agent.reward = REWARD
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the scenario, in which a run has been trained."""
    folder = tmp_path_factory.mktemp("changed")
    write_files(folder)
    train(config(env=str(folder / "own.py")), folder / "run")
    return folder


@pytest.fixture
def write(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that writes the scenario into the current folder."""
    monkeypatch.chdir(folder)
    write_files(folder)
    return functools.partial(write_files, folder)


def write_files(folder: Path, *, agents: int = 1, actions: int = 2, reward: float = 1.0) -> None:
    """Write the scenario, and the module that it imports."""
    scenario = SCENARIO.replace("AGENTS", str(agents)).replace("ACTIONS", str(actions))
    (folder / "own.py").write_text(scenario)
    (folder / "worth.py").write_text(f"REWARD = {reward}\n")


def config(**changes: Any) -> RunConfig:
    values = {
        "env": "own.py",
        "library": "sb3",
        "algorithm": "PPO",
        "steps": 64,
        "simulations": 1,
        "hyperparameters": {"n_steps": 64},
        "evaluation": {"episodes": 1},
        "checkpoint_every": 64,
    }
    return RunConfig(**{**values, **changes})


@pytest.mark.parametrize("command", ["random", "eval"])
def test_a_command_plays_one_program(command: str, write: Callable[..., None]) -> None:
    """This one changes itself when it plays an episode."""
    write()
    change = "    with open(__file__, 'a') as file:\n        file.write('# played\\n')\n"
    begin = "def build(p):\n"
    Path("own.py").write_text(Path("own.py").read_text().replace(begin, begin + change))
    status, _, errors = call(command, "own.py", "--episodes", 3)
    assert status == 1
    assert "own.py, or a module or file that it reads, has changed" in errors


def test_the_digest_covers_modules_beside_the_scenario(write: Callable[..., None]) -> None:
    file = Path("own.py").absolute()
    first = program_digest(file)
    write()
    assert program_digest(file) == first
    Path("other.py").write_text("")
    assert program_digest(file) == first
    write(reward=2.0)
    assert program_digest(file) != first
    Path("worth.py").write_text("from pack.inner import REWARD\n")
    Path("pack").mkdir()
    Path("pack/__init__.py").write_text("from . import beside\n")
    Path("pack/beside.py").write_text("")
    Path("pack/inner.py").write_text("from .beside import *\nREWARD = 1\n")
    nested = program_digest(file)
    Path("pack/beside.py").write_text("SIZE = 1\n")
    assert program_digest(file) != nested
    alone = Path("other.py").absolute()
    assert program_digest(alone) == hashlib.sha256(b"").hexdigest()


@pytest.mark.parametrize("launch", ["fork", "spawn"])
@pytest.mark.parametrize("name", ["own", "worth", "pack/inner"])
def test_a_file_runs_as_it_is_now(
    name: str, launch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after an edit that keeps its size and time, by which Python knows compiled modules."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.chdir(tmp_path)
    Path("pack").mkdir()
    write_files(Path())
    scenario = Path("own.py").read_text()
    Path("own.py").write_text(scenario.replace("= REWARD", "= REWARD + 0"))
    Path("worth.py").write_text("from pack.inner import INNER\nREWARD = INNER + 0\n")
    Path("pack/inner.py").write_text("INNER = 0 + 0\n")
    file = Path(f"{name}.py")
    env = EnvironmentSpec("own_v0", Scenario.python("own", Path("own.py"))).parallel_env(
        launch=launch
    )
    for reward in (0, 1, 2):
        before = file.stat()
        file.write_text(file.read_text().replace(f"+ {reward - 1}", f"+ {reward}"))
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        env.reset(seed=1)
        assert env.step({"agent_0": 0})[1] == {"agent_0": float(reward)}
    env.close()


@pytest.mark.long
@pytest.mark.parametrize(("edited", "text"), [("worth.py", "REWARD = 5.0\n"), ("table.txt", "5")])
def test_an_edited_scenario_or_file_ends_a_training(
    edited: str, text: str, write: Callable[..., None]
) -> None:
    def edit(event: dict[str, Any]) -> None:
        if event["event"] == "iteration":
            Path(edited).write_text(text)

    Path("table.txt").write_text("1")
    kept = Path("table.txt" if edited == "table.txt" else "own.py").absolute()
    before = program_digest(kept)
    table = {"choice": ["table.txt", "table.txt"]}
    with pytest.raises(ProgramChanged) as raised:
        train(config(steps=10_000, parameters={"table": table}), Path(edited[:5]), report=edit)
    assert before[:16] in str(raised.value)
    assert program_digest(kept)[:16] in str(raised.value)
    with pytest.raises(ProgramChanged, match=f"^{kept}|^table="):
        resume(Path(edited[:5]), until=257)
    write()
    Path("table.txt").write_text("1")
    assert resume(Path(edited[:5]), until=257).counters.steps > 256


def test_files_of_parameters_are_inputs_of_cells(write: Callable[..., None]) -> None:
    scenario = lookup("own.py").scenario

    def key(table: Any) -> str:
        return cell_key({}, scenario, {"table": table})

    Path("table.txt").write_text("1")
    files, text = {"choice": ["table.txt", "none.txt"]}, "x" * 5000
    before = [key("table.txt"), key(files), key({"agent_0": "table.txt"}), key(text)]
    Path("table.txt").write_text("2")
    after = [key("table.txt"), key(files), key({"agent_0": "table.txt"}), key(text)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, False, True]


@pytest.mark.long
def test_a_changed_program_is_resumed_only_on_request(
    write: Callable[..., None],
) -> None:
    run = shutil.copytree("run", "copy", symlinks=True)
    write(reward=5.0)
    with pytest.raises(ProgramChanged, match=r"has changed.*\(new_program=True\)"):
        resume(Path(run), until=128)
    status, _, errors = call("resume", run, "--until", 128)
    assert status == 1
    assert "--new-program" in errors
    resume(Path(run), until=128, new_program=True)
    resume(Path(run), until=192)  # the changed one is the run's program now
    defiance_zoo.make("own.py").close()  # nothing is kept after the training


def test_an_evaluation_reports_a_changed_program(write: Callable[..., None]) -> None:
    assert "programs" not in evaluate(Path("run"), compare=[])["checkpoint"]
    trained = program_digest(Path("own.py").absolute())
    write(reward=5.0)
    found = evaluate(Path("run"), compare=[])
    played = program_digest(Path("own.py").absolute())
    assert found["checkpoint"]["programs"] == {"trained": trained, "played": played}
    assert found["policies"]["trained"]["mean"] > 100  # each of 25 decisions earns 5
    status, said, _ = call("eval", "run", "--no-baselines")
    assert status == 0
    assert f"The scenario has changed since the training: SHA-256 {trained[:16]} then" in said


def test_a_policy_for_other_spaces_is_refused(write: Callable[..., None]) -> None:
    write(actions=3)
    differ = r"actions Discrete\(3\); the policy was trained with .* actions Discrete\(2\)"
    with pytest.raises(ParameterError, match=differ):
        evaluate(Path("run"), compare=[])
    status, _, errors = call("export", "run", "policy.onnx")
    assert status == 2
    assert "trained with observations float32[1] and actions Discrete(2)" in errors


PLANTS = """
from gymnasium.envs.classic_control import CartPoleEnv
from {inner} import REWARD

class Plant(CartPoleEnv):
    def step(self, action):
        observation, _, *others = super().step(action)
        return observation, REWARD, *others
"""


@pytest.mark.parametrize("module", ["own_plants", "plant_pack.plants"])
def test_a_plant_is_part_of_the_program(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise an edited plant changes a training in silence, and studies keep old cells."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    file = Path(f"{module.replace('.', '/')}.py")
    worth = file.with_name("plant_worth.py")
    file.parent.mkdir(exist_ok=True)
    file.write_text(PLANTS.format(inner=".".join([*module.split(".")[:-1], "plant_worth"])))
    worth.write_text("REWARD = 1.0\n")
    env = f"networked:{module}:Plant"
    found = []
    with keep_programs(lookup(env).scenario.digests()):
        for _ in range(2):
            scenario = lookup(env).scenario
            found.append((find_program(env, {}), cell_key({}, scenario, {})))
            plays = contextlib.closing(defiance_zoo.make(env, link="local"))
            changed = pytest.raises(ProgramChanged, match=str(file))
            with plays as played, changed if len(found) > 1 else contextlib.nullcontext():
                played.reset(seed=1)
            worth.write_text("REWARD = 5.0\n")
    (first, second), (one, other) = zip(*found, strict=True)
    assert first != second
    assert one != other


class Reset:
    """A job that begins an episode."""

    def run(self, report: Any) -> dict[str, Any]:
        env = defiance_zoo.make("own.py")
        env.reset(seed=1)
        env.close()
        return {}


@pytest.mark.long
def test_workers_keep_the_programs_of_their_sender(write: Callable[..., None]) -> None:
    workers = LocalWorkers(1)
    with keep_programs(lookup("own.py").scenario.digests()):
        (first,) = workers.run([("first", Reset())], print)
        write(reward=5.0)
        (second,) = workers.run([("second", Reset())], print)
    (third,) = workers.run([("third", Reset())], print)
    workers.close()
    assert (first.error, second.error, third.error) == (None, "ProgramChanged", None)


STUDY = """
env: own.py
policies: {chance: {baseline: random}}
grid: {duration: [100ms, 200ms]}
episodes: 1
"""
TUNING: dict[str, Any] = {
    "env": "own.py",
    "hyperparameters": {"n_steps": 64},
    "steps": 64,
    "evaluation": {"every": 64, "episodes": 1},
    "tuning": {
        "space": {"hyperparameters": {"gamma": {"type": "float", "low": 0.9, "high": 1}}},
        "trials": 3,
    },
}
POPULATION: dict[str, Any] = {
    "env": "edited_scenarios:edited_v0",
    "best_response": {
        "library": "sb3",
        "hyperparameters": {"n_steps": 64},
        "simulations": 1,
    },
    "stop": {"steps": 64},
    "episodes": 1,
}
REGISTRATION = """
import defiance_zoo as dz
dz.register("edited_v0", dz.EnvironmentSpec("edited_v0", dz.Scenario.python("own", "own.py")))
"""


def begin(kind: str, report: EventCallback) -> None:
    """Begin an experiment of a kind that works in steps."""
    if kind == "tuning":
        tune(build_tuning(TUNING), Path(kind), report=report)
    elif kind == "study":
        Path("study.yaml").write_text(STUDY)
        run_study(read_study(Path("study.yaml")), Path(kind), workers=0, report=report)
    else:
        Path("edited_scenarios.py").write_text(REGISTRATION)
        config = build_model(PopulationConfig, POPULATION)
        train_population(config, Path(kind), workers=0, report=report)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["tuning", "study", "population"])
def test_experiments_end_if_a_scenario_is_edited(
    kind: str, write: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise one table would have results of two scenarios."""
    monkeypatch.syspath_prepend(str(Path.cwd()))
    write(agents=2 if kind == "population" else 1)

    def edit(event: dict[str, Any]) -> None:
        if event["event"] in ("trial", "cell", "generation"):
            Path("worth.py").write_text("REWARD = 5.0")

    with pytest.raises(ProgramChanged, match="a module or file that it reads, has changed"):
        begin(kind, edit)


@pytest.mark.long
def test_a_study_keeps_files_that_no_cell_has_read(write: Callable[..., None]) -> None:
    def edit(event: dict[str, Any]) -> None:
        if event["event"] == "cell":
            Path("b.txt").write_text("2")

    Path("a.txt").write_text("1")
    Path("b.txt").write_text("1")
    Path("study.yaml").write_text(
        STUDY.replace("duration: [100ms, 200ms]", "table: [a.txt, b.txt]")
    )
    with pytest.raises(ProgramChanged, match=r"b\.txt, or a module or file that it reads"):
        run_study(read_study(Path("study.yaml")), Path("files"), workers=1, report=edit)
