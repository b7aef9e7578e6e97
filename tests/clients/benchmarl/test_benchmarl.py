# SPDX-License-Identifier: GPL-2.0-only
"""`library: benchmarl`: runs, their resumption, masks, states, policies, and refusals."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import torch
from torchrl.envs.utils import ExplorationType, check_env_specs, set_exploration_type

import defiance_zoo
from defiance_zoo.errors import NotHomogeneous, ParameterError
from defiance_zoo.experiments.libraries.benchmarl import CHOOSING, CONTINUOUS, ON_POLICY
from defiance_zoo.experiments.training import RunConfig, evaluate, resume, train
from defiance_zoo.experiments.training.trainer import create_trainer
from defiance_zoo.wrappers.torchrl_vector import GROUP, TorchRLVecEnv

CARTS = {"env": "cart_pole_v0", "parameters": {"carts": 2, "transport": "udp"}}
RADIOS = {"env": "channel_access_v0", "parameters": {"radios": 2, "duration": "10ms"}}
CELLS = {
    "env": "cell_power_v0",
    "parameters": {
        "cells": 2,
        "users_per_cell": 1,
        "duration": "200ms",
        "action_space": "continuous",
    },
}
CENTRAL = {"env": "channel_access_v0", "parameters": {"radios": 2, "placement": "central"}}
SMALL = {
    True: {
        "on_policy_collected_frames_per_batch": 32,
        "on_policy_minibatch_size": 12,
        "on_policy_n_minibatch_iters": 2,
    },
    False: {
        "off_policy_collected_frames_per_batch": 32,
        "off_policy_train_batch_size": 16,
        "off_policy_n_optimizer_steps": 2,
        "off_policy_memory_size": 100,
    },
}
TIMES = {"seconds", "steps_per_second", "simulation_share", "simulated_s_per_s"}


def run(algorithm: str, where: dict[str, Any] = CARTS, **more: Any) -> RunConfig:
    hyperparameters = {
        "model": {"num_cells": [8]},
        **SMALL[algorithm in ON_POLICY],
        **more.pop("hyperparameters", {}),
    }
    return RunConfig.model_validate(
        {
            **where,
            "library": "benchmarl",
            "algorithm": algorithm,
            "hyperparameters": hyperparameters,
            "simulations": 2,
            "steps": 400,
            "evaluation": {"episodes": 1},
            **more,
        }
    )


def metrics(folder: Path) -> list[dict[str, str]]:
    with (folder / "metrics.csv").open() as file:
        return [
            {name: value for name, value in row.items() if name not in TIMES}
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("policies", ["shared", "individual"])
@pytest.mark.parametrize(
    ("algorithm", "where"),
    [(each, RADIOS) for each in CHOOSING] + [(each, CELLS) for each in CONTINUOUS],
    ids=lambda value: value if isinstance(value, str) else value["env"],
)
def test_policies_take_the_greedy_actions_of_benchmarl(
    algorithm: str, where: dict[str, Any], policies: str
) -> None:
    trainer: Any = create_trainer(run(algorithm, where, policies=policies))
    try:
        assert trainer.iterate().steps <= 64
        iteration = trainer.iterate()
        assert {"return/mean", "simulation_share", "failures"} <= iteration.metrics.keys()
        assert any(name.startswith("loss/") for name in iteration.metrics)
        observed, policy = trainer._observed, trainer.policy()
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            theirs = trainer._experiment.policy(observed.clone())[GROUP, "action"].numpy()
        if where is CELLS:
            theirs = (theirs + 1) / 2 * 30
        agents = trainer._venv.possible_agents
        for simulation, row in zip(*trainer._env._deciding.nonzero(), strict=True):
            seen = observed[GROUP, "observation"][simulation, row].numpy()
            mine = policy.act(agents[row], seen, {})
            assert np.allclose(mine, theirs[simulation, row], atol=1e-4)
    finally:
        trainer.close()


class Stop(Exception):
    pass


@pytest.mark.parametrize(
    ("algorithm", "where", "more"),
    [
        ("IPPO", CARTS, {"features": "FrameStack", "feature_options": {"frames": 2}}),
        ("QMIX", CARTS, {}),
        ("VDN", CARTS, {"hyperparameters": {"soft_target_update": False}}),
        ("MADDPG", CELLS, {"policies": "individual"}),
        ("MASAC", RADIOS, {}),
    ],
)
def test_a_resumed_run_equals_an_uninterrupted_one(
    tmp_path: Path, algorithm: str, where: dict[str, Any], more: dict[str, Any]
) -> None:
    config = run(algorithm, where, checkpoint_every=150, **more)
    train(config, tmp_path / "whole", report=lambda _event: None)

    def stop(event: dict[str, Any]) -> None:
        if event["event"] == "checkpoint":
            raise Stop

    with pytest.raises(Stop):
        train(config, tmp_path / "parts", report=stop)
    assert len(metrics(tmp_path / "parts")) < len(metrics(tmp_path / "whole"))
    resume(tmp_path / "parts", report=lambda _event: None)
    assert metrics(tmp_path / "parts") == metrics(tmp_path / "whole")
    found = [evaluate(tmp_path / each)["policies"]["trained"] for each in ("whole", "parts")]
    assert found[0] == found[1]


def test_the_run_of_the_page_trains(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by the command, whose policy decides in a recorded episode."""
    page = Path(__file__).parents[3] / "docs/training/benchmarl.md"
    (tmp_path / "run.yaml").write_text(page.read_text().split("```yaml\n")[1].split("```")[0])
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "defiance_zoo", "train", "run.yaml", "--out", "run"]
    environment = {**os.environ, "PYTHONPATH": str(page.parents[2])}
    done = subprocess.run(
        [*command, "--steps", "1000", "--simulations", "2", "--evaluation-episodes", "1"],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    found = json.loads((tmp_path / "run/evaluation.json").read_text())["policies"]
    assert found["trained"]["mean"] >= -100


def test_a_lost_simulation_is_replaced() -> None:
    trainer = create_trainer(run("IPPO"))
    try:
        trainer.iterate()
        simulations = [
            each
            for each in psutil.Process().children(recursive=True)
            if each.name().startswith("cart_pole") and not each.children()
        ]
        simulations[0].kill()
        assert trainer.iterate().metrics["failures"] == 1
        assert trainer.iterate().metrics["failures"] == 1
    finally:
        trainer.close()


def test_an_interruption_ends_the_collection_and_changes_nothing(tmp_path: Path) -> None:
    config = run("IPPO")
    whole, parts = create_trainer(config), create_trainer(config)
    again = create_trainer(config)
    try:
        expected = whole.iterate()
        calls = iter([False] * 5 + [True] * 2)
        parts.is_to_stop = lambda: next(calls)  # type: ignore[method-assign]
        part = parts.iterate()
        assert not part.whole
        assert 0 < part.steps < expected.steps
        parts.save(tmp_path)
        from defiance_zoo.experiments.workbench import origin

        origin.sign(tmp_path)
        with origin.open_signed(tmp_path, trust=False) as copy:
            again.restore(copy)
        found = again.iterate()
        assert (found.whole, found.steps) == (True, expected.steps)
        assert {name: each for name, each in found.metrics.items() if name not in TIMES} == {
            name: each for name, each in expected.metrics.items() if name not in TIMES
        }
    finally:
        for each in (whole, parts, again):
            each.close()


@pytest.mark.parametrize("options", [{}, {"autoreset_mode": "Disabled", "copy": False}])
def test_vectors_that_torchrl_would_misread_are_refused(options: dict[str, Any]) -> None:
    """Another autoreset would hide ends, and arrays of `copy=False` change with the next step."""
    venv = defiance_zoo.make_vec("cart_pole_v0", 2, api="parallel", **options)
    try:
        with pytest.raises(ParameterError, match="autoreset_mode='Disabled' and copy=True"):
            TorchRLVecEnv(venv)
    finally:
        venv.close()


def test_observations_of_several_parts_are_those_of_their_agent() -> None:
    venv = defiance_zoo.make_vec(
        "networked_control_v0", 2, api="parallel", autoreset_mode="Disabled", plants=2, window=3
    )
    env = TorchRLVecEnv(venv)
    try:
        env.set_seed(1)
        observed = env.reset()
        for _ in range(10):
            flat = observed[GROUP, "observation"]
            assert torch.equal(observed["state"].reshape(flat.shape), flat)
            observed[GROUP, "action"] = torch.ones((2, 2), dtype=torch.int64)
            observed = env.step_and_maybe_reset(observed)[1]
        assert flat.unique().numel() > 20
    finally:
        env.close()


def test_agents_that_do_not_decide_have_one_action_and_no_choice() -> None:
    venv = defiance_zoo.make_vec(
        "cart_pole_v0", 2, api="parallel", autoreset_mode="Disabled", carts=3, transport="udp"
    )
    env = TorchRLVecEnv(venv)
    try:
        env.set_seed(1)
        check_env_specs(env)
        observed, fallen = env.reset(), 0
        for _ in range(100):
            deciding = env._deciding.copy()
            mask = observed[GROUP, "action_mask"].numpy()
            assert mask[deciding].all()
            assert (mask[~deciding] == [True, False]).all()
            fallen += int((~deciding).sum())
            state = observed["state"].reshape(2, 3, 4)
            assert torch.equal(state[deciding], observed[GROUP, "observation"][deciding])
            observed[GROUP, "action"] = torch.zeros((2, 3), dtype=torch.int64)
            step, observed = env.step_and_maybe_reset(observed)
            done = step["next", "done"].ravel()
            assert not observed["done"].any()
            assert torch.equal(done, step["next", "terminated"].ravel())
        assert fallen
    finally:
        env.close()


@pytest.mark.parametrize("algorithm", ["MAPPO", "QMIX", "MASAC"])  # each kind of exploration
def test_scenarios_masks_are_never_violated(algorithm: str) -> None:
    where = {"env": "partition_v0", "parameters": {"duration": "2s"}}
    trainer = create_trainer(run(algorithm, where))
    try:
        trainer.iterate()  # partition_v0 raises IllegalAction for a forbidden action
        trainer.iterate()
    finally:
        trainer.close()


def test_only_the_centralised_critics_observe_the_global_state() -> None:
    sizes = {}
    for algorithm in ("IPPO", "MAPPO", "QMIX"):
        trainer: Any = create_trainer(run(algorithm))
        loss = trainer._experiment.losses[GROUP]
        sizes[algorithm] = [tuple(each.shape) for each in loss.parameters()]
        trainer.close()
    assert (8, 4) in sizes["IPPO"]
    assert (8, 8) not in sizes["IPPO"]
    assert (8, 8) in sizes["MAPPO"]  # two carts of four numbers
    assert any(shape[-1] == 8 for shape in sizes["QMIX"])


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (run("QMIX", CELLS), r"QMIX does not learn actions of Box.*MADDPG"),
        (run("MADDPG"), r"MADDPG does not learn actions of Discrete\(2\); .*QMIX"),
        (run("IPPO", policies={"*": "one"}), "policies='shared' or 'individual'"),
        (run("IPPO", hyperparameters={"lr": "fast"}), "lr='fast' is not of type float"),
        (run("IPPO", hyperparameters={"on_policy_minibatch_size": 1.5}), "not of type int"),
        (run("IPPO", hyperparameters={"model": {"num_cell": [8]}}), "did you mean 'num_cells'"),
        (run("IPPO", hyperparameters={"model": [8]}), "not a mapping"),
        (run("VDN", hyperparameters={"loss_function": "l3"}), "no loss_function 'l3'"),
        (run("IPPO", hyperparameters={"on_policy_minibatch_size": 0}), "not a positive number"),
        (run("IPPO", CENTRAL), r"not MultiDiscrete"),
    ],
)
def test_what_benchmarl_cannot_train_is_refused(config: RunConfig, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        create_trainer(config).iterate()


def test_agents_with_different_spaces_are_refused() -> None:
    where = {"env": "jamming_v0", "parameters": {"budget": 0.5}}
    with pytest.raises(NotHomogeneous, match="different spaces"):
        create_trainer(run("IPPO", where))


def test_box_actions_need_agents_that_decide_together() -> None:
    parameters = {"stations": 2, "final_stations": 3, "placement": "local"}
    where = {
        "env": "wifi_contention_v0",
        "max_agents": 3,
        "parameters": {**parameters, "action_space": "continuous"},
    }
    trainer = create_trainer(run("IPPO", where))
    try:
        with pytest.raises(ParameterError, match="some agents do not decide at some steps"):
            trainer.iterate()
    finally:
        trainer.close()
