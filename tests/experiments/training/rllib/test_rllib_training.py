# SPDX-License-Identifier: GPL-2.0-only
"""Runs that RLlib trains: metrics, policies, and the continuation from a checkpoint."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import tree
from rllib_support import RAY_WARNINGS, algorithm, assert_equal, register_scenarios, run_config

import defiance_zoo
from defiance_zoo.errors import ParameterError
from defiance_zoo.experiments.training import load_policy
from defiance_zoo.experiments.training.features import FeaturePolicy
from defiance_zoo.experiments.training.rllib.trainer import RLlibTrainer, algorithm_config
from defiance_zoo.experiments.workbench.origin import open_signed
from defiance_zoo.wrappers.features import FeatureSource
from defiance_zoo.wrappers.rllib import RLlibEnv
from defiance_zoo.wrappers.rllib.config import ALGORITHMS

pytestmark = RAY_WARNINGS
register_scenarios()
torch.set_num_threads(1)

Make = Callable[..., RLlibTrainer]


def learner_state(trainer: RLlibTrainer) -> Any:
    state = algorithm(trainer).learner_group.get_state()["learner"]
    return {name: state[name] for name in ("rl_module", "optimizer")}


# ---------------------------------------------------------------------- metrics


@pytest.mark.essential
def test_an_iteration_reports_its_metrics(make_rllib_trainer: Make) -> None:
    trainer = make_rllib_trainer(run_config(policies="individual", simulations=2))
    first, second = trainer.iterate(), trainer.iterate()
    assert first.steps == 2 * 60  # decisions of both agents in 60 rounds
    assert second.steps == 2 * first.steps
    # Ten rounds an episode; an additional step of RLlib begins the next one.
    assert second.episodes >= 2 * first.episodes >= 10
    metrics = second.metrics
    assert metrics["return/agent_0"] == metrics["return/agent_1"] == sum(range(11))
    assert metrics["return/mean"] == sum(range(11))  # over agents, too
    assert metrics["length/mean"] == 10
    assert metrics["info/agent_1/half"] == pytest.approx(2.5)
    assert "info/agent_1/last_action" not in metrics  # a string
    assert metrics["failures"] == 0
    assert 0 < metrics["simulation_share"] < 1
    assert metrics["simulated_s_per_s"] > 0
    assert {"loss/agent_0/total_loss", "loss/agent_1/vf_loss"} <= metrics.keys()


@pytest.mark.long
def test_equal_seeds_give_equal_runs(make_rllib_trainer: Make) -> None:
    reported = []
    for seed in (1, 1, 2):
        trainer = make_rllib_trainer(run_config(seed=seed))
        reported.append([trainer.iterate().metrics["loss/shared/total_loss"] for _ in range(2)])
        trainer.close()
    assert reported[0] == reported[1] != reported[2]


@pytest.mark.parametrize("name", ALGORITHMS)
def test_the_length_of_an_iteration_does_not_depend_on_time(name: str) -> None:
    """Evaluations and checkpoints follow iterations, so iterations may not depend on the load."""
    built = algorithm_config(run_config(name).model_copy(update={"hyperparameters": {}}))
    assert not built.min_time_s_per_iteration
    assert built.sample_timeout_s is None
    assert built.min_sample_timesteps_per_iteration > 0 or built.train_batch_size > 0


@pytest.mark.long
def test_iterations_of_sac_have_the_configured_number_of_decisions(
    make_rllib_trainer: Make,
) -> None:
    config = run_config("SAC").model_copy(update={"hyperparameters": {}})
    trainer = make_rllib_trainer(config)
    first, second = trainer.iterate().steps, trainer.iterate().steps
    agents = 2
    assert (first, second) == (100 * agents, 200 * agents)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithm": "A2C"}, "algorithm='A2C'"),
        ({"runners": 50}, "needs 50 CPUs"),
        ({"hyperparameters": {"learning_rat": 1}}, "no property of PPOConfig 'learning_rat'"),
        (
            {"algorithm": "DQN", "hyperparameters": {"model_config": {"use_lstm": True}}},
            "DQN has no LSTM; PPO, APPO and IMPALA have",
        ),
        (
            {"algorithm": "SAC", "hyperparameters": {"model_config": {"use_lstm": True}}},
            "SAC has no LSTM",
        ),
    ],
)
def test_options_unsupported_by_rllib_are_refused(
    make_rllib_trainer: Make, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        make_rllib_trainer(run_config().model_copy(update=changes))


# ---------------------------------------------------------------------- policies


@pytest.mark.parametrize("name", ["PPO", "DQN", pytest.param("SAC", marks=pytest.mark.long)])
def test_policies_act_without_exploration(
    make_rllib_trainer: Make, name: str, tmp_path: Path
) -> None:
    config = run_config(name)
    trainer = make_rllib_trainer(config)
    trainer.iterate()
    trainer.save(tmp_path)
    now, loaded = trainer.policy(), load_policy(config, tmp_path, trust=True)
    trainer.close()
    for count in range(5):
        observation = np.full(4, count, np.float32)
        actions = {int(now.act("agent_0", observation, {})) for _ in range(10)}
        actions |= {int(loaded.act("agent_1", observation, {})) for _ in range(10)}
        assert len(actions) == 1
        assert actions <= set(range(8))


def test_policies_act_in_each_agents_own_space(make_rllib_trainer: Make, tmp_path: Path) -> None:
    config = run_config(env="deployment_v0", policies="individual", parameters={})
    trainer = make_rllib_trainer(config)
    trainer.iterate()
    trainer.save(tmp_path)
    trainer.close()
    policy = load_policy(config, tmp_path, trust=True)
    env = defiance_zoo.make("deployment_v0", api="parallel")
    observations, infos = env.reset(seed=1)
    acted = set()
    while env.agents:
        actions = {a: policy.act(a, observations[a], infos[a]) for a in observations}
        assert all(env.action_space(agent).contains(actions[agent]) for agent in actions)
        acted |= actions.keys()
        observations, _, _, _, infos = env.step(actions)
        observations = {agent: observations[agent] for agent in env.agents}
    env.close()
    assert len(acted) == 2


@pytest.mark.parametrize("in_infos", [False, True])
def test_policies_obey_masks(make_rllib_trainer: Make, in_infos: bool, tmp_path: Path) -> None:
    parameters = {"mask_in_infos": in_infos, "action_masks": in_infos}
    config = run_config(env="masked_v0", parameters=parameters)
    trainer = make_rllib_trainer(config)
    trainer.iterate()
    trainer.save(tmp_path)
    trainer.close()
    policy = load_policy(config, tmp_path, trust=True)
    for allowed in range(5):
        mask, count = np.eye(5, dtype=np.int8)[allowed], np.zeros(1, np.float32)
        observation = count if in_infos else {"action_mask": mask, "observation": count}
        info = {"action_mask": mask} if in_infos else {}
        assert policy.act("agent_0", observation, info) == allowed - 2  # actions begin at -2


def test_recurrent_policies_keep_their_state_until_reset(make_rllib_trainer: Make) -> None:
    model = {"use_lstm": True, "lstm_cell_size": 8, "max_seq_len": 5}
    trainer = make_rllib_trainer(run_config(hyperparameters={"model_config": model}))
    trainer.iterate()
    policy = trainer.policy()
    states = []
    for begins in (True, False, True):
        if begins:
            policy.reset()
        policy.act("agent_0", np.full(4, 3, np.float32), {})
        states.append(tree.flatten(policy._states["agent_0"]))
    assert_equal(states[0], states[2])
    assert not torch.equal(states[0][0], states[1][0])


STACK: dict[str, Any] = {"features": "FrameStack", "feature_options": {"frames": 2}}


def test_policies_observe_features_of_the_episode(make_rllib_trainer: Make, tmp_path: Path) -> None:
    config = run_config(**STACK)
    trainer = make_rllib_trainer(config)
    trainer.iterate()
    trainer.save(tmp_path)
    now, loaded = trainer.policy(), load_policy(config, tmp_path, trust=True)
    for policy in (now, loaded):
        assert isinstance(policy, FeaturePolicy)
        inner: Any = policy.policy
        assert inner.setup.encodings["shared"].observation_space.shape == (8,)
        assert policy.features.views["shared"].observed.shape == (4,)
    observations = [np.full(4, each, np.float32) for each in (3, 1, 4, 1, 5)]
    chosen = [[each.act("agent_0", seen, {}) for seen in observations] for each in (now, loaded)]
    assert chosen[0] == chosen[1]
    again = make_rllib_trainer(config)
    with open_signed(tmp_path, trust=True) as copy:
        again.restore(copy)
    assert_equal(learner_state(trainer), learner_state(again))


@pytest.mark.parametrize("in_infos", [False, True])
def test_policies_with_features_obey_masks(
    make_rllib_trainer: Make, in_infos: bool, tmp_path: Path
) -> None:
    parameters = {"mask_in_infos": in_infos, "action_masks": in_infos}
    config = run_config(env="masked_v0", parameters=parameters, **STACK)
    trainer = make_rllib_trainer(config)
    trainer.iterate()
    policy = trainer.policy()
    for allowed in range(5):
        mask, count = np.eye(5, dtype=np.int8)[allowed], np.zeros(1, np.float32)
        observation = count if in_infos else {"action_mask": mask, "observation": count}
        info = {"action_mask": mask} if in_infos else {}
        assert policy.act("agent_0", observation, info) == allowed - 2  # actions begin at -2


def test_an_environment_shows_features_of_each_agent() -> None:
    source = FeatureSource("FrameStack", {"frames": 2})
    arguments = {"name": "trial_v0", "agents": 2}
    plain, env = RLlibEnv(arguments), RLlibEnv({**arguments, "features": source})
    for _ in range(2):
        seen, _ = plain.reset(seed=1)
        shown, _ = env.reset(seed=1)
        before = seen
        for _ in range(3):
            for agent, observation in seen.items():
                stack = [*before[agent].tolist(), *observation.tolist()]
                assert shown[agent].tolist() == stack
                assert env.get_observation_space(agent).contains(shown[agent])
            actions = {agent: env.get_action_space(agent).sample() for agent in seen}
            before = seen
            seen, shown = plain.step(actions)[0], env.step(actions)[0]
    plain.close()
    env.close()


# ---------------------------------------------------------------------- continuation


@pytest.mark.parametrize("agents", [1, 2])
def test_ppo_continues_from_a_checkpoint(
    make_rllib_trainer: Make, agents: int, tmp_path: Path
) -> None:
    schedule = {"lr": [[0, 1e-3], [600, 0.0]]}  # ends after ten iterations
    config = run_config(hyperparameters=schedule, parameters={"agents": agents}, steps=100)
    first = make_rllib_trainer(config)
    before = [first.iterate() for _ in range(2)][-1]
    first.save(tmp_path)
    later = make_rllib_trainer(config.model_copy(update={"steps": 10_000}))
    with open_signed(tmp_path, trust=True) as copy:
        later.restore(copy)
    assert_equal(learner_state(first), learner_state(later))
    assert later._foreach_learner(kl) == first._foreach_learner(kl) != [0.2]  # equal at the start
    assert algorithm(later).iteration == 2
    after = later.iterate()
    assert after.steps == before.steps * 3 / 2
    assert after.episodes > before.episodes
    rate = "learner/shared/default_optimizer_learning_rate"
    assert after.metrics[rate] == pytest.approx(1e-3 * (1 - 180 / 600))


def kl(learner: Any) -> float:
    return float(learner.curr_kl_coeffs_per_module["shared"])


@pytest.mark.long
def test_dqn_continues_with_its_buffer_and_its_exploration(
    make_rllib_trainer: Make, tmp_path: Path
) -> None:
    config = run_config("DQN", hyperparameters={"epsilon": [[0, 1.0], [200, 0.0]]})
    first = make_rllib_trainer(config)
    for _ in range(2):
        before = first.iterate()
    first.save(tmp_path)
    second = make_rllib_trainer(config)
    with open_signed(tmp_path, trust=True) as folder:
        second.restore(folder)
    assert_equal(learner_state(first), learner_state(second))
    buffers = [algorithm(each).local_replay_buffer for each in (first, second)]
    assert buffers[0].get_num_timesteps() == buffers[1].get_num_timesteps() == 80
    copies = copy.deepcopy(buffers)
    for buffer in copies:
        buffer.rng = np.random.default_rng(1)
    one, other = (buffer.sample(8, n_step=1, beta=0.4) for buffer in copies)
    assert [each.get_observations(0)[0] for each in one] == [
        each.get_observations(0)[0] for each in other
    ]
    assert second.iterate().steps > before.steps
    runner = algorithm(second).env_runner
    assert runner.num_env_steps_sampled_lifetime == 120
    epsilon = float(runner.module["shared"].epsilon_schedule.get_current_value())
    assert epsilon == pytest.approx(1 - 80 / 200)  # RLlib informs runners of steps later
