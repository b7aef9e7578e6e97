# SPDX-License-Identifier: GPL-2.0-only
"""Runs whose policy starts as a hand-written policy and learns to correct it."""

from __future__ import annotations

import contextlib
import math
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium import spaces

from defiance_zoo.environments import PolicyMaker, lookup
from defiance_zoo.environments.registry import ENTRIES
from defiance_zoo.environments.testing import exact
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.evaluation import FilePolicy, open_env, play
from defiance_zoo.experiments.training import create_trainer, evaluate, load_policy, train
from defiance_zoo.experiments.training.checkpoints import BEST, LAST, find_checkpoint
from defiance_zoo.experiments.training.export.exporting import export_policy
from defiance_zoo.experiments.training.run_config_file import build_config, to_yaml
from defiance_zoo.experiments.training.sb3.residual import ResidualVecEnv
from defiance_zoo.experiments.training.sb3.trainer import SB3Trainer
from defiance_zoo.experiments.workbench.descriptions import parse_yaml
from defiance_zoo.experiments.workbench.origin import open_signed

torch.set_num_threads(1)

PPO = {"n_steps": 32, "batch_size": 32, "gamma": 0.5}
MIXED = {"agents": 3, "uneven": True, "leaving": True}
CART = {"transport": "udp", "duration": "500ms", "delay": "20ms"}


class Half:
    """Names the observed number at its even decisions; the last number at its odd ones.

    It depends on observations, infos and the episode so far, and writes into what it gets.
    """

    def __init__(self, env: Any) -> None:
        self._env = env
        self.seen: list[Any] = []
        self.reset()

    def reset(self) -> None:
        self._last: dict[str, Any] = {}

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        numbers = observation["observation"] if isinstance(observation, dict) else observation
        self.seen.append((agent, numbers.tolist(), info["decisions"]))
        if info["decisions"] % 2 == 0:
            self._last[agent] = float(numbers[0])
        info["decisions"] = -1  # nobody else may see this
        if numbers.flags.writeable:
            numbers[:] = 0
        if isinstance(self._env.action_space(agent), spaces.Box):
            return np.array([self._last[agent]], np.float32)
        return round(1.5 * (1 + self._last[agent]))


class Obedient:
    """Takes the first allowed action."""

    def reset(self) -> None:
        """Do nothing."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
        return int(np.argmax(mask))


class Outside(Obedient):
    """Takes an action that does not exist."""

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        return 4


class Curious(Obedient):
    """Reads a state of the environment, which no deployed policy has."""

    def __init__(self, env: Any) -> None:
        self._env = env

    def act(self, agent: str, observation: Any, info: dict[str, Any]) -> Any:
        return len(self._env.agents)


MADE: list[Half] = []


def make_half(env: Any, _seed: int, _options: Any) -> Half:
    MADE.append(Half(env))
    return MADE[-1]


@pytest.fixture(autouse=True)
def env(targets: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """`targets_v0` with hand-written policies."""
    own = {
        "half": PolicyMaker(make_half, __name__),
        "obedient": PolicyMaker(lambda *_: Obedient(), __name__, costly=True),
        "outside": PolicyMaker(lambda *_: Outside(), __name__, costly=True),
        "curious": PolicyMaker(lambda env, *_: Curious(env), __name__, costly=True),
    }
    monkeypatch.setitem(ENTRIES, targets, replace(lookup(targets), baselines=own))
    MADE.clear()
    return targets


def configure(**settings: Any) -> Any:
    usual = {"env": "targets_v0", "steps": 200, "residual": "half", "hyperparameters": PPO}
    return build_config({**usual, **settings})


CASES: dict[str, dict[str, Any]] = {
    "one agent": {},
    "several agents": {"parameters": MIXED, "simulations": 2},
    "box": {"parameters": {"continuous": True}, "algorithm": "A2C", "hyperparameters": {}},
    "features": {"features": "FrameStack", "parameters": MIXED, "algorithm": "TRPO"},
    "mask in observations": {
        "parameters": {"masks": "observation", **MIXED},
        "algorithm": "MaskablePPO",
        "residual": "obedient",
    },
    "mask in infos": {
        "parameters": {"masks": "info"},
        "algorithm": "MaskablePPO",
        "residual": "obedient",
    },
}


@pytest.mark.parametrize("settings", CASES.values(), ids=CASES)
def test_an_untrained_policy_acts_like_the_hand_written_one(settings: dict[str, Any]) -> None:
    config = configure(**settings)
    spec = lookup(config.env)
    with contextlib.closing(create_trainer(config)) as trainer:
        policy = trainer.policy()
    with contextlib.closing(open_env(spec, config.parameters)) as played:
        base = config.residual.named.make(spec, played, 1)
        for each in (base, policy):
            each.reset()
        played.reset(seed=3)
        for agent in played.agent_iter(40):
            observation, _, terminated, truncated, info = played.last()
            if terminated or truncated:
                played.step(None)
                continue
            expected = base.act(agent, *deepcopy((observation, info)))
            assert np.array_equal(policy.act(agent, observation, info), expected)
            played.step(expected)


@pytest.mark.parametrize("case", ["one agent", "several agents"])
def test_the_hand_written_policy_gets_the_same_in_training_as_in_evaluations(case: str) -> None:
    """Without noise, the first episode of the training is the evaluation's."""
    settings = {**CASES[case], "simulations": 1, "seed": 4}
    sure = {"policy": "half", "confidence": 1 - 1e-9}
    config = configure(**{**settings, "residual": sure, "steps": 60})
    with contextlib.closing(create_trainer(config)) as trainer:
        MADE.clear()
        trainer.iterate()
    trained = MADE[0].seen
    spec = lookup(config.env)
    with contextlib.closing(open_env(spec, dict(config.parameters))) as played:
        base = Half(played)
        played.reset(seed=4)
        while len(base.seen) < len(trained):
            observation, _, terminated, truncated, info = played.last()
            over = terminated or truncated
            played.step(None if over else base.act(played.agent_selection, observation, info))
    assert len(trained) > 5
    assert sorted(trained, key=str) == sorted(base.seen, key=str)


