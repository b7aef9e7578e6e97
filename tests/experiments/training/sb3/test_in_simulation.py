# SPDX-License-Identifier: GPL-2.0-only
"""Rollouts that SB3's algorithms play inside simulations equal those of SB3's own loop."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch
from conftest import PROGRAMS
from gymnasium import spaces
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.distributions import Distribution
from stable_baselines3.common.policies import ActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from defiance_zoo import EnvironmentSpec, Scenario
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import RunConfig, create_trainer, load_policy
from defiance_zoo.experiments.training.sb3.in_simulation import (
    InSimulationA2C,
    InSimulationPPO,
    SamplingModel,
    choices_of,
    draw_noise,
)
from defiance_zoo.experiments.workbench.origin import open_signed
from defiance_zoo.registration import ENTRIES
from defiance_zoo.wrappers.sb3 import decisions_only, make_shared_policy_vec_env, make_vec_env

torch.set_num_threads(1)

CART_POLE = {"transport": "udp", "delay": "10ms"}
ROUTER = {"topology": "grid:1x4", "controlled": "r1", "packet_rate": 300, "duration": "100ms"}
ROUTERS = {"topology": "grid:2x2", "packet_rate": 300, "duration": "100ms"}
PARTS = ("observations", "actions", "values", "log_probs", "advantages")


class Kept(BaseCallback):
    """A callback that keeps an algorithm's data and its reports, step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.rollouts: list[dict[str, Any]] = []
        self.steps: list[Any] = []
        self.simulated_s = 0.0

    def _on_step(self) -> bool:
        told = self.locals
        ended = {
            row: {
                "return": info["episode"]["r"],
                "length": info["episode"]["l"],
                "seen": info["terminal_observation"].tolist(),
                "sim_time_ns": info["sim_time_ns"],
                "truncated": info["TimeLimit.truncated"],
            }
            for row, info in enumerate(told["infos"])
            if "episode" in info
        }
        self.steps.append((told["rewards"].tolist(), told["dones"].tolist(), ended))
        return True

    def _on_rollout_end(self) -> None:
        buffer: Any = self.locals["rollout_buffer"]
        taken = buffer.acted & buffer.known if hasattr(buffer, "acted") else slice(None)
        self.rollouts.append({part: getattr(buffer, part)[taken].copy() for part in PARTS})


def learn(algorithm: Any, env: str, parameters: dict[str, Any], *, shared: bool) -> Any:
    """Return an algorithm after two rollouts in two simulations, and its kept data."""
    make = make_shared_policy_vec_env if shared else make_vec_env
    vec = make(env, n_envs=2, seed=1, **parameters)
    arguments = decisions_only(algorithm, vec) if shared else {}
    if issubclass(algorithm, PPO):
        arguments["batch_size"] = 64
    model = algorithm("MlpPolicy", vec, seed=1, n_steps=64, device="cpu", **arguments)
    kept = Kept()
    model.learn(2 * 64 * vec.num_envs, kept)
    simulations: Any = vec.unwrapped
    kept.simulated_s = simulations.simulated_s
    vec.close()
    return model, kept


@pytest.mark.parametrize(
    ("plain", "algorithm", "env", "parameters", "shared"),
    [
        (PPO, InSimulationPPO, "cart_pole_v0", CART_POLE, False),
        (A2C, InSimulationA2C, "packet_routing_v0", ROUTER, False),
        (PPO, InSimulationPPO, "packet_routing_v0", ROUTERS, True),
    ],
)
def test_both_rollouts_are_equal_except_for_last_bits_of_values(
    plain: Any, algorithm: Any, env: str, parameters: dict[str, Any], *, shared: bool
) -> None:
    expected, theirs = learn(plain, env, parameters, shared=shared)
    model, ours = learn(algorithm, env, parameters, shared=shared)
    assert ours.steps == theirs.steps
    assert ours.simulated_s == theirs.simulated_s > 0
    assert any(ended for *_, ended in ours.steps)
    assert len(ours.rollouts) == len(theirs.rollouts) == 2
    for one, other in zip(ours.rollouts, theirs.rollouts, strict=True):
        for part in ("observations", "actions"):
            assert one[part].tobytes() == other[part].tobytes(), part
        for part in ("values", "log_probs", "advantages"):
            assert np.allclose(one[part], other[part], rtol=0, atol=1e-4), part
    learned = model.policy.state_dict()
    for name, weights in expected.policy.state_dict().items():
        assert torch.allclose(learned[name], weights, atol=1e-4), name


def test_noise_equals_torchs_draws() -> None:
    torch.manual_seed(7)
    probabilities = torch.rand(50, 6, 4).softmax(dim=-1)
    state = torch.get_rng_state()
    sampled = torch.stack([torch.multinomial(each, 1, replacement=True) for each in probabilities])
    after = torch.get_rng_state()
    torch.set_rng_state(state)
    noise = torch.as_tensor(draw_noise([4], 50, 6))
    assert torch.equal(torch.argmax(probabilities / noise, dim=-1), sampled[..., 0])
    assert torch.equal(torch.get_rng_state(), after)


