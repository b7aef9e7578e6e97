# SPDX-License-Identifier: GPL-2.0-only
"""SB3 counts choices from 0, wherever an agent's own choices begin."""

from __future__ import annotations

import contextlib
import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from defiance_zoo.bridge.simulation import Scenario
from defiance_zoo.environments import EnvironmentSpec
from defiance_zoo.experiments.evaluation.playing import play
from defiance_zoo.experiments.training import RunConfig, create_trainer, load_policy
from defiance_zoo.experiments.training.sb3.trainer import SB3Trainer
from defiance_zoo.registration import ENTRIES
from defiance_zoo.wrappers.sb3 import make_shared_policy_vec_env, make_vec_env
from defiance_zoo.wrappers.sb3.supersuit import make_supersuit_vec_env
from defiance_zoo.wrappers.sb3.zero_based_actions import origin_of, to_agent, zero_based

PROGRAM = Path(__file__).parents[2] / "scenario" / "programs" / "masks.py"
SPEC = EnvironmentSpec("choices_v0", Scenario.python("masks", PROGRAM))
STARTS = ("start", "multi_start")
PPO = {"n_steps": 16, "batch_size": 16}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENTRIES, SPEC.name, SPEC)
    torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("space", "first", "last"),
    [
        (spaces.Discrete(4, start=-3), -3, 0),
        (spaces.MultiDiscrete([2, 3], start=[5, -1]), [5, -1], [6, 1]),
    ],
)
def test_zero_based_spaces_remember_their_origin(space: Any, first: Any, last: Any) -> None:
    for shifted in (
        zero_based(space), copy.deepcopy(zero_based(space)),
        pickle.loads(pickle.dumps(zero_based(space))),
    ):  # fmt: skip
        assert origin_of(shifted) == space
        assert not np.any(shifted.start)
        top = np.array(shifted.nvec) - 1 if hasattr(shifted, "nvec") else shifted.n - 1
        assert to_agent(shifted, 0 * top).tolist() == first
        assert to_agent(shifted, top).tolist() == last


def test_spaces_that_begin_at_zero_are_unchanged() -> None:
    for space in (spaces.Discrete(3), spaces.MultiDiscrete([2, 2]), spaces.Box(0, 1)):
        assert zero_based(space) is space
        assert origin_of(space) is space


@pytest.mark.parametrize("kind", STARTS)
def test_vectors_accept_choices_from_zero(kind: str) -> None:
    for make in (make_vec_env, make_shared_policy_vec_env):
        with contextlib.closing(make(SPEC.name, n_envs=2, kind=kind)) as vec:
            vec.reset()
            for _ in range(5):
                masks = vec.env_method("action_masks")
                parts = np.split(np.array(masks), [3], axis=1) if kind != "start" else [masks]
                actions = np.stack([np.argmax(part, axis=1) for part in parts], axis=-1)
                infos = vec.step(actions[:, 0] if kind == "start" else actions)[-1]
                assert [info["illegal"] for info in infos] == [0, 0]
    with contextlib.closing(make_supersuit_vec_env(SPEC.name, kind=kind)) as vec:
        vec.reset()
        vec.step(np.zeros((1, 2), np.int64) if kind != "start" else np.zeros(1, np.int64))


@pytest.fixture
def config(request: pytest.FixtureRequest) -> RunConfig:
    parameters = {"kind": request.param, "where": "nowhere", "agents": 2}
    return RunConfig(
        env=SPEC.name, algorithm="PPO", steps=64, simulations=2, parameters=parameters,
        hyperparameters=PPO,
    )  # fmt: skip


@pytest.mark.parametrize("config", STARTS, indirect=True)
def test_a_learned_policy_plays_in_the_agents_own_space(config: RunConfig, tmp_path: Path) -> None:
    with contextlib.closing(create_trainer(config)) as trainer:
        trainer.iterate()
        trainer.save(tmp_path)
    policy = load_policy(config, tmp_path, trust=True)
    with contextlib.closing(SPEC.raw_env(**config.parameters, link="local")) as env:
        (played,) = play(env, policy, episodes=1, seed=1)
        assert played.decisions > 10
        agent = (env.observation_space("agent_0"), env.action_space("agent_0"))
    network = SB3Trainer.network(config, policy, "agent_0", agent)
    for number in range(20):
        seen = np.array([number, 3 * number], np.float32)
        exported = network(torch.as_tensor(seen[None]))[0].tolist()
        assert exported == np.asarray(policy.act("agent_0", seen, {})).tolist()
        assert agent[1].contains(policy.act("agent_0", seen, {}))


@pytest.mark.parametrize("config", STARTS, indirect=True)
@pytest.mark.long
def test_rollouts_inside_simulations_learn_the_same(config: RunConfig) -> None:
    learned = []
    for rollouts in ("through-python", "in-simulation-batched"):
        own = config.model_copy(update={"rollouts": rollouts})
        with contextlib.closing(create_trainer(own)) as trainer:
            assert isinstance(trainer, SB3Trainer)
            trainer.iterate()
            steps = trainer._model.num_timesteps
            learned.append((steps, copy.deepcopy(trainer._model.policy.state_dict())))
    (steps, one), (again, other) = learned
    assert steps == again
    assert all(torch.allclose(part, other[name], atol=1e-5) for name, part in one.items())