@pytest.mark.parametrize(
    "case", ["one agent", "several agents", "mask in observations", "box", "features"]
)
def test_a_resumed_run_equals_an_uninterrupted_one(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("defiance_zoo.experiments.training.sb3.trainer._DECISIONS", 60)
    config = configure(**CASES[case])
    with contextlib.closing(create_trainer(config)) as one:
        one.iterate()
        one.save(tmp_path)
        one.iterate()
        expected: Any = one.policy()
    with (
        contextlib.closing(create_trainer(config)) as other,
        open_signed(tmp_path, trust=True) as copy,
    ):
        other.restore(copy)
        other.iterate()
        found: Any = other.policy()
    weights = found.policy.network.state_dict()
    for name, part in expected.policy.network.state_dict().items():
        assert torch.equal(part, weights[name]), name
    assert expected.policy.network.action_net.learned.weight.abs().max() > 0


def test_a_state_does_not_change_when_the_environment_plays_on() -> None:
    with contextlib.closing(create_trainer(configure(simulations=2))) as trainer:
        assert isinstance(trainer, SB3Trainer)
        env = trainer._model.env
        assert isinstance(env, ResidualVecEnv)
        env.reset()
        state = env.state_dict()
        kept = exact(deepcopy(state))
        for _ in range(2):
            env.step(np.zeros(env.num_envs, np.int64))
            assert exact(state) == kept
            env.load_state_dict(state)


# ------------------------------------------------------------------ kept only if it is better


@pytest.mark.long
def test_a_better_correction_is_kept_and_evaluated_like_its_checkpoint(tmp_path: Path) -> None:
    """The policy learns to name the number at odd decisions, too."""
    more = {"steps": 2000, "simulations": 4, "evaluation": {"episodes": 8, "every": 1000}}
    learns = {**PPO, "learning_rate": 1e-2}
    train(configure(**more, hyperparameters=learns), tmp_path / "run")
    best = find_checkpoint(tmp_path / "run", BEST)
    assert best.counters.steps > 0
    assert len(best.counters.base) == 8
    found = evaluate(tmp_path / "run")["policies"]
    assert found["trained"]["mean"] > found["half"]["mean"] + 1
    policy = load_policy(best.config, best.trainer)
    spec = lookup("targets_v0")
    with contextlib.closing(open_env(spec, {})) as env:
        played = [each.mean_return for each in play(env, policy, episodes=8, seed=1000)]
    assert played == found["trained"]["returns"]


@pytest.mark.long
def test_without_a_better_correction_the_hand_written_policy_stays_the_best(tmp_path: Path) -> None:
    """A balanced cart earns the greatest return, so nothing is better."""
    config = configure(
        env="cart_pole_v0",
        parameters={**CART, "delay": "0ms"},
        residual="pole",
        hyperparameters={**PPO, "learning_rate": 1.0},  # ruins the policy
        steps=300,
        evaluation={"episodes": 3},
    )
    train(config, tmp_path / "run")
    assert find_checkpoint(tmp_path / "run", LAST).counters.steps >= 300
    assert find_checkpoint(tmp_path / "run", BEST).counters.steps == 0
    found = evaluate(tmp_path / "run", episodes=3)["policies"]
    assert found["trained"]["returns"] == found["pole"]["returns"]


def test_box_corrections_begin_with_noise_in_their_unit_that_follows_its_schedule() -> None:
    scheduled = {"n_steps": 30, "policy_kwargs": {"log_std_init": {"linear": [0.0, -2.0]}}}
    config = configure(
        parameters={"continuous": True},
        residual={"policy": "half", "scale": 0.2},
        hyperparameters={**scheduled, "batch_size": 30},
        steps=60,
    )
    with contextlib.closing(create_trainer(config)) as trainer:
        policy: Any = trainer.policy()
        assert policy.policy.network.log_std.item() == pytest.approx(math.log(0.2))
        trainer.iterate()
        policy = trainer.policy()
    assert policy.policy.network.log_std.item() == pytest.approx(math.log(0.2) - 1)


# ------------------------------------------------------------------ files


@pytest.mark.long
def test_a_policy_file_holds_the_hand_written_policy_and_its_correction(tmp_path: Path) -> None:
    """The learned part is not zero, so that both matter."""
    seen = {"interferer": "periodic", "history": 2, "observe_actions": True}
    config = configure(
        env="channel_access_v0",
        parameters={**seen, "dwell": 3},
        residual="skip_after_loss",
        features="FrameStack",
        hyperparameters={**PPO, "learning_rate": 0.01},
    )
    with contextlib.closing(create_trainer(config)) as trainer:
        trainer.iterate()
        trainer.save(tmp_path)
    export_policy(config, tmp_path, tmp_path / "policy.onnx", trust=True)
    spec = lookup(config.env)
    policy, file = load_policy(config, tmp_path, trust=True), FilePolicy(tmp_path / "policy.onnx")
    base, choices = config.residual.named, []
    with contextlib.closing(open_env(spec, config.parameters)) as env:
        policies = [policy, file, base.make(spec, env, 1)]
        for each in policies:
            each.reset()
        env.reset(seed=1)
        for agent in env.agent_iter(100):
            observation, _, _, _, info = env.last()
            choices.append([each.act(agent, observation, info) for each in policies])
            env.step(choices[-1][0])
    assert all(one == other for one, other, _ in choices)
    assert any(one != hand for one, _, hand in choices)
    assert sum(one == hand for one, _, hand in choices) > 30


@pytest.mark.parametrize("more", [{}, {"observe_actions": True, "radios": 2}])
def test_operators_are_refused_where_they_would_choose_differently(
    more: dict[str, Any], tmp_path: Path
) -> None:
    config = configure(env="channel_access_v0", parameters=more, residual="skip_after_loss")
    with contextlib.closing(create_trainer(config)) as trainer:
        trainer.save(tmp_path)
    with pytest.raises(ParameterError, match="needs observe_actions=True and none of"):
        export_policy(config, tmp_path, tmp_path / "policy.onnx", trust=True)


def test_a_policy_without_operators_is_not_exported(tmp_path: Path) -> None:
    config = configure()
    with contextlib.closing(create_trainer(config)) as trainer:
        trainer.save(tmp_path)
    with pytest.raises(ParameterError, match="'half' cannot be exported: targets_v0 has"):
        export_policy(config, tmp_path, tmp_path / "policy.onnx", trust=True)


def test_changed_code_of_the_hand_written_policy_is_refused(
    tmp_path: Path,
) -> None:
    config = configure()
    with contextlib.closing(create_trainer(config)) as trainer:
        trainer.save(tmp_path)
    text = (tmp_path / "residual.json").read_text()
    (tmp_path / "residual.json").write_text(text.replace('"code": "', '"code": "0'))
    with pytest.raises(ParameterError, match="module of the hand-written policy has changed"):
        load_policy(config, tmp_path, trust=True)


def test_a_residual_is_written_and_read_with_its_run() -> None:
    config = configure(residual={"policy": "half", "scale": 0.5})
    assert config.method == "residual of half, PPO (sb3)"
    assert build_config(parse_yaml(to_yaml(config), Path("run.yaml"))) == config


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"residual": "hal"}, "no policy 'hal'; did you mean 'half'"),
        (
            {"residual": "lookahead"},
            "residual: .lookahead. is no hand-written policy.*reference",
        ),
        ({"residual": {"policy": "half", "options": {"x": 1}}}, "residual: half: no option 'x'"),
        ({"residual": {"policy": "half", "scale": 0}}, "residual.scale"),
        ({"residual": {"policy": "half", "confidence": 0.5}}, "residual.confidence"),
        (
            {"library": "rllib", "hyperparameters": {}},
            "residual=.* cannot be used with library='rllib'.*'sb3' can",
        ),
        ({"algorithm": "DQN", "hyperparameters": {}}, "cannot be used with algorithm='DQN'.*PPO"),
        ({"normalize": True}, "cannot be used with normalize: statistics"),
        ({"rollouts": "in-simulation-batched"}, "cannot be used with rollouts: simulations"),
        ({"teacher": {"policy": "half"}}, "cannot be used with teacher: the policy starts"),
        (
            {"hyperparameters": {"policy": "MlpPolicy"}},
            "own policy.*used with policy",
        ),
        ({"hyperparameters": {"use_sde": True}}, "own policy.*used with use_sde"),
        ({"residual": "outside"}, r"'outside' has chosen 4, which is not in Discrete\(4\)"),
        ({"residual": "curious"}, "'curious' reads 'agents' of the environment"),
        (
            {"hyperparameters": {"policy_kwargs": {"log_std_init": {"linear": [0, -1]}}}},
            "log_std_init: actions of Discrete",
        ),
        (
            {
                "algorithm": "MaskablePPO",
                "hyperparameters": {"policy_kwargs": {"log_std_init": {"linear": [0, -1]}}},
            },
            "only A2C, PPO and TRPO",
        ),
    ],
)
def test_runs_that_cannot_correct_are_refused(
    settings: dict[str, Any], fault: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match=fault):
        train(configure(**settings), tmp_path / "run")