class Extractor(BaseFeaturesExtractor):
    """An extractor with running statistics, and optionally a branch that cannot be exported."""

    def __init__(self, space: spaces.Box, *, branches: bool) -> None:
        super().__init__(space, space.shape[0])
        self.norm = torch.nn.BatchNorm1d(space.shape[0])
        self._branches = branches

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        normed: torch.Tensor = self.norm(seen)
        return -normed if self._branches and normed.sum() > 0 else normed


def make_policy(*, branches: bool) -> ActorCriticPolicy:
    return ActorCriticPolicy(
        spaces.Box(-1, 1, (2,)),
        spaces.Discrete(2),
        lambda _: 1e-3,
        features_extractor_class=Extractor,
        features_extractor_kwargs={"branches": branches},
    )


@pytest.mark.essential
def test_running_statistics_are_updated() -> None:
    policy = make_policy(branches=False)
    model = SamplingModel(policy)
    extractor: Any = policy.features_extractor
    extractor.norm.running_mean.copy_(torch.tensor([0.25, 0.5]))
    parts = onnx.load_from_string(model.serialize()).graph.initializer
    kept = [onnx.numpy_helper.to_array(part).tolist() for part in parts]
    assert [0.25, 0.5] in kept


def test_policies_that_cannot_be_exported_are_refused() -> None:
    with pytest.raises(ParameterError, match="PyTorch cannot export the policy's network"):
        SamplingModel(make_policy(branches=True))


@pytest.mark.parametrize("space", [spaces.Box(-1, 1, (2,), np.float32), spaces.MultiBinary(3)])
def test_unsupported_action_spaces_are_refused(space: spaces.Space[Any]) -> None:
    with pytest.raises(ParameterError, match="cannot be sampled inside simulations"):
        choices_of(space)


def test_wrappers_that_need_each_step_are_refused() -> None:
    vec = make_vec_env("cart_pole_v0", seed=1)
    model = InSimulationPPO("MlpPolicy", VecNormalize(vec), n_steps=8, batch_size=8, device="cpu")
    with pytest.raises(ParameterError, match="such as VecNormalize, would not see each step"):
        model.learn(8)
    vec.close()


class Biased(ActorCriticPolicy):
    """A policy that prefers an action more than its network does."""

    def _get_action_dist_from_latent(self, latent_pi: torch.Tensor) -> Distribution:
        logits = self.action_net(latent_pi) + torch.tensor([0.0, 9.0])
        return self.action_dist.proba_distribution(action_logits=logits)


def episodes_of(vec: VecEnv) -> list[int]:
    """Return the number of episodes that each simulation has begun."""
    simulations: Any = vec.unwrapped
    return [each.episode for each in simulations._venv._pool.episodes]


def test_policies_with_their_own_sampling_are_refused() -> None:
    vec = make_vec_env("cart_pole_v0", seed=1)
    model = InSimulationPPO(Biased, vec, n_steps=8, batch_size=8, device="cpu")
    with pytest.raises(ParameterError, match="Biased has its own _get_action_dist_from_latent"):
        model.learn(8)
    assert episodes_of(vec) == [0]
    model = InSimulationPPO("MlpPolicy", vec, n_steps=8, batch_size=8, device="cpu")
    model.policy.forward = model.policy.forward.__call__  # type: ignore[method-assign]
    with pytest.raises(ParameterError, match="ActorCriticPolicy has its own forward"):
        model.require_playable()
    vec.close()


def test_a_rollout_interrupted_by_a_callback_begins_again() -> None:
    """The simulations have played to the end of the rollout, which SB3 has not received."""

    class Interrupted(BaseCallback):
        def _on_step(self) -> bool:
            raise KeyboardInterrupt

    vec = make_vec_env("cart_pole_v0", seed=1)
    model = InSimulationPPO("MlpPolicy", vec, n_steps=8, batch_size=8, device="cpu")
    with pytest.raises(KeyboardInterrupt):
        model.learn(8, Interrupted())
    assert model._last_obs is None
    vec.close()


def test_policies_that_cannot_be_exported_are_refused_before_an_episode() -> None:
    vec = make_vec_env("cart_pole_v0", seed=1)
    policy = {"features_extractor_class": Extractor}
    branches = {**policy, "features_extractor_kwargs": {"branches": True}}
    arguments = {"n_steps": 8, "batch_size": 8, "device": "cpu", "policy_kwargs": branches}
    model: Any = InSimulationPPO("MlpPolicy", vec, **arguments)
    with pytest.raises(ParameterError, match="PyTorch cannot export the policy's network"):
        model.learn(8)
    assert episodes_of(vec) == [0]
    vec.close()


