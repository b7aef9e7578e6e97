# SPDX-License-Identifier: GPL-2.0-only
"""Result folders of other people that name code: no command runs this code without --trust."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_calls import call
from episode_files import write_episode

from defiance_zoo.bridge.system.imports import is_installed
from defiance_zoo.errors import ParameterError, UnknownOrigin
from defiance_zoo.experiments.libraries.library import GROUP, library_names
from defiance_zoo.experiments.training import RunConfig, evaluate
from defiance_zoo.experiments.training.checkpoints import (
    Counters,
    RunFolder,
    find_checkpoint,
    save_checkpoint,
)
from defiance_zoo.experiments.training.export.exporting import export_policy
from defiance_zoo.experiments.training.run_config_file import build_config, to_yaml
from defiance_zoo.experiments.workbench.origin import read_description, write_description
from defiance_zoo.population import PopulationConfig, compare_runs, read_population
from defiance_zoo.population.members import PolicyRecord
from defiance_zoo.population.running.state import PopulationFolder

EVIL = "open('ran', 'w').close()\nF = LIBRARY = None\n"
GAME = "channel_rps_v0"

RUNS: dict[str, dict[str, Any]] = {
    "environment": {"env": "evil:any_v0"},
    "environment-file": {"env": "evil.py"},
    "plant": {"env": "networked:evil:F"},
    "command": {
        "env": "networked:os:system",
        "parameters": {"plant_arguments": '{"command": "touch ran"}'},
    },
    "command-of-installed-code": {
        "env": "networked:runpy:run_path",
        "parameters": {"plant_arguments": '{"path_name": "./evil"}'},
    },
    "features": {"features": "evil:F"},
    "features-file": {"features": "evil.py:F"},
    "nameless-file": {"features": ".py:F"},
    "policy-class": {"hyperparameters": {"policy": "evil:F"}},
    "nested-class": {"hyperparameters": {"policy_kwargs": {"activation_fn": "evil:F"}}},
    "library": {"library": "evil"},
    "dotted-class": {
        "library": "rllib",
        "hyperparameters": {"exploration_config": {"type": "evil.F"}},
    },
    "offline-data": {"library": "rllib", "hyperparameters": {"input_": "./evil"}},
}
"""Keys of a run that name code, with such code in the current folder."""

POPULATIONS: dict[str, dict[str, Any]] = {
    "environment": {"env": "evil:any_v0"},
    "policy-class": {"best_response": {"library": "sb3", "hyperparameters": {"policy": "evil:F"}}},
    "library": {"best_response": {"library": "evil"}},
    "run": {"initial": {"player": [{"run": "their-run"}]}},
    "pretrained": {
        "best_response": {"initialisation": "pretrained", "pretrained": {"player": "their-run"}}
    },
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Be in a folder with code of others: a module, and a distribution with a library."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*(each for each in sys.path if each), ""])
    for name in ("evil.py", ".py", "evil"):
        Path(name).write_text(EVIL)
    facts = Path("evil-1.0.dist-info")
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{GROUP}]\nevil = evil:LIBRARY\n")
    yield tmp_path
    sys.modules.pop("evil", None)


def doctored_run(path: Path, changes: dict[str, Any], *, checkpoint: bool) -> Path:
    """Write the folder of a run by another user."""
    path.mkdir()
    plain = RunConfig(env="cart_pole_v0")
    described = yaml.safe_dump({**yaml.safe_load(to_yaml(plain)), **changes})
    (path / "config.yaml").write_text(described)
    if checkpoint:
        save_checkpoint(
            path / "checkpoints", plain, Counters(steps=8), lambda each: None, best=True
        )
        (path / "checkpoints" / "last" / "config.yaml").write_text(described)
    return path


def doctored_population(path: Path, changes: dict[str, Any]) -> Path:
    """Write the folder of a population by another user."""
    config = PopulationConfig(env=GAME)
    folder = PopulationFolder(path, new=True)
    folder.begin(config, {})
    record = PolicyRecord("random", "player", baseline="random")
    generation = {
        "populations": {"player": [record.to_json()]},
        "mixtures": {"player": [1.0]},
        "figures": {},
        "actions": {},
        "cells": {},
        "seconds": {},
    }
    folder.write_generation(0, generation)
    folder.close()
    described = {**yaml.safe_load((path / "population.yaml").read_text()), **changes}
    (path / "population.yaml").write_text(yaml.safe_dump(described))
    return path


STUDY = "env: cart_pole_v0\npolicies: {theirs: {run: their-run}}\nepisodes: 1\n"

OF_RUNS: dict[str, tuple[str, ...]] = {
    "resume": ("resume", "their-run"),
    "eval": ("eval", "their-run", "--episodes", "1"),
    "leaderboard": ("eval", "their-run", "--leaderboard", "--out", "board.json"),
    "export": ("export", "their-run", "policy.onnx"),
    "compare": ("population", "compare", "their-run"),
    "study": ("study", "study.yaml", "--out", "study"),
}
OF_POPULATIONS = {
    each: ("population", each, "their-population") for each in ("resume", "exploit", "show")
}


@pytest.mark.parametrize("command", [*OF_RUNS, "resume-from-begin"])
@pytest.mark.parametrize("doctored", RUNS)
def test_no_command_runs_the_code_that_a_run_names(
    doctored: str, command: str, folder: Path
) -> None:
    checkpoint = command != "resume-from-begin"
    doctored_run(folder / "their-run", RUNS[doctored], checkpoint=checkpoint)
    Path("study.yaml").write_text(STUDY)
    status, _, said = call(*OF_RUNS.get(command, ("resume", "their-run")))
    assert status == 2, said
    assert not Path("ran").exists()
    assert "evil" not in sys.modules


@pytest.mark.parametrize("command", OF_POPULATIONS)
@pytest.mark.parametrize("doctored", POPULATIONS)
def test_no_command_runs_the_code_that_a_population_names(
    doctored: str, command: str, folder: Path
) -> None:
    doctored_run(folder / "their-run", RUNS["environment"], checkpoint=True)
    doctored_population(folder / "their-population", POPULATIONS[doctored])
    status, _, said = call(*OF_POPULATIONS[command])
    assert status == 2, said
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    "command",
    [("replay",), ("report",), ("dataset", "--id", "a/b-v0"), ("partition", "show"),
     ("partition", "recheck"), ("partition", "shrink")],
    ids="-".join,
)  # fmt: skip
@pytest.mark.parametrize("named", ["evil:any_v0", "evil.py", "evil", "networked:evil:F"])
def test_no_command_runs_the_code_that_a_recording_names(
    named: str, command: tuple[str, ...], folder: Path
) -> None:
    call(*command, write_episode(Path("episode"), environment=named))
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    "doctored", ["environment", "plant", "features", "policy-class", "features-file"]
)
def test_a_trusted_run_runs_the_code_that_it_names(doctored: str, folder: Path) -> None:
    doctored_run(folder / "their-run", RUNS[doctored], checkpoint=False)
    call("resume", "their-run", "--trust")
    assert Path("ran").exists()


def test_a_trusted_population_runs_the_code_that_it_names(folder: Path) -> None:
    doctored_population(folder / "their-population", POPULATIONS["environment"])
    with pytest.raises(UnknownOrigin, match="which would be run: env='evil:any_v0'"):
        read_population(Path("their-population"))
    call("population", "resume", "their-population", "--trust")
    assert Path("ran").exists()


def test_a_doctored_description_beside_signed_checkpoints_is_refused(folder: Path) -> None:
    run = doctored_run(folder / "run", {}, checkpoint=True)
    shutil.rmtree(run / "checkpoints")
    config = RunConfig(env="cart_pole_v0")
    save_checkpoint(run / "checkpoints", config, Counters(8), lambda each: None, best=True)
    find_checkpoint(run, trust=False)
    (run / "config.yaml").write_text(to_yaml(config.model_copy(update={"features": "evil:F"})))
    status, _, said = call("resume", run)
    assert (status, Path("ran").exists()) == (2, False)
    assert "was not written by you on this machine, or has changed" in said


def test_python_functions_compare_the_signature_before_they_import(folder: Path) -> None:
    run = doctored_run(folder / "run", RUNS["environment"], checkpoint=True)
    found = find_checkpoint(run)
    with pytest.raises(UnknownOrigin):
        export_policy(found.config, found.trainer, folder / "policy.onnx")
    with pytest.raises(UnknownOrigin):
        evaluate(run)
    with pytest.raises(UnknownOrigin):
        compare_runs([run])
    assert not Path("ran").exists()


def test_own_descriptions_name_any_code_until_they_are_changed(folder: Path) -> None:
    path = folder / "config.yaml"
    write_description(path, "env: evil:any_v0\n")
    assert read_description(path, trust=False) == {"env": "evil:any_v0"}
    path.write_text("env: evil:any_v0\nsteps: 7\n")
    with pytest.raises(UnknownOrigin, match="names code that is not installed"):
        read_description(path, trust=False)
    assert read_description(path, trust=True)["steps"] == 7
    path.write_text("env: cart_pole_v0\nfeatures: defiance_zoo.wrappers:F\nsteps: 1e3\n")
    read_description(path, trust=False)  # names installed modules only


@pytest.mark.parametrize(
    ("described", "is_refused"),
    [
        ("env: networked:CartPole-v1", False),
        ("env: networked:gymnasium.envs.classic_control:CartPoleEnv", False),
        ("env: networked:evil:F", True),
        ("env: networked:evil:F-v0", True),
        ('parameters: {plant_arguments: \'{"id": ["evil\\u003aF-v0"]}\'}', True),
        ('parameters: {plant_arguments: \'{"id": "CartPole-v1"}\'}', False),
        (
            '{env: "networked:os:system", parameters: {plant_arguments: \'{"command": "id"}\'}}',
            True,
        ),
        ('{env: "networked:os:system", grid: {plant_arguments: [\'{"command": "id"}\']}}', True),
        ('parameters: {plant_arguments: {choice: [\'{"id": "evil:F-v0"}\']}}', True),
        ('parameters: {plant_options: \'{"id": "evil:F-v0"}\'}', True),
        ('{env: "networked:gymnasium:make", parameters: {plant_arguments: "{}"}}', False),
        ('{env: "networked:CartPole-v1", parameters: {plant_arguments: \'{"a": 1}\'}}', False),
    ],
)
def test_plants_of_others_are_installed(described: str, is_refused: bool, folder: Path) -> None:
    path = folder / "config.yaml"
    path.write_text(f"{described}\n")
    expected = pytest.raises(UnknownOrigin) if is_refused else contextlib.nullcontext()
    with expected:
        read_description(path, trust=False)
    assert not Path("ran").exists()


def test_a_description_is_signed_before_it_replaces_the_last_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process may be killed between the two files."""
    path = folder / "config.yaml"
    write_description(path, "env: evil:any_v0\n")

    module = sys.modules[write_description.__module__]
    write = module.write_whole

    def killed(file: Path, *arguments: object) -> None:
        if file == path:
            raise KeyboardInterrupt
        write(file, *arguments)

    monkeypatch.setattr(module, "write_whole", killed)
    with pytest.raises(KeyboardInterrupt):
        write_description(path, "env: evil:other_v0\n")
    assert read_description(path, trust=False) == {"env": "evil:any_v0"}
    path.write_text("env: evil:other_v0\n")
    assert read_description(path, trust=False) == {"env": "evil:other_v0"}


@pytest.mark.parametrize(
    ("module", "installed"),
    [
        *((each, True) for each in ("os", "sys", "numpy.linalg", "defiance_zoo.envs", "json")),
        *((each, False) for each in ("evil", "no_such_module", "beside.evil")),
    ],
)
def test_modules_of_the_current_folder_are_not_installed(
    module: str, installed: bool, folder: Path
) -> None:
    (folder / "beside").mkdir()  # a namespace package
    (folder / "beside" / "evil.py").write_text(EVIL)
    assert is_installed(module) is installed
    assert not Path("ran").exists()


def test_distributions_in_the_current_folder_are_not_installed(folder: Path) -> None:
    assert "evil" not in library_names()
    with pytest.raises(ParameterError, match="no library of this name is installed"):
        build_config({"env": "cart_pole_v0", "library": "evil"})


def test_a_run_in_another_folder_is_still_the_users(folder: Path) -> None:
    (folder / "run").mkdir()
    write_description(folder / "run" / "config.yaml", to_yaml(RunConfig(env="evil:any_v0")))
    shutil.copytree(folder / "run", folder / "copy")
    reopened, config = RunFolder.reopen(folder / "copy", trust=False)
    reopened.close()
    assert config.env == "evil:any_v0"