def test_enforced_masks_are_refused_before_an_episode(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    masked = Scenario("targets", PROGRAMS / "targets", refuses_masked=True)
    monkeypatch.setitem(ENTRIES, "masked_v0", EnvironmentSpec("masked_v0", masked))
    vec = make_vec_env("masked_v0", seed=1)
    model = InSimulationPPO("MlpPolicy", vec, n_steps=8, batch_size=8, device="cpu")
    with pytest.raises(ParameterError, match="Python refuses actions that a mask forbids"):
        model.learn(8)
    assert episodes_of(vec) == [0]
    vec.close()


def test_agents_with_a_shared_policy_need_the_decisions_only_buffer() -> None:
    """SB3's own buffer would keep the actions of rows without a decision."""
    vec = make_shared_policy_vec_env("cart_pole_v0", seed=1, carts=2)
    model = InSimulationPPO("MlpPolicy", vec, n_steps=8, batch_size=8, device="cpu")
    with pytest.raises(ParameterError, match=r"decisions_only\(InSimulationPPO, env\)"):
        model.learn(16)
    assert episodes_of(vec) == [0]
    vec.close()


class Turned(BaseCallback):
    """A callback that changes the policy randomly as a rollout begins, and keeps copies of it."""

    def __init__(self) -> None:
        super().__init__()
        self.copies: list[Any] = []
        self.taken: list[Any] = []

    def _on_rollout_start(self) -> None:
        network: Any = self.model.policy.action_net  # type: ignore[union-attr] # it has begun
        with torch.no_grad():
            network.bias[0] += 4 * torch.rand(()) - 2

    def _on_step(self) -> bool:
        self.taken.append(self.locals["actions"].tolist())
        if len(self.taken) == 3:
            policy: Any = self.model.policy
            self.copies = [copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))]
        return True


def test_callbacks_may_change_and_copy_the_policy() -> None:
    """A change at the beginning of a rollout holds for the rollout, as in SB3's own loop."""
    taken = []
    for algorithm in (PPO, InSimulationPPO):
        vec = make_vec_env("cart_pole_v0", seed=1, **CART_POLE)
        model: Any = algorithm("MlpPolicy", vec, seed=1, n_steps=32, batch_size=32, device="cpu")
        turned = Turned()
        model.learn(64, turned)
        taken.append(turned.taken)
        vec.close()
    assert len(taken[0]) == 64
    assert taken[1] == taken[0]
    for each in turned.copies:
        assert type(each) is type(model.policy)
        assert each is not model.policy
        assert each.state_dict().keys() == model.policy.state_dict().keys()


# ------------------------------------------------------------------ runs


@pytest.fixture
def make(targets: str) -> Iterator[Callable[..., Any]]:
    """Return a function that makes trainers, closed after the test."""
    made: list[Any] = []

    def make_one(**settings: Any) -> Any:
        given = {
            "env": targets,
            "steps": 512,
            "simulations": 2,
            "hyperparameters": {"n_steps": 32, "batch_size": 32},
            "rollouts": "in-simulation-batched",
            **settings,
        }
        made.append(create_trainer(RunConfig(**given)))
        return made[-1]

    yield make_one
    for trainer in made:
        trainer.close()


def weights_of(trainer: Any, folder: Path) -> dict[str, torch.Tensor]:
    folder.mkdir()
    trainer.save(folder)
    policy: Any = load_policy(trainer._config, folder, trust=True)
    found: dict[str, torch.Tensor] = policy.network.state_dict()
    return found


@pytest.mark.long
def test_a_resumed_run_learns_the_same(make: Any, tmp_path: Path) -> None:
    whole = make()
    begun = tmp_path / "begun"
    begun.mkdir()
    whole.iterate()
    whole.save(begun)
    resumed = make()
    with open_signed(begun, trust=True) as copy:
        resumed.restore(copy)
    for trainer in (whole, resumed):
        while (iteration := trainer.iterate()).steps < 512:
            pass
    assert 0 < iteration.metrics["simulation_share"] < 1
    assert iteration.metrics["return/agent_0"] > 0
    expected = weights_of(whole, tmp_path / "whole")
    learned = weights_of(resumed, tmp_path / "resumed")
    for part, weights in expected.items():
        assert torch.equal(learned[part], weights), part


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"algorithm": "DQN", "hyperparameters": {}}, "DQN does not support rollouts inside"),
        ({"algorithm": "MaskablePPO"}, "MaskablePPO does not support .*: A2C and PPO do"),
        (
            {"normalize": True},
            "normalize=True cannot be used with rollouts='in-simulation-batched'",
        ),
        ({"parameters": {"continuous": True}}, r"actions of Box\(.* cannot be sampled inside"),
        ({"parameters": {"masks": "observation"}}, r"observations of Dict\(.* are not an array"),
        (
            {"library": "rllib", "hyperparameters": {}},
            "rollouts='in-simulation-batched' cannot be used with",
        ),
    ],
)
def test_runs_that_do_not_support_the_option_are_refused(
    make: Any, settings: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ParameterError, match=fault):
        make(**settings)
